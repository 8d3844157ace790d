// declare: parses declarations.
#include "declare.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

// A token. A bracketed group counts as one: '(' '[' '{' stand for everything up to the closing
// bracket.
struct token {
    char kind;  // 'w' word, '0' number, '"' string, else the character itself; 0: end
    const char *text;
    size_t size;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

// Skips white space, comments and preprocessor lines.
static const char *skip_blank(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else if (*at == '#') {
            while (*at && *at != '\n')
                at += at[0] == '\\' && at[1] ? 2 : 1;
        } else {
            return at;
        }
    }
}

static const char *skip_group(const char *at)
{
    size_t depth = 0;
    do {
        at = skip_blank(at);
        if (!*at)
            return at;
        if (*at == '"' || *at == '\'') {
            at = skip_quoted(at);
            continue;
        }
        if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at))
            depth--;
        at++;
    } while (depth > 0);
    return at;
}

static const char *next_token(const char *at, struct token *out)
{
    at = skip_blank(at);
    *out = (struct token){.kind = *at, .text = at, .size = 1};
    if (!*at)
        return at;
    const char *end = at + 1;
    if (strchr("([{", *at)) {
        end = skip_group(at);
    } else if (*at == '"' || *at == '\'') {
        out->kind = '"';
        end = skip_quoted(at);
    } else if (is_word(*at)) {
        out->kind = isdigit((unsigned char)*at) ? '0' : 'w';
        while (is_word(*end))
            end++;
    }
    out->size = (size_t)(end - at);
    return end;
}

static bool is(const struct token *token, const char *word)
{
    return token->kind == 'w' && strlen(word) == token->size &&
           strncmp(token->text, word, token->size) == 0;
}

static bool is_one_of(const struct token *token, const char *const *words)
{
    for (; *words; words++)
        if (is(token, *words))
            return true;
    return false;
}

static const char *const control_words[] = {"if",
                                            "for",
                                            "while",
                                            "do",
                                            "switch",
                                            "return",
                                            "goto",
                                            "break",
                                            "else",
                                            "continue",
                                            "case",
                                            "default",
                                            "typedef",
                                            "using",
                                            "namespace",
                                            "try",
                                            "extern",
                                            "template",
                                            "asm",
                                            "__asm__",
                                            "static_assert",
                                            "_Static_assert",
                                            "throw",
                                            "delete",
                                            "__asm",
                                            "constexpr",
                                            NULL};
static const char *const type_words[] = {
    "void",  "char", "short", "int",      "long",   "float",    "double",  "signed", "unsigned",
    "_Bool", "bool", "auto",  "_Complex", "size_t", "__int128", "wchar_t", NULL};
static const char *const qualifier_words[] = {
    "const",    "volatile",   "static",        "register",     "inline",
    "restrict", "__restrict", "_Atomic",       "thread_local", "_Thread_local",
    "__thread", "mutable",    "__extension__", "typename",     NULL};
static const char *const lasting_words[] = {"static",   "thread_local", "_Thread_local",
                                            "__thread", "_Atomic",      NULL};
static const char *const tag_words[] = {"struct", "union", "enum", "class", NULL};
static const char *const operator_words[] = {"sizeof", "new",      "_Alignof", "alignof",
                                             "not",    "co_await", NULL};

enum { LONGEST = 4096 };  // tokens per statement; longer ones declare nothing we need

// Takes one statement. Returns the start of the next; NULL at the end.
static const char *take_statement(const char *at, struct token *tokens, size_t *count)
{
    *count = 0;
    for (;;) {
        struct token token;
        const char *next = next_token(at, &token);
        if (token.kind == 0)
            return *count ? at : NULL;
        if (*count < LONGEST)
            tokens[(*count)++] = token;
        at = next;
        if (token.kind == ';')
            return at;
        if (token.kind != '{')
            continue;
        const struct token *before = *count >= 2 ? &tokens[*count - 2] : NULL;
        bool block = !before || before->kind == '(' || is(before, "else") || is(before, "do") ||
                     is(before, "try");
        if (block)
            return at;
    }
}

// Skips <...> after a template's name; the angle brackets are single tokens.
static size_t skip_template(const struct token *tokens, size_t count, size_t at)
{
    size_t depth = 0, start = at;
    for (; at < count; at++) {
        if (tokens[at].kind == '<')
            depth++;
        else if (tokens[at].kind == '>' && --depth == 0)
            return at + 1;
        else if (strchr(";=|?+-/!", tokens[at].kind) ||
                 (tokens[at].kind == '&' && tokens[at - 1].kind == '&'))
            break;  // a comparison
    }
    return start;
}

struct specifiers {
    size_t end;    // first token after them
    bool certain;  // a keyword shows that this is a type
    bool constant;
    bool lasting;
    bool any;
};

// Reads, for example, `const std::vector<int>`, `struct point`, `unsigned long` or `size_t`.
static struct specifiers read_specifiers(const struct token *tokens, size_t count)
{
    struct specifiers found = {0};
    size_t i = 0;
    bool named = false;
    while (i < count) {
        const struct token *token = &tokens[i];
        if (is_one_of(token, qualifier_words)) {
            found.constant |= is(token, "const");
            found.lasting |= is_one_of(token, lasting_words);
            found.certain |= !is(token, "__extension__");
            i++;
        } else if (is_one_of(token, type_words)) {
            found.certain = named = true;
            i++;
        } else if (is_one_of(token, tag_words)) {
            found.certain = named = true;
            i += i + 1 < count && tokens[i + 1].kind == 'w' ? 2 : 1;
            i += i < count && tokens[i].kind == '{';
        } else if (is(token, "__attribute__") || is(token, "_Alignas") || is(token, "alignas") ||
                   is(token, "__typeof__") || is(token, "typeof") || is(token, "decltype")) {
            named |= is(token, "__typeof__") || is(token, "typeof") || is(token, "decltype");
            found.certain = true;
            i += 1 + (i + 1 < count && tokens[i + 1].kind == '(');
        } else if (token->kind == 'w' && !named) {
            named = true;
            i++;
            while (i + 2 < count && tokens[i].kind == ':' && tokens[i + 1].kind == ':' &&
                   tokens[i + 2].kind == 'w')
                i += 3;
            if (i < count && tokens[i].kind == '<')
                i = skip_template(tokens, count, i);
        } else {
            break;
        }
    }
    found.end = i;
    found.any = named || found.certain;
    return found;
}

static void add_name(struct names *names, const struct token *token, bool lasting)
{
    mem_grow(names->items, names->count, &names->room);
    names->items[names->count++] =
        (struct name){.text = mem_text_n(token->text, token->size), .lasting = lasting};
}

// The name in a group "(*name" of a function or array pointer.
static bool name_inside(const struct token *group, struct token *out)
{
    const char *at = next_token(group->text + 1, out);
    if (out->kind != '*')
        return false;
    while (out->kind == '*')
        at = next_token(at, out);
    return out->kind == 'w';
}

struct declarator {
    struct token name;  // kind 0: none
    bool pointer, constant, function;
    size_t end;
};

static struct declarator read_declarator(const struct token *tokens, size_t count, size_t i)
{
    struct declarator found = {0};
    for (; i < count; i++) {
        if (tokens[i].kind == '*' || tokens[i].kind == '&') {
            found.pointer |= tokens[i].kind == '*';
            found.constant = false;
        } else if (is(&tokens[i], "const")) {
            found.constant = true;
        } else if (!is_one_of(&tokens[i], qualifier_words)) {
            break;
        }
    }
    if (i < count && tokens[i].kind == '(' && name_inside(&tokens[i], &found.name))
        found.pointer = true;
    else if (i < count && tokens[i].kind == 'w')
        found.name = tokens[i];
    else
        return found;
    i++;
    while (i < count && (tokens[i].kind == '[' || tokens[i].kind == '(')) {
        found.function |= tokens[i].kind == '(' && found.name.text == tokens[i - 1].text;
        i++;
    }
    found.end = i;
    return found;
}

// Whether the next token can follow a declarator.
static bool ends_declarator(const struct token *tokens, size_t count, size_t i)
{
    return i >= count || strchr("=,;{", tokens[i].kind) ||
           (tokens[i].kind == ':' && (i + 1 >= count || tokens[i + 1].kind != ':'));
}

// Parses one statement as a declaration; returns false if it is not one.
static bool read_declaration(const struct token *tokens, size_t count, bool cplusplus,
                             struct names *out)
{
    if (count == 0 || tokens[0].kind != 'w' || is_one_of(&tokens[0], control_words) ||
        is_one_of(&tokens[0], operator_words))
        return false;
    struct specifiers type = read_specifiers(tokens, count);
    if (!type.any || type.end >= count)
        return type.certain;
    size_t i = type.end;
    bool declared = false;
    while (i < count) {
        struct declarator declarator = read_declarator(tokens, count, i);
        if (declarator.name.kind == 0 || !ends_declarator(tokens, count, declarator.end))
            break;
        declared = true;
        bool constant = declarator.pointer ? declarator.constant : type.constant;
        if (out && !constant && !(declarator.function && !cplusplus))
            add_name(out, &declarator.name, type.lasting);
        for (i = declarator.end; i < count && tokens[i].kind != ',' && tokens[i].kind != ';'; i++)
            ;
        i++;  // skip the comma
        if (i > count || tokens[i - 1].kind == ';')
            break;
    }
    return declared || type.certain;
}

void names_done(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i].text);
    free(names->items);
    *names = (struct names){0};
}

void declare_names(const char *text, bool cplusplus, struct names *out)
{
    struct token *tokens = mem_array(struct token, LONGEST);
    size_t count;
    for (const char *at = text; (at = take_statement(at, tokens, &count));)
        if (count < LONGEST)
            read_declaration(tokens, count, cplusplus, out);
    free(tokens);
}

// Whether it follows "." or "->".
static bool is_member(const char *text, const char *at)
{
    while (at > text && isspace((unsigned char)at[-1]))
        at--;
    return (at > text && at[-1] == '.') || (at > text + 1 && at[-1] == '>' && at[-2] == '-');
}

bool declare_mentions(const char *text, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = text; at && (at = strstr(at, name)); at += size)
        if (!(at > text && is_word(at[-1])) && !is_word(at[size]) && !is_member(text, at))
            return true;
    return false;
}

// Alone, `a * b` and `f(*p)` are a product and a call; only in a setup would they declare b and p.
static bool is_value(const struct token *tokens, size_t count)
{
    if (tokens[0].kind != 'w')
        return false;
    struct specifiers type = read_specifiers(tokens, count);
    if (type.certain || type.end >= count)
        return false;
    const struct token *after = &tokens[type.end];
    size_t left = count - type.end;
    bool initialised = left >= 3 && after[2].kind == '=' && (left == 3 || after[3].kind != '=');
    return after->kind == '(' ||
           (left >= 2 && (after->kind == '*' || after->kind == '&') && !initialised);
}

bool declare_expression(const char *statement, const char **start, size_t *size)
{
    struct token *tokens = mem_array(struct token, LONGEST);
    size_t count, more;
    const char *rest = take_statement(statement, tokens, &count);
    struct token *next = mem_array(struct token, LONGEST);
    bool alone = rest && !take_statement(rest, next, &more);
    free(next);
    if (alone && count > 0 && tokens[count - 1].kind == ';')
        count--;
    bool expression = alone && count > 0 && count < LONGEST && tokens[0].kind != '{' &&
                      !is_one_of(&tokens[0], control_words) &&
                      strncmp(tokens[0].text, "BILANX_", 7) != 0 &&
                      (is_value(tokens, count) || !read_declaration(tokens, count, false, NULL));
    if (expression) {
        const struct token *last = &tokens[count - 1];
        *start = tokens[0].text;
        *size = (size_t)(last->text + last->size - tokens[0].text);
    }
    free(tokens);
    return expression;
}
