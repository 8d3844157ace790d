// loops: finds the machine code of a snippet's counted loop.
//
// A loop lies between a backward jump and its target. The outer loop of a snippet calls
// bilanx_next_(). The counted loop is the largest one that does not call it and is reachable from
// that call, which excludes loops in the setup.
#include "loops.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/capture.h"
#include "base/mem.h"
#include "snippet.h"

struct instruction {
    unsigned long address, target;  // target 0: no jump within the function
    const char *text;
    bool calls_next;
    bool ends;      // control does not continue with the next instruction
    bool anywhere;  // a jump through a table
    bool reached;   // from bilanx_next_()
    bool constant;  // reads a value that the compiler computed
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

// "jmp", "bnd jmp", "notrack jmp", "repz ret", "b", "br"
static void read_ending(struct instruction *out)
{
    char word[12] = "";
    const char *at = out->text;
    do
        at += strspn(at, " \t");
    while (sscanf(at, "%11s", word) == 1 && (at += strlen(word)) &&
           (strcmp(word, "bnd") == 0 || strcmp(word, "notrack") == 0 || text_starts(word, "rep")));
    out->anywhere = (strcmp(word, "jmp") == 0 && strchr(at, '*')) || strcmp(word, "br") == 0;
    out->ends = out->anywhere || strcmp(word, "jmp") == 0 || strcmp(word, "b") == 0 ||
                text_starts(word, "ret") || strcmp(word, "ud2") == 0;
}

static bool read_instruction(char *line, struct instruction *out)
{
    char *text;
    *out = (struct instruction){.address = strtoul(line, &text, 16)};
    if (*text != ':' || text == line)
        return false;
    out->text = text + 1 + strspn(text + 1, " \t");
    // "jne    1130 <bilanx_copies1+0x20>", "call   1100 <bilanx_next_>"
    const char *mark = strstr(out->text, " <bilanx_");
    const char *digits = mark;
    while (digits && digits > out->text && digits[-1] != ' ' && digits[-1] != '\t')
        digits--;
    out->calls_next = strstr(out->text, "bilanx_next_") != NULL;  // mangled in C++
    bool call = out->calls_next || text_starts(out->text, "call") ||
                text_starts(out->text, "bl\t") || text_starts(out->text, "bl ");
    if (digits && !call)
        out->target = strtoul(digits, NULL, 16);
    read_ending(out);
    return true;
}

// "\t\t\t5: R_X86_64_PLT32\tbilanx_next_-0x4": belongs to the preceding instruction of unlinked
// code.
static bool read_relocation(const char *line, struct function *function)
{
    if (!strstr(line, ": R_"))
        return false;
    if (function->count && (strstr(line, "\t.LC") || strstr(line, "\t.rodata.cst")))
        function->code[function->count - 1].constant = true;
    if (function->count && strstr(line, "bilanx_next_")) {
        function->code[function->count - 1].calls_next = true;
        function->code[function->count - 1].target = 0;
    }
    return true;
}

// Disassembling everything at once is cheapest, unless the object contains a library.
enum { LARGE = 200 << 10 };

void loops_done(struct loops *loops)
{
    list_done(&loops->lines);
    *loops = (struct loops){0};
}

static struct bilanx_error disassemble(struct loops *loops, const char *symbol)
{
    struct stat status;
    if (loops->whole)
        return BILANX_SUCCESS;
    loops->whole = stat(loops->object, &status) == 0 && status.st_size < LARGE;
    AUTO(memory) char *one = mem_format("--disassemble=%s", symbol);
    const char *argv[] = {
        "objdump", loops->whole ? "-d" : one, "-r", "--no-show-raw-insn", loops->object, NULL};
    AUTO(text) struct text text = {0};
    int ended = 0;
    BILANX_TRY(
        capture_run(&(struct capture_options){.argv = argv, .timeout_s = 20}, &text, &ended));
    if (ended != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "objdump cannot read '%s'", loops->object);
    list_done(&loops->lines);
    list_split_lines(&loops->lines, text_get(&text));
    return BILANX_SUCCESS;
}

// Reads the instructions after the line "0000000000001130 <symbol>:", up to an empty line.
static struct bilanx_error read_function(struct loops *loops, const char *symbol,
                                         struct function *out)
{
    BILANX_TRY(disassemble(loops, symbol));
    AUTO(memory) char *title = mem_format("<%s>:", symbol);
    char **line = loops->lines.items;
    while (line && *line && (**line == ' ' || !strstr(*line, title)))
        line++;
    if (!line || !*line)
        return bilanx_error_make(BILANX_E_INPUT, "'%s' has no '%s'", loops->object, symbol);
    out->code = mem_array(struct instruction, loops->lines.count);
    for (line++; *line && **line; line++)
        if (!read_relocation(*line, out))
            out->count += read_instruction(*line, &out->code[out->count]);
    return BILANX_SUCCESS;
}

struct trail {
    struct function *function;
    size_t *open;  // reached, but not followed yet
    size_t count;
};

static void reach(struct trail *trail, size_t index)
{
    if (index >= trail->function->count || trail->function->code[index].reached)
        return;
    trail->function->code[index].reached = true;
    trail->open[trail->count++] = index;
}

static size_t index_of(const struct function *function, unsigned long address)
{
    size_t low = 0, high = function->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (function->code[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < function->count && function->code[low].address == address ? low : SIZE_MAX;
}

// Marks the instructions that can execute after bilanx_next_() was called.
static void follow_next(struct function *function)
{
    struct trail trail = {.function = function, .open = mem_array(size_t, function->count + 1)};
    size_t first = function->count;
    for (size_t i = function->count; i-- > 0;)
        if (function->code[i].calls_next) {
            reach(&trail, i);
            first = i;
        }
    while (trail.count) {
        size_t at = trail.open[--trail.count];
        const struct instruction *code = &function->code[at];
        if (!code->ends)
            reach(&trail, at + 1);
        if (code->target)
            reach(&trail, index_of(function, code->target));
        for (size_t i = first; code->anywhere && i < function->count; i++)
            reach(&trail, i);
    }
    free(trail.open);
}

// Whether bilanx_next_() may be called again from here on; not so in loops of destructors.
static bool leads_to_next(const struct function *function, size_t from)
{
    AUTO(memory) bool *seen = mem_array(bool, function->count + 1);
    AUTO(memory) size_t *open = mem_array(size_t, 2 * function->count + 2);
    size_t count = 0;
    open[count++] = from;
    while (count) {
        size_t at = open[--count];
        if (at >= function->count || seen[at])
            continue;
        const struct instruction *code = &function->code[at];
        if (code->calls_next || code->anywhere)
            return true;
        seen[at] = true;
        if (!code->ends)
            open[count++] = at + 1;
        if (code->target)
            open[count++] = index_of(function, code->target);
    }
    return false;
}

// Finds the counted loop as a range of instructions; first > last if there is none.
static void find_loop(struct function *function, size_t *first, size_t *last)
{
    follow_next(function);
    *first = 1;
    *last = 0;
    size_t largest = 0;
    for (size_t end = 0; end < function->count; end++) {
        unsigned long target = function->code[end].target;
        if (!function->code[end].reached || !target || target > function->code[end].address)
            continue;
        size_t start = end;
        bool calls_next = false;
        while (start > 0 && function->code[start].address > target)
            calls_next |= function->code[start--].calls_next;
        calls_next |= function->code[start].calls_next;
        if (!calls_next && end - start + 1 > largest && leads_to_next(function, end)) {
            largest = end - start + 1;
            *first = start;
            *last = end;
        }
    }
}

struct bilanx_error loops_disassemble(const char *object, const char *symbol, struct text *out)
{
    AUTO(loops) struct loops loops = {.object = object};
    AUTO(function) struct function function = {0};
    BILANX_TRY(read_function(&loops, symbol, &function));
    size_t first, last;
    find_loop(&function, &first, &last);
    for (size_t i = first; i <= last; i++)
        text_format(out, "%6lx:  %s\n", function.code[i].address, function.code[i].text);
    return BILANX_SUCCESS;
}

// Whether it only copies a variable: "mov %ebp,%eax", "movsd 0x8(%rsp),%xmm0", "ldr x0, [sp, #8]".
static bool only_moves(const char *text)
{
    if (text_starts(text, "ldr") || text_starts(text, "str"))
        return strstr(text, "[sp") != NULL;
    const char *memory = strchr(text, '(');
    return (text_starts(text, "mov") || text_starts(text, "fmov")) && !strpbrk(text, "$#[") &&
           (!memory || text_starts(memory, "(%rsp)"));
}

// A precomputed value may be loaded in each iteration, as with gcc -O1. Between copies the compiler
// may move laundered variables.
static bool leaves_no_trace(const struct instruction *instruction, bool moves)
{
    return (instruction->constant && text_starts(instruction->text, "mov")) ||
           (!moves && only_moves(instruction->text));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Lists the operations of a loop, sorted and without operands: registers, and the order in which
// they are moved, may differ even if nothing else does. Omits register moves without `moves`.
static struct bilanx_error operations(struct loops *loops, const struct snippet_variant *variant,
                                      size_t place, bool moves, struct text *out)
{
    char symbol[64];
    AUTO(function) struct function function = {0};
    AUTO(list) struct list names = {0};
    BILANX_TRY(read_function(loops, snippet_symbol(variant, place, symbol), &function));
    size_t first, last;
    find_loop(&function, &first, &last);
    for (size_t i = first; i <= last; i++)
        if (!leaves_no_trace(&function.code[i], moves))
            list_take(&names,
                      mem_text_n(function.code[i].text, strcspn(function.code[i].text, " \t")));
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    for (size_t i = 0; i < names.count; i++)
        text_format(out, "%s ", names.items[i]);
    return BILANX_SUCCESS;
}

struct bilanx_error loops_removed(struct loops *loops, size_t place, bool *out)
{
    // Checks several copies too: with one copy, an addition may have replaced the loop counter.
    static const struct snippet_variant barrier = {.barrier = true},
                                        variants[] = {{.copies = 1}, {.copies = 8}};
    bool removed = true;
    for (size_t i = 0; removed && i < sizeof variants / sizeof *variants; i++) {
        AUTO(text) struct text empty = {0}, loop = {0};
        bool moves = variants[i].copies == 1;
        BILANX_TRY(operations(loops, &barrier, place, moves, &empty));
        BILANX_TRY(operations(loops, &variants[i], place, moves, &loop));
        removed = loop.size == 0 || strcmp(text_get(&loop), text_get(&empty)) == 0;
    }
    *out = removed;
    return BILANX_SUCCESS;
}
