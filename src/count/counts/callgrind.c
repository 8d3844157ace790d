// callgrind: parses the file line by line.
//
// Lines are "key: value" (headers), "key=value" (names, calls, jumps) or a cost: positions, then
// one number per event. Positions (lines, addresses, relative or not) are checked and ignored,
// because we only need functions. A function is identified by the file of its code: code inlined
// from elsewhere (fi, fe) is a separate row, as in callgrind_annotate.
#include "callgrind.h"

#include <ctype.h>
#include <string.h>

#include "aliases.h"
#include "base/mem.h"
#include "base/text.h"

enum { MOST_EVENTS = 64, MOST_POSITIONS = 3 };

struct stated {  // the sum of costs stated by the file
    bool given;
    unsigned long line;
    uint64_t costs[MOST_EVENTS];
};

struct parser {
    struct lines *lines;
    struct profile *profile;
    struct profile_part *part;  // the last of the profile; NULL before the first header
    bool in_body;               // after the header
    size_t positions;           // how many numbers precede the costs
    struct stated totals, summary;
    struct aliases files, objects, functions;
    struct function_name here;    // the function of the current costs
    struct function_name callee;  // as far as given
    unsigned long calls_line;     // of a 'calls=' whose cost follows; 0: none
};

static void parser_done(struct parser *parser)
{
    aliases_done(&parser->files);
    aliases_done(&parser->objects);
    aliases_done(&parser->functions);
}
SCOPE_VALUE(parser, parser_done)

static struct bilanx_error fault(const struct parser *parser, const char *cause)
{
    return bilanx_error_make(BILANX_E_INPUT, "%s:%lu: %s", parser->lines->name,
                             parser->lines->number, cause);
}

static struct bilanx_error fault_at(const struct parser *parser, const char *cause,
                                    const char *line)
{
    AUTO(text) struct text excerpt = {0}, shown = {0};
    text_add_n(&excerpt, line, strnlen(line, 40));
    text_add_harmless(&shown, text_get(&excerpt));
    return bilanx_error_make(BILANX_E_INPUT, "%s:%lu: %s: '%s'", parser->lines->name,
                             parser->lines->number, cause, text_get(&shown));
}

static const char *after_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static bool at_end_of_word(const char *at)
{
    return *at == '\0' || *at == ' ' || *at == '\t';
}

// One position: 12, 0x4f, +3, -3 or *.
static bool skip_position(const char **at)
{
    const char *end = *at;
    uint64_t number;
    if (*end == '*')
        end++;
    else {
        end += *end == '+' || *end == '-';
        if (!callgrind_number(&end, &number))
            return false;
    }
    if (!at_end_of_word(end))
        return false;
    *at = after_blanks(end);
    return true;
}

// Reads numbers up to the end of the line; missing ones are zero. cachegrind writes '.' for zero.
static struct bilanx_error read_costs(const struct parser *parser, const char *at, uint64_t *costs,
                                      size_t *count)
{
    size_t events = parser->part->events.count;
    memset(costs, 0, events * sizeof *costs);
    for (*count = 0; *(at = after_blanks(at)); (*count)++) {
        if (*count == events)
            return fault(parser, "more costs than the line 'events:' has names");
        if (*at == '.')
            at++;
        else if (!callgrind_number(&at, &costs[*count]))
            return fault_at(parser, "a cost must be a whole number of at most 64 bits", at);
        if (!at_end_of_word(at))
            return fault_at(parser, "a cost must be a whole number", at);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_stated(struct parser *parser, const char *value,
                                       struct stated *stated)
{
    if (!parser->part || parser->part->events.count == 0)
        return fault(parser, "a sum before the line 'events:'");
    if (stated->given)
        return fault(parser, "a second sum for the same part");
    stated->given = true;
    stated->line = parser->lines->number;
    size_t count;
    BILANX_TRY(read_costs(parser, value, stated->costs, &count));
    return count ? BILANX_SUCCESS : fault(parser, "a sum without a number");
}

static struct bilanx_error check_sum(const struct parser *parser, const struct stated *stated,
                                     const char *key)
{
    const struct profile_part *part = parser->part;
    for (size_t i = 0; stated->given && i < part->events.count; i++) {
        uint64_t sum = part->sums ? part->sums[i] : 0;
        if (stated->costs[i] == sum)
            continue;
        AUTO(text) struct text event = {0};
        text_add_harmless(&event, part->events.items[i]);
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s:%lu: '%s' says %llu %.40s, but the costs of its part add up "
                                 "to %llu: the file is damaged or truncated",
                                 parser->lines->name, stated->line, key,
                                 (unsigned long long)stated->costs[i], text_get(&event),
                                 (unsigned long long)sum);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error finish_part(struct parser *parser)
{
    if (parser->calls_line)
        return bilanx_error_make(BILANX_E_INPUT, "%s:%lu: 'calls=' is not followed by its cost",
                                 parser->lines->name, parser->calls_line);
    if (!parser->part || parser->part->events.count == 0)
        return bilanx_error_make(
            BILANX_E_INPUT, "%s: not a callgrind file: it has no line 'events:'%s",
            parser->lines->name, parser->profile->count > 1 ? " in its last part" : "");
    // Prefers the totals, which follow the costs. The summary before them is less reliable: with
    // cache simulation, callgrind moves its block to the other side of a dump.
    if (parser->totals.given)
        return check_sum(parser, &parser->totals, "totals:");
    return check_sum(parser, &parser->summary, "summary:");
}

static void start_part(struct parser *parser)
{
    parser->part = profile_add_part(parser->profile);
    parser->in_body = false;
    parser->positions = 1;
    parser->totals = parser->summary = (struct stated){0};
    parser->here = parser->callee = (struct function_name){0};
}

static struct bilanx_error read_version(struct parser *parser, const char *value)
{
    uint64_t version;
    if (!callgrind_number(&value, &version))
        return fault_at(parser, "a version must be a number", value);
    if (version > 1)
        return fault_at(parser, "this bilanx reads version 1 of callgrind's format, not", value);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_positions(struct parser *parser, const char *value)
{
    parser->positions = 0;
    while (*(value = after_blanks(value))) {
        size_t size = strcspn(value, " \t");
        if (parser->positions++ == MOST_POSITIONS)
            return fault(parser, "more positions than 'instr', 'bb' and 'line'");
        value += size;
    }
    return parser->positions ? BILANX_SUCCESS : fault(parser, "'positions:' is empty");
}

static struct bilanx_error read_events(struct parser *parser, const char *value)
{
    struct list *events = &parser->part->events;
    if (events->count)
        return fault(parser, "a second line 'events:' in one part");
    while (*(value = after_blanks(value))) {
        size_t size = strcspn(value, " \t");
        if (events->count == MOST_EVENTS)
            return fault(parser, "more than 64 events");
        AUTO(memory) char *name = mem_text_n(value, size);
        if (profile_event(parser->part, name) < events->count)
            return fault_at(parser, "an event is named twice", name);
        list_add(events, name);
        value += size;
    }
    return events->count ? BILANX_SUCCESS : fault(parser, "'events:' is empty");
}

static bool is_key(const char *line, size_t size, const char *key)
{
    return strlen(key) == size && strncmp(line, key, size) == 0;
}

// Ignores headers we do not need (pid, cmd, desc, thread, ...).
static struct bilanx_error read_header(struct parser *parser, const char *line, size_t key_size)
{
    const char *value = after_blanks(line + key_size + 1);
    if (is_key(line, key_size, "totals"))
        return read_stated(parser, value, &parser->totals);
    if (is_key(line, key_size, "summary"))
        return read_stated(parser, value, &parser->summary);
    if (parser->part && (parser->in_body || parser->totals.given)) {
        BILANX_TRY(finish_part(parser));
        start_part(parser);
    } else if (!parser->part) {
        start_part(parser);
    }
    if (is_key(line, key_size, "version"))
        return read_version(parser, value);
    if (is_key(line, key_size, "positions"))
        return read_positions(parser, value);
    if (is_key(line, key_size, "events"))
        return read_events(parser, value);
    return BILANX_SUCCESS;
}

static struct bilanx_error read_calls(struct parser *parser, const char *value)
{
    uint64_t calls;
    if (!parser->here.function)
        return fault(parser, "a call outside of a function: no 'fn=' before it");
    if (!parser->callee.function)
        return fault(parser, "a call of nothing: no 'cfn=' before it");
    value = after_blanks(value);
    // 0 calls: it started in an earlier part, and the cost is what it took in this one.
    if (!callgrind_number(&value, &calls) || !at_end_of_word(value))
        return fault_at(parser, "'calls=' needs a number", value);
    for (value = after_blanks(value); *value;)
        if (!skip_position(&value))
            return fault_at(parser, "a position must be a number, +, - or *", value);
    if (!parser->callee.file)
        parser->callee.file = parser->here.file;
    if (!parser->callee.object)
        parser->callee.object = parser->here.object;
    parser->calls_line = parser->lines->number;
    return BILANX_SUCCESS;
}

enum subject {
    HERE_FILE,
    HERE_OBJECT,
    HERE_FUNCTION,
    FILE_OF_CALLEE,
    OBJECT_OF_CALLEE,
    CALLEE,
    JUMP_FILE,
    JUMP_FUNCTION
};

static const struct {
    const char *key;
    enum subject subject;
} name_keys[] = {
    {"fn", HERE_FUNCTION},     {"fl", HERE_FILE},  {"fi", HERE_FILE},       {"fe", HERE_FILE},
    {"ob", HERE_OBJECT},       {"cfn", CALLEE},    {"cfi", FILE_OF_CALLEE}, {"cfl", FILE_OF_CALLEE},
    {"cob", OBJECT_OF_CALLEE}, {"jfi", JUMP_FILE}, {"jfl", JUMP_FILE},      {"jfn", JUMP_FUNCTION},
};

static struct bilanx_error read_name(struct parser *parser, enum subject subject, const char *value)
{
    const char *ignored;
    struct {
        struct aliases *aliases;
        const char **out;
    } const targets[] = {
        [HERE_FILE] = {&parser->files, &parser->here.file},
        [HERE_OBJECT] = {&parser->objects, &parser->here.object},
        [HERE_FUNCTION] = {&parser->functions, &parser->here.function},
        [FILE_OF_CALLEE] = {&parser->files, &parser->callee.file},
        [OBJECT_OF_CALLEE] = {&parser->objects, &parser->callee.object},
        [CALLEE] = {&parser->functions, &parser->callee.function},
        [JUMP_FILE] = {&parser->files, &ignored},
        [JUMP_FUNCTION] = {&parser->functions, &ignored},
    };
    struct bilanx_error error = aliases_read(targets[subject].aliases, &parser->profile->names,
                                             value, targets[subject].out);
    return error.status == BILANX_OK ? error : fault(parser, error.text);
}

// "key=value"; jumps have no costs.
static struct bilanx_error read_specification(struct parser *parser, const char *line,
                                              size_t key_size)
{
    const char *value = line + key_size + 1;
    parser->in_body = true;
    if (is_key(line, key_size, "calls"))
        return read_calls(parser, value);
    if (is_key(line, key_size, "jump") || is_key(line, key_size, "jcnd"))
        return BILANX_SUCCESS;
    for (size_t i = 0; i < sizeof name_keys / sizeof *name_keys; i++)
        if (is_key(line, key_size, name_keys[i].key))
            return read_name(parser, name_keys[i].subject, value);
    return fault_at(parser, "not a line of callgrind's format", line);
}

static struct bilanx_error read_cost_line(struct parser *parser, const char *line)
{
    if (!parser->part || parser->part->events.count == 0)
        return fault(parser, "a cost before the line 'events:'");
    if (!parser->here.function)
        return fault(parser, "a cost outside of a function: no 'fn=' before it");
    parser->in_body = true;
    for (size_t i = 0; i < parser->positions; i++)
        if (!skip_position(&line))
            return fault_at(parser, "a position must be a number, +, - or *", line);
    uint64_t costs[MOST_EVENTS];
    size_t count;
    BILANX_TRY(read_costs(parser, line, costs, &count));
    bool fits = true;
    if (parser->calls_line) {
        fits = profile_add(parser->part, &parser->here, &parser->callee, costs);
        parser->callee = (struct function_name){0};
        parser->calls_line = 0;
    } else if (count) {  // otherwise it is the position of a jump
        fits = profile_add(parser->part, NULL, &parser->here, costs);
    }
    if (!fits)
        return fault(parser, "the sum of the costs up to here does not fit in 64 bits");
    return BILANX_SUCCESS;
}

static struct bilanx_error read_line(struct parser *parser, char *line, size_t size)
{
    if (memchr(line, '\0', size))
        return fault(parser, "a NUL byte in the text");
    if (size && line[size - 1] == '\r')
        line[--size] = '\0';
    const char *start = after_blanks(line);
    if (*start == '\0' || *start == '#')
        return BILANX_SUCCESS;
    if (isdigit((unsigned char)*start) || strchr("+-*", *start))
        return read_cost_line(parser, start);
    if (parser->calls_line)
        return fault_at(parser, "'calls=' must be followed by its cost, not by", start);
    size_t key_size = 0;
    while (isalpha((unsigned char)start[key_size]))
        key_size++;
    if (key_size && start[key_size] == ':')
        return read_header(parser, start, key_size);
    if (key_size && start[key_size] == '=')
        return read_specification(parser, start, key_size);
    return fault_at(parser, "not a line of callgrind's format", start);
}

static struct bilanx_error read_all(struct lines *lines, bool keep_calls, struct profile *out)
{
    AUTO(profile) struct profile profile = {.keep_calls = keep_calls};
    AUTO(parser) struct parser parser = {.lines = lines, .profile = &profile};
    for (;;) {
        char *line;
        size_t size;
        BILANX_TRY(lines_next(lines, &line, &size));
        if (!line)
            break;
        BILANX_TRY(read_line(&parser, line, size));
    }
    BILANX_TRY(finish_part(&parser));
    *out = profile;
    profile = (struct profile){0};
    return BILANX_SUCCESS;
}

struct bilanx_error callgrind_read(struct lines *lines, struct profile *out)
{
    return read_all(lines, false, out);
}

struct bilanx_error callgrind_read_calls(struct lines *lines, struct profile *out)
{
    return read_all(lines, true, out);
}
