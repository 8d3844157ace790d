// ops_run: measures the operators of a log, and shows and writes the results.
#include "ops_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/show/complain.h"
#include "core/show/progress.h"
#include "core/show/sink.h"
#include "ops_profile.h"
#include "ops_verdict.h"
#include "results/read/reader.h"
#include "sources/operator_cases/call_cost.h"
#include "sources/operator_cases/op_resume.h"
#include "sources/roofline/roofline.h"

struct session {
    const struct ops_arguments *arguments;
    struct show_settings shown;
    struct ops *ops;
    struct sink sink;
    struct progress_bar bar;
    FILE *csv;
    char *csv_path;
    struct ops_trace trace;
    bool judges;  // there are new samples of the operator under way
    bool failed;
};

static void session_done(struct session *session)
{
    sink_done(&session->sink);
    if (session->csv)
        fclose(session->csv);
    free(session->csv_path);
    ops_trace_done(&session->trace);
}
SCOPE_VALUE(session, session_done)

static bool prints_lines(const struct session *session)
{
    return session->shown.format == BILANX_TABLE && !session->shown.quiet &&
           !text_equal(session->shown.json, "-");
}

static void working(void *context, const struct ops_operator *of, const struct ops_sample *sample)
{
    struct session *session = context;
    progress_bar_working(&session->bar, ops_case(session->ops, of, sample, 0), 0);
}

static void write_record(struct session *session, const struct bilanx_record *record)
{
    struct bilanx_error error = sink_write(&session->sink, record);
    if (error.status != BILANX_OK)
        complain(error.text);
}

static void write_sample(struct session *session, const struct ops_operator *of,
                         const struct ops_sample *sample, size_t backend)
{
    AUTO(bilanx_record) struct bilanx_record record = {0};
    if (ops_make_record(session->ops, of, sample, backend, &record))
        write_record(session, &record);
}

static void tell_failure(struct session *session, const struct ops_operator *of,
                         const struct ops_sample *sample, size_t backend)
{
    const struct ops_time *time = &sample->times[backend];
    session->failed |= time->state == OPS_FAILED || time->state == OPS_WRONG;
    if (session->shown.quiet || (time->state != OPS_FAILED && time->state != OPS_WRONG))
        return;
    AUTO(memory) char *line = mem_format("%s input %zu on %s: %s", of->logged->name, sample->index,
                                         session->ops->backends.items[backend].name, time->why);
    progress_bar_clear(&session->bar);
    complain(line);
}

// The baseline's record comes last: with it, the sample is complete.
static void sample_finished(void *context, const struct ops_operator *of,
                            const struct ops_sample *sample)
{
    struct session *session = context;
    for (size_t b = session->ops->backends.count; b-- > 0;) {
        if (sample->times[b].state != OPS_UNSUPPORTED)
            write_sample(session, of, sample, b);
        tell_failure(session, of, sample, b);
    }
    session->bar.done++;
    session->judges = session->arguments->verdict;
}

static void write_verdicts(struct session *session, const struct ops_operator *of)
{
    for (size_t b = 1; session->judges && b < session->ops->backends.count; b++) {
        AUTO(bilanx_record) struct bilanx_record record = {0};
        if (ops_make_verdict(session->ops, of, b, &record))
            write_record(session, &record);
    }
    session->judges = false;
}

// In a file, the line is exactly the reference's, which other tools parse.
static void print_line(const char *line)
{
    AUTO(text) struct text out = {0};
    text_add_wrapped(&out, 0, isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 0, line);
    puts(text_get(&out));
}

static void operator_finished(void *context, const struct ops_operator *of)
{
    struct session *session = context;
    progress_bar_clear(&session->bar);
    AUTO(text) struct text line = {0};
    ops_add_line(session->ops, of, &line);
    if (prints_lines(session) && line.size) {
        print_line(text_get(&line));
        fflush(stdout);
    }
    write_verdicts(session, of);
    if (session->csv)
        ops_csv_row(session->csv, session->ops, of, session->shown.csv_safe);
    struct bilanx_error error = ops_trace_write(&session->trace, of);
    if (error.status != BILANX_OK)
        complain(error.text);
    session->failed |= error.status != BILANX_OK;
}

static void span_ended(void *context, const struct ops_span *span)
{
    ops_trace_add(&((struct session *)context)->trace, span);
}

static void slow_compile(void *context, const struct ops_operator *of,
                         const struct ops_sample *sample, size_t backend)
{
    struct session *session = context;
    AUTO(memory) char *line = mem_format(
        "slow compile: %s, %.1f s for %s input %zu", session->ops->backends.items[backend].name,
        sample->times[backend].prepare_s, of->logged->name, sample->index);
    progress_bar_clear(&session->bar);
    if (!session->shown.quiet)
        complain(line);
}

static const char *reference_dtype(const char *dtype)
{
    return strcmp(dtype, "f16") == 0    ? "float16"
           : strcmp(dtype, "bf16") == 0 ? "bfloat16"
           : strcmp(dtype, "f64") == 0  ? "float64"
                                        : "float32";
}

static const struct output_kind table_kind = {.name = "a table of operators",
                                              .starts = "operator,"};

static struct bilanx_error open_csv(struct session *session)
{
    const struct ops_arguments *arguments = session->arguments;
    if (arguments->csv)
        session->csv_path = mem_text(arguments->csv);
    else if (arguments->compatible)
        session->csv_path = mem_format("operatorbench_%s_%s.csv", arguments->suites.items[0],
                                       reference_dtype(arguments->measure.data.dtype));
    if (!session->csv_path)
        return BILANX_SUCCESS;
    BILANX_TRY(output_open(session->csv_path, &table_kind, OUTPUT_REPLACE, &session->csv));
    ops_csv_head(session->csv, session->ops, session->shown.csv_safe);
    return BILANX_SUCCESS;
}

// Results go to the resumed file unless -o names another.
static void choose_output(struct session *session)
{
    const char *resumed = session->arguments->resume;
    struct show_settings *shown = &session->shown;
    if (!resumed || (shown->json && !output_is_same(shown->json, resumed)))
        return;
    shown->json = resumed;
    shown->append = true;
}

static struct bilanx_error resume(struct session *session)
{
    const char *path = session->arguments->resume;
    AUTO(text) struct text kept = {0};
    bool dropped = false;
    if (!path)
        return BILANX_SUCCESS;
    BILANX_TRY(ops_resume(session->ops, path, &kept, &dropped));
    if (dropped && output_is_same(path, session->shown.json))
        return output_rewrite(path, text_get(&kept), kept.size, &session->sink.file);
    return BILANX_SUCCESS;
}

static size_t samples_left(const struct ops *ops)
{
    size_t left = 0;
    for (size_t i = 0; i < ops->operator_count; i++)
        for (size_t k = 0; !ops->operators[i].skipped && k < ops->operators[i].sample_count; k++)
            left += !ops->operators[i].samples[k].finished;
    return left;
}

static bool has_results(const struct ops *ops)
{
    for (size_t i = 0; i < ops->operator_count; i++)
        for (size_t k = 0; k < ops->operators[i].sample_count; k++)
            if (ops->operators[i].samples[k].finished)
                return true;
    return false;
}

static struct bilanx_error measure(struct session *session, const struct operator_log *log)
{
    struct ops *ops = session->ops;
    AUTO(ops_hosts) struct ops_hosts *hosts = NULL;
    BILANX_TRY(ops_hosts_start(ops, &hosts));
    BILANX_TRY(ops_plan(ops, log));
    if (session->arguments->resume)
        reader_tell_cut(session->arguments->resume, &complain_tell);
    BILANX_TRY(sink_open(&session->sink, &session->shown));
    BILANX_TRY(resume(session));
    BILANX_TRY(open_csv(session));
    BILANX_TRY(ops_trace_init(&session->trace, session->arguments->profile, ops));
    progress_bar_init(&session->bar, samples_left(ops), session->shown.quiet);
    struct ops_observer observer = {.context = session,
                                    .working = working,
                                    .sample = sample_finished,
                                    .finished = operator_finished,
                                    .span = session->trace.folder ? span_ended : NULL,
                                    .slow_compile = slow_compile};
    struct bilanx_error error = ops_measure(ops, hosts, &observer);
    if (error.status == BILANX_OK)
        error = ops_measure_call_costs(hosts);
    progress_bar_clear(&session->bar);
    if (error.status == BILANX_OK && session->trace.folder)
        session->failed |= ops_draw_flames(session->arguments, ops, hosts) != EXIT_DONE;
    return error;
}

static void show_csv(const struct session *session)
{
    const struct ops *ops = session->ops;
    ops_csv_head(stdout, ops, session->shown.csv_safe);
    for (size_t i = 0; i < ops->operator_count; i++)
        ops_csv_row(stdout, ops, &ops->operators[i], session->shown.csv_safe);
}

static void show(struct session *session)
{
    const struct show_settings *shown = &session->shown;
    struct machine_roof roof = {0};
    if (shown->format == BILANX_JSON || text_equal(shown->json, "-"))
        return;
    if (shown->format == BILANX_CSV) {
        show_csv(session);
        return;
    }
    if (!session->arguments->no_roof)
        machine_roof_measure((unsigned)session->arguments->measure.threads, &roof);
    ops_show(session->arguments, session->ops, &roof);
    if (!shown->quiet)
        ops_show_notes(session->ops);
    if (session->csv && !shown->quiet)
        printf("Wrote %s\n", session->csv_path);
}

int ops_run(const struct ops_arguments *arguments, const struct operator_log *log, struct ops *ops)
{
    AUTO(session) struct session session = {
        .arguments = arguments, .shown = arguments->shown, .ops = ops};
    choose_output(&session);
    interrupt_catch();
    struct bilanx_error error = measure(&session, log);
    bool any = has_results(ops);
    if (any)
        show(&session);
    if (error.status == BILANX_E_INTERRUPTED) {
        complain(any ? "interrupted; the results so far are above" : "interrupted");
        return EXIT_INTERRUPTED;
    }
    if (error.status != BILANX_OK)
        return complain_error(error);
    if (!any && !arguments->shown.quiet)
        ops_show_notes(ops);
    return session.failed || session.sink.failed ? EXIT_FAILED : EXIT_DONE;
}
