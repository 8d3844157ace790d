// ops_list: lists the operators of logs, and which of them backends support.
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/show/complain.h"
#include "inputs/operators/operator_list.h"
#include "ops_report.h"
#include "sources/torch_module/torch_module.h"

int ops_list(const struct ops_arguments *arguments, const struct operator_log *log)
{
    AUTO(table) struct table table = {0};
    AUTO(text) struct text out = {0};
    bool exact = arguments->shown.format == BILANX_CSV;
    operator_log_tabulate(log, exact, &table);
    table_print(&table, show_look(&arguments->shown), &out);
    if (arguments->shown.format == BILANX_TABLE) {
        text_add(&out, "\n");
        operator_log_summarize(log, &out);
        text_add(&out, "\n");
    }
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}

// "aten.add.Tensor" is "add.Tensor", and "aten.relu.default" is "relu". No two get the same name:
// other namespaces keep theirs.
static char *brief_name(const char *name)
{
    static const char prefix[] = "aten.", suffix[] = ".default";
    if (!text_starts(name, prefix))
        return mem_text(name);
    name += strlen(prefix);
    size_t size = strlen(name), end = strlen(suffix);
    bool usual = size > end && strcmp(name + size - end, suffix) == 0;
    return mem_text_n(name, usual ? size - end : size);
}

static void add_support(const struct ops *ops, const struct ops_operator *of, bool brief,
                        struct table *table)
{
    AUTO(memory) char *name = brief ? brief_name(of->logged->name) : mem_text(of->logged->name);
    table_row(table);
    table_cell(table, TABLE_PLAIN, "%s", name);
    table_cell(table, TABLE_PLAIN, "%llu", (unsigned long long)of->logged->count);
    for (size_t b = 0; b < ops->backends.count; b++) {
        bool yes = of->sample_count && of->samples[0].times[b].state == OPS_MEASURED;
        table_cell(table, yes ? TABLE_GOOD : TABLE_DIM, "%s", yes ? "yes" : "-");
    }
}

static void tabulate_support(const struct ops *ops, bool brief, struct table *table)
{
    table_keep_all(table);
    table_column(table, "operator", TABLE_LEFT);
    table_column(table, "calls", TABLE_RIGHT);
    for (size_t b = 0; b < ops->backends.count; b++)
        table_column(table, ops->backends.items[b].name, TABLE_LEFT);
    for (size_t i = 0; i < ops->operator_count; i++)
        add_support(ops, &ops->operators[i], brief, table);
}

static void print_support(const struct ops *ops, struct table_look look, struct text *out)
{
    AUTO(table) struct table table = {0}, narrow = {0};
    tabulate_support(ops, false, &table);
    tabulate_support(ops, true, &narrow);
    bool fits = !look.width || table_width(&table) <= look.width;
    table_print(fits || look.format != BILANX_TABLE ? &table : &narrow, look, out);
}

// Loads each backend separately, so that one that fails reports its own reason.
static struct bilanx_error try_kind(const struct ops_arguments *arguments,
                                    const struct backend_kind *kind, struct text *version)
{
    AUTO(ops) struct ops ops = {.options = arguments->measure};
    AUTO(ops_hosts) struct ops_hosts *hosts = NULL;
    BILANX_TRY(ops_backends_add(&ops.backends, kind->name, NULL));
    BILANX_TRY(ops_hosts_start(&ops, &hosts));
    const char *told = ops.backends.items[0].version;
    text_add(version, told ? told : "ready");
    return BILANX_SUCCESS;
}

// Compiling a backend for PyTorch takes a while, so this says only whether there is one.
static struct bilanx_error find_torch(struct text *where)
{
    AUTO(torch_place) struct torch_place place = {0};
    BILANX_TRY(torch_place_find(&(struct torch_module_options){0}, &place));
    text_format(where, "PyTorch in %s", place.root);
    return BILANX_SUCCESS;
}

// The table already says which backend it is.
static const char *without_subject(const char *text, const char *name)
{
    AUTO(memory) char *subject = mem_format("backend '%s': ", name);
    return text_starts(text, subject) ? text + strlen(subject) : text;
}

// The hint what to install may be long, so it is printed below the table, where no column cuts it.
static void add_kind(const struct ops_arguments *arguments, const struct backend_kind *kind,
                     bool load, struct ops_backends *found, struct table *table,
                     struct text *missing)
{
    AUTO(text) struct text here = {0};
    struct bilanx_error error = BILANX_SUCCESS;
    bool needs_file = strcmp(kind->name, "python") == 0;
    if (needs_file)
        text_add(&here, "python:FILE");
    else
        error = kind->torch && !load ? find_torch(&here) : try_kind(arguments, kind, &here);
    bool failed = error.status != BILANX_OK;
    table_row(table);
    table_cell(table, TABLE_BOLD, "%s", kind->name);
    table_cell(table, TABLE_DIM, "%s", kind->about);
    table_cell(table, failed ? TABLE_WARN : TABLE_GOOD, "%s", failed ? "no" : text_get(&here));
    if (failed) {
        AUTO(memory) char *line =
            mem_format("%s: %s", kind->name, without_subject(error.text, kind->name));
        text_add(missing, "\n");
        text_add_wrapped(missing, 0, terminal_width(STDOUT_FILENO), line);
    }
    if (!failed && !needs_file)
        complain_error(ops_backends_add(found, kind->name, NULL));
}

static struct bilanx_error survey(const struct ops_arguments *arguments,
                                  const struct operator_log *log, struct ops *ops)
{
    AUTO(ops_hosts) struct ops_hosts *hosts = NULL;
    ops->options = arguments->measure;
    ops->options.all_roles = true;
    ops->options.most_samples = 1;
    ops->options.data.max_bytes = 0;
    BILANX_TRY(ops_hosts_start(ops, &hosts));
    BILANX_TRY(ops_plan(ops, log));
    return ops_survey(ops, hosts);
}

int ops_show_backends(const struct ops_arguments *arguments, struct operator_log *log)
{
    AUTO(ops) struct ops ops = {0};
    AUTO(table) struct table table = {0};
    AUTO(text) struct text out = {0}, missing = {0};
    table_column(&table, "backend", TABLE_LEFT);
    table_column(&table, "description", TABLE_WRAP);
    table_column(&table, "on this machine", TABLE_WRAP);
    for (const struct backend_kind *kind = backend_kinds; kind->name; kind++)
        add_kind(arguments, kind, log != NULL, &ops.backends, &table, &missing);
    for (size_t i = 0; i < arguments->backends.count; i++) {
        int code =
            complain_error(ops_backends_add(&ops.backends, arguments->backends.items[i], NULL));
        if (code != EXIT_DONE)
            return code;
    }
    table_print(&table, show_look(&arguments->shown), &out);
    if (missing.size && arguments->shown.format != BILANX_CSV)
        text_format(&out, "%s\n", text_get(&missing));
    if (log && ops.backends.count) {
        int code = complain_error(survey(arguments, log, &ops));
        if (code != EXIT_DONE)
            return code;
        text_add(&out, "\n");
        print_support(&ops, show_look(&arguments->shown), &out);
    }
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}
