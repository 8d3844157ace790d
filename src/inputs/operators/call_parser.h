// call_parser: the cursor over one line of a log, shared within the room.
#ifndef OPERATORS_CALL_PARSER_H
#define OPERATORS_CALL_PARSER_H

#include "bilanx/error.h"
#include "call_memory.h"

enum { CALL_DEPTH = 16 };  // of lists in lists

struct call_parser {
    const char *line, *at;  // columns are counted from the start of `line`
    const char *file;       // NULL: none
    unsigned line_number;
    unsigned depth;
    struct call_memory *memory;
};

// Makes an error about the text at `at`: "bert.txt:12:34: ...".
struct bilanx_error parser_complain(const struct call_parser *parser, const char *at,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));

void parser_skip_blanks(struct call_parser *parser);
bool parser_take(struct call_parser *parser, char expected);  // after blanks
struct bilanx_error parser_expect(struct call_parser *parser, char expected, const char *where);

// A letter or _, then letters, digits, _ and dots; empty if there is none. Not copied.
size_t parser_word(const struct call_parser *parser);

// Describes the text at the cursor, for messages: "'T'", "a number", "the end of the line".
const char *parser_describe(const struct call_parser *parser, char *out, size_t size);

struct bilanx_error parser_string(struct call_parser *parser, const char **out);
struct bilanx_error parser_integer(struct call_parser *parser, int64_t *out);
struct bilanx_error parser_number(struct call_parser *parser, struct bilanx_value *out);

// After "T" or "ST", which is at `start`.
struct bilanx_error parser_tensor(struct call_parser *parser, const char *start, bool is_sparse,
                                  struct bilanx_value *out);

// Parses "((arguments...), {keywords...})".
struct bilanx_error parser_call(struct call_parser *parser, const char *name,
                                struct bilanx_call *out);

#endif
