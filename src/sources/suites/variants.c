// variants: a block of lines, one benchmark each.
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "code.h"
#include "languages.h"

void variants_done(struct variants *variants)
{
    for (size_t i = 0; i < variants->count; i++) {
        free(variants->items[i].label);
        free(variants->items[i].text);
    }
    free(variants->items);
    list_done(&variants->texts);
    *variants = (struct variants){0};
}

static const char *keep(struct variants *variants, char *text)
{
    list_take(&variants->texts, text);
    return text;
}

// The label and its size in a line such as "# @name"; NULL for other lines.
static const char *label_in(const char *line, size_t size, const char *comment, size_t *label_size)
{
    const char *end = line + size;
    if (!text_starts(line, comment))
        return NULL;
    line += strlen(comment);
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line == end || *line != '@')
        return NULL;
    line++;
    while (end > line && strchr(" \t\r", end[-1]))
        end--;
    *label_size = (size_t)(end - line);
    return line;
}

// How the lines up to the next label are used.
struct section {
    char *label;
    bool is_setup, is_global;
    struct text setup, global_setup;
};

static void section_done(struct section *section)
{
    free(section->label);
    text_done(&section->setup);
    text_done(&section->global_setup);
}

static void start_section(struct section *section, const char *label, size_t size)
{
    free(section->label);
    section->label = mem_text_n(label, size);
    section->is_setup = strcmp(section->label, "setup") == 0;
    section->is_global = strcmp(section->label, "global setup") == 0;
}

// The first variant of the section's label without a line in this language, or a new one.
static struct variant *place_for(struct variants *variants, const struct section *section,
                                 const struct suite_language *language)
{
    for (size_t i = 0; i < variants->count; i++) {
        struct variant *variant = &variants->items[i];
        if (text_equal(variant->label, section->label) && !code_in(&variant->stmt, language))
            return variant;
    }
    mem_grow(variants->items, variants->count, &variants->room);
    struct variant *added = &variants->items[variants->count++];
    *added = (struct variant){.label = mem_text(section->label)};
    return added;
}

static void add_line(struct variants *variants, struct section *section,
                     const struct suite_language *language, const char *line, size_t size)
{
    if (section->is_setup || section->is_global) {
        struct text *to = section->is_setup ? &section->setup : &section->global_setup;
        text_add_n(to, line, size);
        text_add_char(to, '\n');
        return;
    }
    AUTO(memory) char *copy = mem_text_n(line, size);
    char *tidy = code_tidy(copy);
    bool nothing = !*tidy || text_starts(tidy, language->comment);
    if (nothing) {
        free(tidy);
        return;
    }
    struct variant *variant = place_for(variants, section, language);
    if (!variant->text)
        variant->text = mem_text(tidy);
    code_set(&variant->stmt, language, keep(variants, tidy));
}

static struct bilanx_error parse_block(struct variants *variants, const char *block,
                                       const struct suite_language *language, size_t *fault)
{
    struct section section = {0};
    struct bilanx_error error = BILANX_SUCCESS;
    for (const char *line = block; *line; line += *line == '\n') {
        size_t size = strcspn(line, "\n"), label_size = 0;
        size_t indent = strspn(line, " \t");
        const char *label =
            indent < size ? label_in(line + indent, size - indent, language->comment, &label_size)
                          : NULL;
        if (label && label_size == 0) {
            *fault = (size_t)(line - block) + indent;
            error = bilanx_error_make(BILANX_E_INPUT, "a label without a name");
            break;
        }
        if (variants->count > VARIANTS_MOST) {
            *fault = (size_t)(line - block);
            error = bilanx_error_make(BILANX_E_INPUT, "a block can have at most %d benchmarks",
                                      VARIANTS_MOST);
            break;
        }
        if (label)
            start_section(&section, label, label_size);
        else
            add_line(variants, &section, language, line, size);
        line += size;
    }
    char *setup = code_take(&section.setup), *global = code_take(&section.global_setup);
    if (setup)
        code_set(&variants->setup, language, keep(variants, setup));
    if (global)
        code_set(&variants->global_setup, language, keep(variants, global));
    section_done(&section);
    return error;
}

// A line that one language has and another lacks is probably misplaced.
static struct bilanx_error check_pairs(const struct variants *variants,
                                       const struct bilanx_suite_code *blocks, const char **at)
{
    for (size_t i = 0; i < variants->count; i++)
        for (size_t k = 0; k < LANGUAGE_COUNT; k++) {
            *at = code_in(blocks, &suite_languages[k]);
            if (*at && !code_in(&variants->items[i].stmt, &suite_languages[k]))
                return bilanx_error_make(BILANX_E_INPUT, "%s has no line for '%.80s'%s%.60s%s",
                                         suite_languages[k].word, variants->items[i].text,
                                         variants->items[i].label ? " under '@" : "",
                                         variants->items[i].label ? variants->items[i].label : "",
                                         variants->items[i].label ? "'" : "");
        }
    return BILANX_SUCCESS;
}

static void mark_alone(struct variants *variants)
{
    for (size_t i = 0; i < variants->count; i++) {
        size_t same = 0;
        for (size_t k = 0; k < variants->count; k++)
            same += text_equal(variants->items[i].label, variants->items[k].label);
        variants->items[i].alone = same == 1;
    }
}

struct bilanx_error variants_parse(const struct bilanx_suite_code *blocks, struct variants *out,
                                   const char **at, size_t *fault)
{
    *fault = 0;
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        *at = code_in(blocks, &suite_languages[i]);
        if (*at)
            BILANX_TRY(parse_block(out, *at, &suite_languages[i], fault));
    }
    BILANX_TRY(check_pairs(out, blocks, at));
    if (out->count == 0) {
        for (size_t i = 0; i < LANGUAGE_COUNT && !*at; i++)
            *at = code_in(blocks, &suite_languages[i]);
        return bilanx_error_make(BILANX_E_INPUT, "the block has no line to measure");
    }
    mark_alone(out);
    return BILANX_SUCCESS;
}
