// compare_functions: differences between two files by function.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/want.h"
#include "core/record/variants.h"
#include "difference.h"
#include "shown_names.h"
#include "sides.h"

static const struct bilanx_functions_options defaults = {0};

struct comparison {
    const struct bilanx_functions_options *options;
    struct counts_side a, b;
    struct text out;
    struct table csv;  // one table for all cases
    struct json_writer json;
};

// Programs get the names of the record, or standard ones.
static bool is_for_programs(const struct bilanx_functions_options *options)
{
    return options->format == BILANX_JSON || options->format == BILANX_CSV;
}

static struct bilanx_functions prepare(const struct bilanx_counts *counts, double scale,
                                       const struct bilanx_functions_options *options)
{
    struct bilanx_functions functions = bilanx_functions_of(counts, options->inclusive);
    if (options->denoise) {
        struct bilanx_functions quiet = bilanx_functions_denoise(&functions);
        bilanx_functions_done(&functions);
        functions = quiet;
    }
    if (options->standardize && is_for_programs(options)) {
        struct bilanx_functions standard = bilanx_functions_standardized(&functions);
        bilanx_functions_done(&functions);
        functions = standard;
    }
    if (scale != 1) {
        struct bilanx_functions scaled = bilanx_functions_scale(&functions, scale);
        bilanx_functions_done(&functions);
        functions = scaled;
    }
    return functions;
}

// The counts that denoising removed are also missing from the functions' total.
static double total_of(const struct bilanx_counts *counts, const struct bilanx_functions *functions,
                       double scale, const struct bilanx_functions_options *options)
{
    return options->denoise && !options->inclusive ? bilanx_functions_sum(functions)
                                                   : counts->instructions * scale;
}

// Compares per iteration if the numbers of iterations differ.
static bool by_iteration(const struct side_case *left)
{
    uint64_t a = left->counts.number, b = left->partner->counts.number;
    return a != b && a && b;
}

// Whether both count the same variants of glibc's functions, as far as known.
static bool has_same_variants(const struct side_case *left)
{
    const char *a = left->variants, *b = left->partner->variants;
    return !a || !b || variants_equal(a, b);
}

static void add_variants(struct comparison *comparison, const struct side_case *left)
{
    if (has_same_variants(left))
        return;
    AUTO(text) struct text line = {0};
    text_format(&line, "counts are of different variants of glibc's functions: %s before, %s after",
                left->variants, left->partner->variants);
    text_add_harmless(&comparison->out, text_get(&line));
    text_add(&comparison->out, comparison->options->format == BILANX_MARKDOWN ? "\n\n" : "\n");
}

static void add_heading(struct comparison *comparison, const struct side_case *left)
{
    const struct bilanx_functions_options *options = comparison->options;
    bool markdown = options->format == BILANX_MARKDOWN;
    AUTO(text) struct text title = {0}, heading = {0};
    text_add_harmless(&title, left->title);
    if (title.size) {
        tone_add(&heading, options->color && !markdown, TABLE_BOLD, text_get(&title));
        text_format(&comparison->out, "%s%s\n", markdown ? "### " : "", text_get(&heading));
    }
    text_format(&comparison->out, "instructions by function%s%s%s%s%s\n%s",
                options->inclusive ? ", including callees" : "",
                options->standardize ? ", names standardized" : "",
                options->denoise ? ", without functions known to vary" : "",
                by_iteration(left) ? ", per iteration" : "",
                left->alike ? "" : "; setup, compilation or run differ", markdown ? "\n" : "");
    add_variants(comparison, left);
}

static void add_table(struct comparison *comparison, const struct side_case *left,
                      const struct bilanx_difference *difference,
                      const struct difference_totals *totals)
{
    const struct bilanx_functions_options *options = comparison->options;
    if (options->format == BILANX_CSV) {
        difference_rows(difference, totals, options, left->title, &comparison->csv);
        return;
    }
    AUTO(table) struct table table = {0};
    add_heading(comparison, left);
    difference_columns(&table, false);
    difference_rows(difference, totals, options, NULL, &table);
    table_print(&table, (struct table_look){options->format, options->color}, &comparison->out);
    text_add_char(&comparison->out, '\n');
}

static void add_json(struct comparison *comparison, const struct side_case *left,
                     const struct bilanx_difference *difference,
                     const struct difference_totals *totals)
{
    struct json_writer *json = &comparison->json;
    writer_open(json, '{');
    if (*left->title)
        writer_key_text(json, "title", left->title);
    writer_key(json, "same_task");
    writer_bool(json, left->alike);
    writer_key(json, "per_iteration");
    writer_bool(json, by_iteration(left));
    if (!has_same_variants(left)) {
        writer_key(json, "variants");
        writer_open(json, '[');
        writer_text(json, left->variants);
        writer_text(json, left->partner->variants);
        writer_close(json, ']');
    }
    difference_json(difference, totals, comparison->options->minimum, json);
    writer_close(json, '}');
}

static struct bilanx_error add_pair(struct comparison *comparison, const struct side_case *left)
{
    const struct bilanx_functions_options *options = comparison->options;
    const struct side_case *right = left->partner;
    double scales[] = {1, 1};
    if (by_iteration(left)) {
        scales[0] = 1 / (double)left->counts.number;
        scales[1] = 1 / (double)right->counts.number;
    }
    AUTO(bilanx_functions) struct bilanx_functions before =
        prepare(&left->counts, scales[0], options);
    AUTO(bilanx_functions) struct bilanx_functions after =
        prepare(&right->counts, scales[1], options);
    AUTO(bilanx_difference) struct bilanx_difference difference = {0};
    if (is_for_programs(options)) {
        BILANX_TRY(bilanx_functions_difference(&before, &after, &difference));
    } else {
        AUTO(bilanx_functions) struct bilanx_functions shown_before = {0}, shown_after = {0};
        functions_show(&before, &after, options->standardize, &shown_before, &shown_after);
        BILANX_TRY(bilanx_functions_difference(&shown_before, &shown_after, &difference));
    }
    struct difference_totals totals = {
        total_of(&left->counts, &before, scales[0], options),
        total_of(&right->counts, &after, scales[1], options),
    };
    if (options->format == BILANX_JSON)
        add_json(comparison, left, &difference, &totals);
    else
        add_table(comparison, left, &difference, &totals);
    return BILANX_SUCCESS;
}

static void add_lonely_line(struct comparison *comparison, const struct counts_side *side,
                            const char *title)
{
    AUTO(text) struct text line = {0};
    text_format(&line, "%sonly in '%s': %s",
                comparison->options->format == BILANX_MARKDOWN ? "- " : "", side->name, title);
    text_add_harmless(&comparison->out, text_get(&line));
    text_add_char(&comparison->out, '\n');
}

static void add_lonely_row(struct comparison *comparison, const char *title, const char *where)
{
    struct table *csv = &comparison->csv;
    table_row(csv);
    table_cell(csv, TABLE_PLAIN, "%s", title);
    for (int i = 0; i < 4; i++)
        table_cell(csv, TABLE_PLAIN, "%s", "");
    table_cell(csv, TABLE_PLAIN, "%s", where);
}

// Lists the cases without a partner.
static void add_lonely(struct comparison *comparison, const struct counts_side *side,
                       const char *where)
{
    enum bilanx_output_format format = comparison->options->format;
    if (format == BILANX_JSON) {
        writer_key(&comparison->json, where);
        writer_open(&comparison->json, '[');
    }
    for (size_t i = 0; i < side->count; i++) {
        const char *title = side->cases[i].title;
        if (side->cases[i].partner)
            continue;
        if (format == BILANX_JSON)
            writer_text(&comparison->json, title);
        else if (format == BILANX_CSV)
            add_lonely_row(comparison, title, where);
        else
            add_lonely_line(comparison, side, title);
    }
    if (format == BILANX_JSON)
        writer_close(&comparison->json, ']');
}

static void open_json(struct comparison *comparison)
{
    struct json_writer *json = &comparison->json;
    writer_open(json, '{');
    writer_key_text(json, "before", comparison->a.name);
    writer_key_text(json, "after", comparison->b.name);
    writer_key(json, "inclusive");
    writer_bool(json, comparison->options->inclusive);
    writer_key(json, "standardized");
    writer_bool(json, comparison->options->standardize);
    writer_key(json, "cases");
    writer_open(json, '[');
}

static struct bilanx_error add_pairs(struct comparison *comparison)
{
    size_t pairs = 0;
    for (size_t i = 0; i < comparison->a.count; i++)
        if (comparison->a.cases[i].partner) {
            BILANX_TRY(add_pair(comparison, &comparison->a.cases[i]));
            pairs++;
        }
    if (pairs == 0)
        return bilanx_error_make(
            BILANX_E_INPUT,
            "'%s' and '%s' have no case in common: the first has '%.60s', the second '%.60s'",
            comparison->a.name, comparison->b.name, comparison->a.cases[0].title,
            comparison->b.cases[0].title);
    return BILANX_SUCCESS;
}

static void add_parts(struct comparison *comparison, const struct counts_side *side)
{
    AUTO(text) struct text line = {0};
    if (side->parts < 2)
        return;
    text_format(&line, "'%s' has %zu parts, which are added up here", side->name, side->parts);
    text_add_harmless(&comparison->out, text_get(&line));
    text_add_char(&comparison->out, '\n');
}

static struct bilanx_error render(struct comparison *comparison)
{
    enum bilanx_output_format format = comparison->options->format;
    if (format == BILANX_JSON)
        open_json(comparison);
    if (format == BILANX_CSV)
        difference_columns(&comparison->csv, true);
    BILANX_TRY(add_pairs(comparison));
    if (format == BILANX_JSON)
        writer_close(&comparison->json, ']');
    add_lonely(comparison, &comparison->a, "only_before");
    add_lonely(comparison, &comparison->b, "only_after");
    if (format == BILANX_CSV) {
        table_print(&comparison->csv,
                    (struct table_look){format, .csv_safe = comparison->options->csv_safe},
                    &comparison->out);
    } else if (format == BILANX_JSON) {
        writer_close(&comparison->json, '}');
        text_add_char(&comparison->out, '\n');
    } else {
        add_parts(comparison, &comparison->a);
        add_parts(comparison, &comparison->b);
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error read_and_render(const char *path_a, const char *path_b,
                                           struct comparison *comparison)
{
    BILANX_TRY(counts_side_read(path_a, &comparison->a));
    BILANX_TRY(counts_side_read(path_b, &comparison->b));
    if (comparison->a.records != comparison->b.records)
        return bilanx_error_make(
            BILANX_E_USAGE, "'%s' is a %s file and '%s' a %s file: compare two of the same kind",
            comparison->a.name, comparison->a.records ? "record" : "callgrind", comparison->b.name,
            comparison->b.records ? "record" : "callgrind");
    sides_pair(&comparison->a, &comparison->b);
    return render(comparison);
}

struct bilanx_error bilanx_functions_compare(const char *path_a, const char *path_b,
                                             const struct bilanx_functions_options *options,
                                             FILE *out)
{
    WANT(path_a);
    WANT(path_b);
    WANT(out);
    struct comparison comparison = {.options = options ? options : &defaults};
    comparison.json.out = &comparison.out;
    struct bilanx_error error = read_and_render(path_a, path_b, &comparison);
    if (error.status == BILANX_OK &&
        (fputs(text_get(&comparison.out), out) < 0 || fflush(out) != 0))
        error =
            bilanx_error_make(BILANX_E_SYSTEM, "cannot write the differences: %s", strerror(errno));
    counts_side_done(&comparison.a);
    counts_side_done(&comparison.b);
    table_done(&comparison.csv);
    text_done(&comparison.out);
    return error;
}
