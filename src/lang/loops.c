// loops: the machine code of a snippet's counted loop.
//
// A loop is what lies between a backward jump and its target. The outer loop of a snippet calls
// `next` through a pointer; the counted loop is the largest one that does not.
#include "loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/list.h"
#include "base/mem.h"
#include "snippet.h"

struct instruction {
    unsigned long address, target;  // target 0: no jump within the function
    const char *text;
    bool calls_next;
};

struct function {
    struct instruction *code;
    size_t count;
};

static void function_done(struct function *function)
{
    free(function->code);
}
SCOPE_VALUE(function, function_done)

static bool read_instruction(char *line, struct instruction *out)
{
    char *text;
    *out = (struct instruction){.address = strtoul(line, &text, 16)};
    if (*text != ':' || text == line)
        return false;
    out->text = text + 1 + strspn(text + 1, " \t");
    // "jne    1130 <bilanx_copies1_shift0+0x20>", "call   *(%rbx)", "blr    x1"
    const char *mark = strstr(out->text, " <bilanx_");
    const char *digits = mark;
    while (digits && digits > out->text && digits[-1] != ' ' && digits[-1] != '\t')
        digits--;
    bool call = text_starts(out->text, "call") || text_starts(out->text, "bl");
    if (digits && !call)
        out->target = strtoul(digits, NULL, 16);
    out->calls_next = text_starts(out->text, "call") ? strchr(out->text, '*') != NULL
                                                     : text_starts(out->text, "blr");
    return true;
}

static struct bilanx_error disassemble(const char *object, struct list *lines)
{
    const char *argv[] = {"objdump", "-d", "--no-show-raw-insn", object, NULL};
    AUTO(text) struct text listing = {0};
    int status = 0;
    BILANX_TRY(capture_run(argv, NULL, 20, &listing, &status));
    if (status != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "objdump cannot read '%s'", object);
    list_split_lines(lines, text_get(&listing));
    return BILANX_SUCCESS;
}

// The instructions below the line "0000000000001130 <symbol>:", up to an empty one.
static void read_function(const struct list *lines, const char *symbol, struct function *out)
{
    AUTO(memory) char *title = mem_format("<%s>:", symbol);
    size_t i = 0;
    while (i < lines->count && !strstr(lines->items[i], title))
        i++;
    out->code = mem_array(struct instruction, lines->count);
    for (i++; i < lines->count && lines->items[i][0]; i++)
        out->count += read_instruction(lines->items[i], &out->code[out->count]);
}

// The counted loop as a range of instructions; first > last when there is none.
static void find_loop(const struct function *function, size_t *first, size_t *last)
{
    *first = 1;
    *last = 0;
    size_t largest = 0;
    for (size_t end = 0; end < function->count; end++) {
        unsigned long target = function->code[end].target;
        if (!target || target > function->code[end].address)
            continue;
        size_t start = end;
        bool calls_next = false;
        while (start > 0 && function->code[start].address > target)
            calls_next |= function->code[start--].calls_next;
        calls_next |= function->code[start].calls_next;
        if (!calls_next && end - start + 1 > largest) {
            largest = end - start + 1;
            *first = start;
            *last = end;
        }
    }
}

struct bilanx_error loops_disassemble(const char *object, const char *symbol, struct text *out)
{
    AUTO(list) struct list lines = {0};
    AUTO(function) struct function function = {0};
    BILANX_TRY(disassemble(object, &lines));
    read_function(&lines, symbol, &function);
    size_t first, last;
    find_loop(&function, &first, &last);
    for (size_t i = first; i <= last; i++)
        text_format(out, "%6lx:  %s\n", function.code[i].address, function.code[i].text);
    return BILANX_SUCCESS;
}

// The operations of a loop without their operands: registers may differ where nothing else does.
static void operations(const struct list *lines, const char *symbol, struct text *out)
{
    AUTO(function) struct function function = {0};
    read_function(lines, symbol, &function);
    size_t first, last;
    find_loop(&function, &first, &last);
    for (size_t i = first; i <= last; i++)
        text_format(out, "%.*s ", (int)strcspn(function.code[i].text, " \t"),
                    function.code[i].text);
}

struct bilanx_error loops_removed(const char *object, bool *out)
{
    char symbol[64];
    AUTO(list) struct list lines = {0};
    AUTO(text) struct text statement = {0}, empty = {0};
    BILANX_TRY(disassemble(object, &lines));
    snippet_symbol(&(struct snippet_variant){.copies = 1}, symbol);
    operations(&lines, symbol, &statement);
    snippet_symbol(&(struct snippet_variant){.barrier = true}, symbol);
    operations(&lines, symbol, &empty);
    *out = statement.size == 0 || strcmp(text_get(&statement), text_get(&empty)) == 0;
    return BILANX_SUCCESS;
}
