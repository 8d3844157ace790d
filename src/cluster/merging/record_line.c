// record_line: extracts what merging needs from the line of a record, without parsing all of it.
#include "record_line.h"

#include <string.h>

#include "base/number.h"
#include "core/record/records.h"

struct span {
    const char *at;
    size_t size;
};

struct cursor {
    const char *at, *end;
};

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) && *cursor->at)
        cursor->at++;
}

// Moves past a string, whose opening quote is next.
static bool skip_string(struct cursor *cursor)
{
    const char *at = cursor->at + 1;
    for (;;) {
        const char *quote = memchr(at, '"', (size_t)(cursor->end - at));
        if (!quote)
            return false;
        size_t slashes = 0;
        while (quote - slashes > at && quote[-1 - (ptrdiff_t)slashes] == '\\')
            slashes++;
        at = quote + 1;
        if (slashes % 2 == 0)
            break;
    }
    cursor->at = at;
    return true;
}

// Moves past a value that starts with a bracket.
static bool skip_nested(struct cursor *cursor)
{
    enum { DEEPEST = 64 };
    char open[DEEPEST];
    size_t depth = 0;
    while (cursor->at < cursor->end) {
        char c = *cursor->at;
        if (c == '"') {
            if (!skip_string(cursor))
                return false;
            continue;
        }
        cursor->at++;
        if (c == '{' || c == '[') {
            if (depth == DEEPEST)
                return false;
            open[depth++] = c;
        } else if (c == '}' || c == ']') {
            if (open[--depth] != (c == '}' ? '{' : '['))
                return false;
            if (depth == 0)
                return true;
        }
    }
    return false;
}

static bool skip_value(struct cursor *cursor, struct span *out)
{
    skip_blanks(cursor);
    const char *from = cursor->at;
    if (from == cursor->end)
        return false;
    if (*from == '"') {
        if (!skip_string(cursor))
            return false;
    } else if (*from == '{' || *from == '[') {
        if (!skip_nested(cursor))
            return false;
    } else
        while (cursor->at < cursor->end && !strchr(",}] \t\r\n", *cursor->at))
            cursor->at++;
    *out = (struct span){from, (size_t)(cursor->at - from)};
    return out->size > 0;
}

// Moves to the next member of an object, starting after its brace. Sets `*more` to false after the
// last.
static bool next_member(struct cursor *cursor, bool first, struct span *key, struct span *value,
                        bool *more)
{
    skip_blanks(cursor);
    *more = cursor->at < cursor->end && *cursor->at != '}';
    if (!*more)
        return cursor->at < cursor->end && ++cursor->at;
    if (!first && *cursor->at++ != ',')
        return false;
    skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at != '"' || !skip_value(cursor, key))
        return false;
    skip_blanks(cursor);
    return cursor->at < cursor->end && *cursor->at++ == ':' && skip_value(cursor, value);
}

static bool is(struct span span, const char *text)
{
    return span.size == strlen(text) + 2 && memcmp(span.at + 1, text, span.size - 2) == 0;
}

static void copy_text(struct span value, char *out, size_t room)
{
    size_t size = value.size < 2 ? 0 : value.size - 2;
    size = size < room ? size : room - 1;
    memcpy(out, value.at + 1, size);
    out[size] = '\0';
}

static uint64_t read_count(struct span value)
{
    char text[24] = "";
    uint64_t count = 0;
    if (value.size < sizeof text)
        memcpy(text, value.at, value.size);
    return number_read_count(text, &count) ? count : 0;
}

typedef void visit(struct record_line *out, struct span key, struct span value);

static bool each_member(struct cursor *cursor, visit *visitor, struct record_line *out)
{
    skip_blanks(cursor);
    if (cursor->at == cursor->end || *cursor->at++ != '{')
        return false;
    for (bool first = true, more = true;; first = false) {
        struct span key, value;
        if (!next_member(cursor, first, &key, &value, &more))
            return false;
        if (!more)
            return true;
        visitor(out, key, value);
    }
}

static void each_within(struct span object, visit *visitor, struct record_line *out)
{
    struct cursor cursor = {object.at, object.at + object.size};
    each_member(&cursor, visitor, out);
}

// Two kinds of machines may compile the same case in different ways.
static void visit_task(struct record_line *out, struct span key, struct span value)
{
    if (is(key, "compile"))
        return;
    hash_add(&out->what, key.at, key.size);
    hash_add(&out->what, value.at, value.size);
}

static void visit_machine(struct record_line *out, struct span key, struct span value)
{
    if (is(key, "node"))
        copy_text(value, out->node, sizeof out->node);
    else if (is(key, "cpu"))
        copy_text(value, out->kind, sizeof out->kind);
    else if (is(key, "replica")) {
        hash_add(&out->what, value.at, value.size);
        out->replicated = true;
    }
}

static void visit_error(struct record_line *out, struct span key, struct span value)
{
    out->skipped |= is(key, "code") && is(value, "skipped");
}

// A failure replaces the measurement or the counts that it prevented.
static void visit_kind(struct record_line *out, struct span value)
{
    out->failed |= is(value, "failure");
    hash_add_text(&out->what, is(value, "verdict")  ? "verdict"
                              : is(value, "stacks") ? "stacks"
                                                    : "result");
}

static void visit_record(struct record_line *out, struct span key, struct span value)
{
    if (is(key, "place"))
        out->place = read_count(value);
    else if (is(key, "sample"))
        out->sample = read_count(value);
    else if (is(key, "kind"))
        visit_kind(out, value);
    else if (is(key, "task"))
        each_within(value, visit_task, out);
    else if (is(key, "machine"))
        each_within(value, visit_machine, out);
    else if (is(key, "error"))
        each_within(value, visit_error, out);
    else if (is(key, "side"))
        hash_add(&out->what, value.at, value.size);
    else if (is(key, "warnings"))
        out->cut_short = memmem(value.at, value.size, "\"interrupted\"", 13) != NULL;
}

struct bilanx_error record_line_read(const char *line, size_t size, const char *where,
                                     struct record_line *out)
{
    static const char SCHEMA[] = "\"" RECORD_SCHEMA "\"";
    struct cursor cursor = {line, line + size};
    *out = (struct record_line){.what = hash_start()};
    bool whole = each_member(&cursor, visit_record, out);
    skip_blanks(&cursor);
    if (!whole || cursor.at != cursor.end)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: not one complete JSON object; 'bilanx convert --salvage "
                                 "IN OUT' keeps the intact records",
                                 where);
    size_t head = size < 200 ? size : 200;
    if (!memmem(line, head, SCHEMA, sizeof SCHEMA - 1) &&
        !memmem(line, size, SCHEMA, sizeof SCHEMA - 1))
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: not a bilanx record: its 'schema' is not '%s'", where,
                                 RECORD_SCHEMA);
    return BILANX_SUCCESS;
}
