// snippet_inputs: parameters and tensors that are in a statement's scope by name.
//
// They are not const: like the variables of a setup they are laundered before each execution, so
// that nothing that depends on them is moved out of the loop.
#include "snippet_inputs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/mem.h"
#include "inputs_prelude.h"
#include "torch_inputs_prelude.h"

// The declaration of one input; %s is its name and %zu its index. There are two if there are two
// names.
static const struct {
    const char *word;
    const char *names[2];
    const char *declarations[2];
    const char *with_torch;  // instead, under its own name; NULL: the same
} kinds[] = {
    {"integer", {"%s"}, {"long %s = bilanx_loop_->inputs[%zu].integer;\n"}, NULL},
    {"real", {"%s"}, {"double %s = bilanx_loop_->inputs[%zu].real;\n"}, NULL},
    {"tensor",
     {"%s"},
     {"DLTensor *%s = bilanx_loop_->inputs[%zu].tensor;\n"},
     "at::Tensor %s = bilanx_tensor_(bilanx_loop_->inputs[%zu]);\n"},
    {"sparse",
     {"%s_indices", "%s_values"},
     {"DLTensor *%s_indices = bilanx_loop_->inputs[%zu].indices;\n",
      "DLTensor *%s_values = bilanx_loop_->inputs[%zu].tensor;\n"},
     "at::Tensor %s = bilanx_tensor_(bilanx_loop_->inputs[%zu]);\n"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

void snippet_inputs_write_globals(bool torch, struct text *out)
{
    text_add_n(out, (const char *)inputs_prelude, sizeof inputs_prelude);
    if (torch)
        text_add_n(out, (const char *)torch_inputs_prelude, sizeof torch_inputs_prelude);
}

// Splits "tensor x"; returns KINDS for a word that is no kind.
static size_t kind_of(const char *line, const char **name)
{
    size_t size = strcspn(line, " "), kind = 0;
    *name = line[size] ? line + size + 1 : "";
    while (kind < KINDS &&
           !(strlen(kinds[kind].word) == size && strncmp(kinds[kind].word, line, size) == 0))
        kind++;
    return kind;
}

void snippet_inputs_write(const char *inputs, bool torch, struct text *out)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, inputs);
    for (size_t i = 0; i < lines.count; i++) {
        const char *name;
        size_t kind = kind_of(lines.items[i], &name);
        if (kind < KINDS && torch && kinds[kind].with_torch)
            text_format(out, kinds[kind].with_torch, name, i);
        else
            for (size_t j = 0; kind < KINDS && j < 2 && kinds[kind].declarations[j]; j++)
                text_format(out, kinds[kind].declarations[j], name, i);
    }
}

static void add_name(struct names *out, char *text)
{
    mem_grow(out->items, out->count, &out->room);
    out->items[out->count++] = (struct name){.text = text};
}

void snippet_inputs_names(const char *inputs, bool torch, struct names *out)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, inputs);
    for (size_t i = 0; i < lines.count; i++) {
        const char *name;
        size_t kind = kind_of(lines.items[i], &name);
        if (kind < KINDS && torch && kinds[kind].with_torch)
            add_name(out, mem_text(name));
        else
            for (size_t j = 0; kind < KINDS && j < 2 && kinds[kind].names[j]; j++)
                add_name(out, mem_format(kinds[kind].names[j], name));
    }
}

// A line of the compiler's such as "setup:1:5: error: redefinition of 'x'".
static bool is_clash(const char *line)
{
    static const char *const phrases[] = {"redefinition of", "conflicting types for", "redeclared",
                                          "conflicting declaration", "redeclaration of"};
    if (!strstr(line, "error: "))
        return false;
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (strstr(line, phrases[i]))
            return true;
    return false;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Whether a name is a word of a message. Compilers quote with characters of any kind.
static bool names_it(const char *line, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at++)
        if ((at == line || !is_word(at[-1])) && !is_word(at[size]))
            return true;
    return false;
}

struct bilanx_error snippet_inputs_explain(const char *inputs, bool torch, const char *diagnostics,
                                           struct bilanx_error error)
{
    if (error.status != BILANX_E_COMPILE)
        return error;
    const char *fatal = strstr(diagnostics, "fatal error: ");
    if (fatal && memmem(fatal, strcspn(fatal, "\n"), "dlpack/dlpack.h", 15))
        return bilanx_error_make(BILANX_E_COMPILE,
                                 "inputs need the header <dlpack/dlpack.h>, which the compiler "
                                 "cannot find: apt-get install libdlpack-dev");
    AUTO(list) struct list lines = {0};
    AUTO(names) struct names names = {0};
    list_split_lines(&lines, diagnostics);
    snippet_inputs_names(inputs, torch, &names);
    for (size_t i = 0; i < lines.count; i++)
        for (size_t j = 0; j < names.count && is_clash(lines.items[i]); j++)
            if (names_it(strstr(lines.items[i], "error: "), names.items[j].text))
                return bilanx_error_make(BILANX_E_COMPILE,
                                         "'%s' is an input, and the setup declares it again: give "
                                         "the setup's variable another name",
                                         names.items[j].text);
    return error;
}
