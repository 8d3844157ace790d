// snippet: turns a statement into a translation unit.
//
// Each variant is a function `void f(struct bilanx_loop *)`: the setup, a launderer for every name
// it declares, and a counted loop around the statement. In the loop the names that the statement
// uses are laundered before each execution. What remains of a batch afterwards shows whether the
// statement left the loop; if it cannot, the compiler knows that nothing remains. The counters are
// declared before the setup because a goto may lead there. #line makes the compiler refer to the
// user's text: "statement:1:5".
#include "snippet.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "declare.h"
#include "headers.h"
#include "prelude.h"
#include "snippet_inputs.h"

enum {
    LONG_TEXT = 16 << 10,
    // More variables than this do not all fit in registers. A variable laundered in a register
    // would then be loaded and stored each time, so the rest are laundered in memory.
    IN_REGISTERS = 10,
};

const struct snippet_variant snippet_variants[] = {
    {1, false},
    {2, false},
    {8, false},
    {0, true},
};
const size_t snippet_variant_count = sizeof snippet_variants / sizeof *snippet_variants;

const char *snippet_symbol(const struct snippet_variant *variant, size_t place, char out[64])
{
    char at[32] = "";
    if (place)
        snprintf(at, sizeof at, "at%zu_", place);
    if (variant->barrier)
        snprintf(out, 64, "bilanx_%sbarrier", at);
    else
        snprintf(out, 64, "bilanx_%scopies%u", at, variant->copies);
    return out;
}

static size_t size_of(const char *text)
{
    return text ? strlen(text) : 0;
}

bool snippet_has_variant(const struct snippet *snippet, const struct snippet_variant *variant)
{
    bool long_text = size_of(snippet->stmt) + size_of(snippet->setup) > LONG_TEXT;
    return variant->copies == 1 ||
           (snippet->lean ? variant->barrier : !(long_text || snippet->single));
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 1;
    for (; *text; text++)
        lines += *text == '\n' && text[1];
    return lines;
}

// Adds the user's text and what must follow it, both under the text's name: a mistake at its end is
// also the user's. The newline is needed because the text may end in a comment.
static void add_text(struct text *out, size_t place, const char *kind, const char *text,
                     const char *after)
{
    char name[64];
    if (place)  // identifies the faulty snippet among several
        snprintf(name, sizeof name, "%s@%zu@", kind, place);
    else
        snprintf(name, sizeof name, "%s", kind);
    if (text && *text)
        text_format(out, "\n#line 1 \"%s\"\n%s\n#line %u \"%s\"\n%s\n#line 1 \"bilanx\"\n", name,
                    text, lines_of(text), name, after);
    else
        text_add(out, after);
}

// C has no overloading. Whether an expression has a value is determined from its type, which needs
// the text three times; only one is executed.
static void add_kept_c(struct text *out, size_t place, const char *expression)
{
    text_add(out, "__auto_type bilanx_value_ = __builtin_choose_expr("
                  "__builtin_types_compatible_p(__typeof__((");
    add_text(out, place, "statement", expression, ")), void), ((void)(");
    add_text(out, place, "statement", expression, "), 0), (");
    add_text(out, place, "statement", expression, "));");
    text_add(out, "BILANX_KEEP(bilanx_value_);\n");
}

// In C++ a comma after a value uses our overload; after void it is the built-in one.
static void add_kept_cplusplus(struct text *out, size_t place, const char *expression)
{
    text_add(out, "(");
    add_text(out, place, "statement", expression, "), bilanx_kept_();");
}

bool snippet_says_nothing(const char *stmt)
{
    return !stmt || !stmt[strspn(stmt, "; \t\r\n")];
}

// What was learned from a snippet's texts.
struct reading {
    struct names names;  // declared by the setup
    bool *inputs;        // parallel: whether the statement uses it
    char *expression;    // the statement as an expression; NULL: it is not one
};

static void reading_done(struct reading *reading)
{
    names_done(&reading->names);
    free(reading->inputs);
    free(reading->expression);
}
SCOPE_VALUE(reading, reading_done)

// Whether a "#define" line of `text` contains the name: a statement may use it through a macro.
static bool macros_mention(const char *text, const char *name)
{
    for (const char *at = text; at && (at = strstr(at, "#define"));) {
        size_t size = strcspn(at, "\n");
        while (at[size] && at[size - 1] == '\\')
            size += 1 + strcspn(at + size + 1, "\n");
        AUTO(memory) char *line = mem_text_n(at, size);
        if (declare_mentions(line, name))
            return true;
        at += size;
    }
    return false;
}

static void read_snippet(const struct snippet *snippet, struct reading *out)
{
    const char *start;
    size_t size;
    if (snippet->inputs && !snippet->plain)
        snippet_inputs_names(snippet->inputs, snippet_has_torch(snippet), &out->names);
    if (snippet->setup && !snippet->plain)
        declare_names(snippet->setup, snippet->cplusplus, &out->names);
    out->inputs = mem_array(bool, out->names.count);
    for (size_t i = 0; i < out->names.count; i++) {
        const char *name = out->names.items[i].text;
        out->inputs[i] = declare_mentions(snippet->stmt, name) ||
                         macros_mention(snippet->setup, name) ||
                         macros_mention(snippet->global_setup, name);
    }
    if (snippet->stmt && declare_expression(snippet->stmt, &start, &size))
        out->expression = mem_text_n(start, size);
}

static void add_launderer(struct text *out, const struct name *name, bool in_memory)
{
    text_format(out, "%s(%s);\n", in_memory ? "BILANX_LAUNDER_MEMORY_" : "BILANX_LAUNDER",
                name->text);
}

// Adds code that runs once, after the setup.
static void add_launderers(struct text *out, const struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        add_launderer(out, &names->items[i], names->items[i].lasting);
    text_add(out, "BILANX_CLOBBER();\n");
}

// Adds code that runs before each execution. No memory clobber: it would reload everything.
static void add_inputs(struct text *out, const struct reading *reading)
{
    size_t in_registers = 0;
    for (size_t i = 0; i < reading->names.count; i++) {
        const struct name *name = &reading->names.items[i];
        if (!reading->inputs[i])
            continue;
        bool in_memory = name->lasting || in_registers == IN_REGISTERS;
        add_launderer(out, name, in_memory);
        in_registers += !in_memory;
    }
}

static void add_statement(struct text *out, const struct snippet *snippet, size_t place,
                          const struct reading *reading)
{
    text_add(out, "{\n");
    add_inputs(out, reading);
    if (snippet_says_nothing(
            snippet->stmt))  // the empty loop is what is measured and must not be removed
        text_add(out, "__asm__ volatile(\"\");\n");
    else if (!reading->expression || snippet->plain)
        add_text(out, place, "statement", snippet->stmt, ";");
    else if (snippet->cplusplus)
        add_kept_cplusplus(out, place, reading->expression);
    else
        add_kept_c(out, place, reading->expression);
    text_add(out, "}\n");
}

static void add_variant(struct text *out, const struct snippet *snippet, size_t place,
                        const struct snippet_variant *variant, const struct reading *reading)
{
    char symbol[64];
    text_format(out,
                "\n%s__attribute__((noinline, visibility(\"default\")))\n"
                "void %s(struct bilanx_loop *bilanx_loop_);\n"
                "void %s(struct bilanx_loop *bilanx_loop_)\n{\n"
                "uint64_t bilanx_n_ = 0, bilanx_i_ = 0;\n",
                snippet->cplusplus ? "extern \"C\" " : "", snippet_symbol(variant, place, symbol),
                symbol);
    if (snippet->inputs)
        snippet_inputs_write(snippet->inputs, snippet_has_torch(snippet), out);
    add_text(out, place, "setup", snippet->setup, ";");
    if (!snippet->plain)
        add_launderers(out, &reading->names);
    text_add(out, "while ((bilanx_n_ = bilanx_next_(bilanx_loop_, bilanx_n_ - bilanx_i_)) != 0) {\n"
                  "BILANX_ROLLED_ for (bilanx_i_ = 0; bilanx_i_ < bilanx_n_; bilanx_i_++) {\n");
    for (unsigned i = 0; i < variant->copies; i++)
        add_statement(out, snippet, place, reading);
    if (variant->barrier) {
        add_inputs(out, reading);  // their cost is not the statement's
        text_add(out, "__asm__ volatile(\"\");\n");
    }
    text_add(out, "}\n");
    add_text(out, place, "sync", snippet->sync, ";");
    text_add(out, "}\n}\n");
}

// A text without calls and words in capitals needs no libc header, and parsing those takes longer
// than compiling most statements.
static bool calls(const char *text)
{
    char before = ' ';
    for (; text && *text; before = *text++) {
        bool starts_word = !isalnum((unsigned char)before) && before != '_';
        if (*text == '(' || (starts_word && isupper((unsigned char)*text)))
            return true;
    }
    return false;
}

bool snippet_has_torch(const struct snippet *snippet)
{
    return snippet->cplusplus && snippet->recipe && strstr(snippet->recipe, "<torch/torch.h>");
}

bool snippet_has_headers(const struct snippet *snippet)
{
    return snippet->cplusplus || snippet->headers || snippet->inputs || snippet->plain ||
           snippet->global_setup || snippet->source || snippet->recipe || calls(snippet->stmt) ||
           calls(snippet->setup) || calls(snippet->sync);
}

static bool has_directive(const char *text)
{
    for (const char *line = text; line && *line;) {
        if (line[strspn(line, " \t")] == '#')
            return true;
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    return false;
}

// Whether the text has only #include and using lines.
static bool only_includes(const char *text)
{
    for (const char *line = text; line && *line;) {
        const char *start = line + strspn(line, " \t");
        size_t size = strcspn(start, "\n");
        if (size && strncmp(start, "#include", 8) != 0 && strncmp(start, "using ", 6) != 0)
            return false;
        line = start[size] ? start + size + 1 : NULL;
    }
    return true;
}

bool snippet_may_be_joined(const struct snippet *snippet)
{
    return !snippet->source && only_includes(snippet->global_setup) &&
           !has_directive(snippet->setup) && !has_directive(snippet->stmt) &&
           !has_directive(snippet->sync);
}

enum { USUAL_BOOL = 4, USUAL_STD };

static const struct usual {
    const char *macro;
    const char *marks[5];  // in messages
} usual[] = {
    {"MATH", {"/math.h:", "/mathcalls.h:"}},
    {"STDIO", {"/stdio.h:", "/bits/stdio"}},
    {"STDLIB", {"/stdlib.h:", "/bits/stdlib", "/alloca.h:", "/sys/select.h:", "/sys/types.h:"}},
    {"STRING", {"/string.h:", "/strings.h:", "/bits/string"}},
    {"BOOL",
     {"/stdbool.h:", "two or more data types", "identifier before numeric constant",
      "before ‘_Bool’", "before '_Bool'"}},
    {"STD", {"error: reference to"}},
    {"GNU", {"previous declaration", "previous definition", "conflicting"}},
};

const unsigned snippet_all_headers = (1u << sizeof usual / sizeof *usual) - 1;

unsigned snippet_conflicts(const char *diagnostics)
{
    unsigned found = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        for (size_t j = 0; j < sizeof usual->marks / sizeof *usual->marks; j++)
            if (usual[i].marks[j] && strstr(diagnostics, usual[i].marks[j]))
                found |= 1u << i;
    return found;
}

void snippet_write_prelude(const struct snippet *snippet, struct text *out)
{
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (snippet->without >> i & 1)
            text_format(out, "#define BILANX_WITHOUT_%s_\n", usual[i].macro);
    if (snippet_has_headers(snippet))
        text_add(out, "#define BILANX_HEADERS_\n");
    text_add_n(out, (const char *)prelude, sizeof prelude);
    if (snippet->recipe)
        text_add(out, snippet->recipe);
}

uint64_t snippet_named(const struct snippet *snippet)
{
    // One `using namespace std` applies to all of them.
    AUTO(text) struct text all = {0};
    const char *const texts[] = {snippet->global_setup, snippet->setup, snippet->stmt,
                                 snippet->sync};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_format(&all, "%s\n", texts[i] ? texts[i] : "");
    return headers_named(text_get(&all), snippet->cplusplus);
}

void snippet_write_globals(const struct snippet *snippet, struct text *out)
{
    uint64_t named = snippet->named | snippet_named(snippet);
    if (snippet->without >> USUAL_BOOL & 1)
        named &= ~(uint64_t)HEADERS_BOOL;
    if (snippet->without >> USUAL_STD & 1)
        named &= HEADERS_BOOL;
    if (snippet->includes)
        text_add(out, snippet->includes);
    headers_write(named, out);
    if (snippet->inputs)
        snippet_inputs_write_globals(snippet_has_torch(snippet), out);
    add_text(out, 0, "global setup", snippet->global_setup, "");
    if (snippet->source)  // a quote would end a quoted name
        text_format(out, strchr(snippet->source, '"') ? "\n#include <%s>\n" : "\n#include \"%s\"\n",
                    snippet->source);
}

void snippet_write_functions(const struct snippet *snippet, size_t place, struct text *out)
{
    AUTO(reading) struct reading reading = {0};
    read_snippet(snippet, &reading);
    for (size_t i = 0; i < snippet_variant_count; i++)
        if (snippet_has_variant(snippet, &snippet_variants[i]))
            add_variant(out, snippet, place, &snippet_variants[i], &reading);
}

void snippet_write(const struct snippet *snippet, struct text *out)
{
    snippet_write_prelude(snippet, out);
    snippet_write_globals(snippet, out);
    snippet_write_functions(snippet, 0, out);
}
