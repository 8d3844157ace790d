// call_parser: arguments and keywords of a call, by recursive descent. Nothing is evaluated.
#include "call_parser.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "log_types.h"
#include "operators.h"

static struct bilanx_error parse_value(struct call_parser *parser, struct bilanx_value *out);

static struct bilanx_value truth(bool value)
{
    return (struct bilanx_value){.kind = BILANX_TRUTH, .integer = value};
}

// Words that stand for a value.
static bool find_constant(const char *word, struct bilanx_value *out)
{
    const struct {
        const char *word;
        struct bilanx_value value;
    } constants[] = {
        {"None", {.kind = BILANX_NONE}},
        {"True", truth(true)},
        {"False", truth(false)},
        {"inf", {.kind = BILANX_REAL, .real = INFINITY}},
        {"nan", {.kind = BILANX_REAL, .real = (double)NAN}},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (strcmp(word, constants[i].word) == 0) {
            *out = constants[i].value;
            return true;
        }
    return false;
}

static struct bilanx_error unknown_word(const struct call_parser *parser, const char *at,
                                        const char *word)
{
    const char *names[40] = {"None", "True", "False", "inf", "nan", "T", "ST", "torch.strided"};
    size_t count = 8;
    for (const struct log_type *type = log_types; type->name; type++)
        names[count++] = type->name;
    const char *nearest = text_nearest(word, names, count);
    if (nearest)
        return parser_complain(parser, at, "unknown word '%.60s' (did you mean '%s'?)", word,
                               nearest);
    return parser_complain(parser, at, "unknown word '%.60s'", word);
}

// The rest of "device(type='cuda', index=0)" or "torch.device('cuda')". Only its kind counts.
static struct bilanx_error parse_device(struct call_parser *parser, struct bilanx_value *out)
{
    BILANX_TRY(parser_expect(parser, '(', "after 'device'"));
    parser_skip_blanks(parser);
    if (text_starts(parser->at, "type="))
        parser->at += strlen("type=");
    if (*parser->at != '\'' && *parser->at != '"')
        return parser_complain(parser, parser->at, "expected the name of a device in quotes");
    out->kind = BILANX_TEXT;
    BILANX_TRY(parser_string(parser, &out->text));
    if (parser_take(parser, ',')) {
        int64_t index;
        parser_skip_blanks(parser);
        if (text_starts(parser->at, "index="))
            parser->at += strlen("index=");
        BILANX_TRY(parser_integer(parser, &index));
    }
    return parser_expect(parser, ')', "after a device");
}

static struct bilanx_error parse_word(struct call_parser *parser, struct bilanx_value *out)
{
    const char *start = parser->at;
    size_t size = parser_word(parser);
    const char *word = call_memory_text(parser->memory, start, size);
    parser->at += size;
    if (strcmp(word, "T") == 0 || strcmp(word, "ST") == 0)
        return parser_tensor(parser, start, *word == 'S', out);
    if (strcmp(word, "device") == 0 || strcmp(word, "torch.device") == 0)
        return parse_device(parser, out);
    if (find_constant(word, out))
        return BILANX_SUCCESS;
    const struct log_type *type = log_type_find(word);
    if (!type && !(text_starts(word, "torch.") && word[strlen("torch.")] &&
                   !strchr(word + strlen("torch."), '.')))
        return unknown_word(parser, start, word);
    *out = (struct bilanx_value){.kind = BILANX_WORD, .text = type ? type->name : word};
    return BILANX_SUCCESS;
}

// "torch.device('cpu')" as a string is how recorders write a device.
static const char *device_in(struct call_parser *parser, const char *text)
{
    static const char before[] = "torch.device('";
    const char *name = text + strlen(before);
    if (!text_starts(text, before))
        return text;
    size_t size = strcspn(name, "':");
    return call_memory_text(parser->memory, name, size);
}

// A list or a tuple; `close` ends it.
static struct bilanx_error parse_items(struct call_parser *parser, char close,
                                       struct bilanx_value *out)
{
    AUTO(memory) struct bilanx_value *items = NULL;
    size_t count = 0, room = 0;
    const char *start = parser->at++;
    bool has_comma = false;
    if (parser->depth == CALL_DEPTH)
        return parser_complain(parser, start, "lists are nested more than %d deep", CALL_DEPTH);
    parser->depth++;
    while (!parser_take(parser, close)) {
        if (count > 0) {
            BILANX_TRY(parser_expect(parser, ',', "between values"));
            has_comma = true;
            if (parser_take(parser, close))
                break;
        }
        struct bilanx_value item = {0};
        BILANX_TRY(parse_value(parser, &item));
        mem_grow(items, count, &room);
        items[count++] = item;
    }
    parser->depth--;
    if (close == ')' && count == 1 && !has_comma)
        return parser_complain(parser, start, "a tuple of one value ends with a comma: (x,)");
    *out = (struct bilanx_value){.kind = close == ')' ? BILANX_TUPLE : BILANX_LIST, .count = count};
    out->items = call_memory_copy(parser->memory, items, count * sizeof *items);
    return BILANX_SUCCESS;
}

static struct bilanx_error parse_value(struct call_parser *parser, struct bilanx_value *out)
{
    char found[64];
    parser_skip_blanks(parser);
    char c = *parser->at;
    if (c == '[')
        return parse_items(parser, ']', out);
    if (c == '(')
        return parse_items(parser, ')', out);
    if (c == '\'' || c == '"') {
        out->kind = BILANX_TEXT;
        BILANX_TRY(parser_string(parser, &out->text));
        out->text = device_in(parser, out->text);
        return BILANX_SUCCESS;
    }
    if (isdigit((unsigned char)c) || c == '-' || c == '+' || c == '.')
        return parser_number(parser, out);
    if (parser_word(parser))
        return parse_word(parser, out);
    return parser_complain(parser, parser->at, "expected a value, not %s",
                           parser_describe(parser, found, sizeof found));
}

static struct bilanx_error parse_keyword(struct call_parser *parser,
                                         const struct bilanx_keyword *others, size_t count,
                                         struct bilanx_keyword *out)
{
    char found[64];
    parser_skip_blanks(parser);
    const char *start = parser->at;
    if (*start != '\'' && *start != '"')
        return parser_complain(parser, start, "expected a keyword in quotes, not %s",
                               parser_describe(parser, found, sizeof found));
    BILANX_TRY(parser_string(parser, &out->name));
    for (size_t i = 0; i < count; i++)
        if (strcmp(others[i].name, out->name) == 0)
            return parser_complain(parser, start, "the keyword '%.60s' appears twice", out->name);
    BILANX_TRY(parser_expect(parser, ':', "after a keyword"));
    return parse_value(parser, &out->value);
}

static struct bilanx_error parse_keywords(struct call_parser *parser, struct bilanx_call *out)
{
    AUTO(memory) struct bilanx_keyword *keywords = NULL;
    size_t count = 0, room = 0;
    BILANX_TRY(parser_expect(parser, '{', "before the keywords of a call"));
    while (!parser_take(parser, '}')) {
        if (count > 0) {
            BILANX_TRY(parser_expect(parser, ',', "between keywords"));
            if (parser_take(parser, '}'))
                break;
        }
        struct bilanx_keyword keyword = {0};
        BILANX_TRY(parse_keyword(parser, keywords, count, &keyword));
        mem_grow(keywords, count, &room);
        keywords[count++] = keyword;
    }
    out->keyword_count = count;
    out->keywords = call_memory_copy(parser->memory, keywords, count * sizeof *keywords);
    return BILANX_SUCCESS;
}

struct bilanx_error parser_call(struct call_parser *parser, const char *name,
                                struct bilanx_call *out)
{
    char found[64];
    struct bilanx_value arguments = {0};
    BILANX_TRY(parser_expect(parser, '(', "before the arguments of a call"));
    parser_skip_blanks(parser);
    if (*parser->at != '(')
        return parser_complain(parser, parser->at, "expected '(' before the arguments, not %s",
                               parser_describe(parser, found, sizeof found));
    BILANX_TRY(parse_value(parser, &arguments));
    BILANX_TRY(parser_expect(parser, ',', "between arguments and keywords"));
    BILANX_TRY(parse_keywords(parser, out));
    BILANX_TRY(parser_expect(parser, ')', "at the end of a call"));
    parser_skip_blanks(parser);
    if (*parser->at)
        return parser_complain(parser, parser->at, "expected the end of the line, not %s",
                               parser_describe(parser, found, sizeof found));
    out->name = call_memory_text(parser->memory, name, strlen(name));
    out->arguments = arguments.items;
    out->argument_count = arguments.count;
    return BILANX_SUCCESS;
}

struct bilanx_error operator_call_parse(const char *name, const char *arguments, const char *file,
                                        unsigned line, struct operator_call *out)
{
    struct call_parser parser = {.line = arguments,
                                 .at = arguments,
                                 .file = file,
                                 .line_number = line,
                                 .memory = call_memory_new()};
    struct operator_call call = {.storage = parser.memory};
    struct bilanx_error error = parser_call(&parser, name, &call.call);
    if (error.status != BILANX_OK)
        operator_call_done(&call);
    else
        *out = call;
    return error;
}

void operator_call_done(struct operator_call *call)
{
    call_memory_free(call->storage);
    *call = (struct operator_call){0};
}
