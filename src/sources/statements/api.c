// api: measures one statement for users of the library.
#include "bilanx/timer.h"

#include "base/options.h"
#include "base/want.h"
#include "statements.h"

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    (void)measured;
    struct bilanx_record *out = context;
    *out = *record;
}

#define AT(member) offsetof(struct bilanx_statement, member)
static const struct option numbers[] = {
    {"num_threads", 0, OPTION_COUNT, AT(num_threads), .range = &range_threads},
    {"number", 0, OPTION_COUNT, AT(number)},
    {"repeats", 0, OPTION_COUNT, AT(repeats), .range = &range_repeats},
    {"min_run_time", 0, OPTION_SECONDS, AT(min_run_time)},
    {"max_run_time", 0, OPTION_SECONDS, AT(max_run_time), .range = &range_duration},
    {"timeout", 0, OPTION_SECONDS, AT(timeout), .range = &range_duration},
    {0},
};

static struct bilanx_error read_options(const struct bilanx_statement *statement,
                                        struct run_options *running,
                                        struct statement_options *options)
{
    WANT(statement);
    if (!statement->stmt)
        return bilanx_error_make(BILANX_E_USAGE, "no statement to measure");
    BILANX_TRY(options_check(numbers, statement));
    BILANX_TRY(method_choose(statement->method, &running->method));
    running->number = statement->number;
    running->repeats = running->method ? statement->repeats : 0;
    running->min_run_time = statement->min_run_time;
    running->max_run_time = statement->max_run_time;
    running->timeout = statement->timeout;
    *options =
        (struct statement_options){.language = statement->language ? statement->language : "c",
                                   .setup = statement->setup,
                                   .global_setup = statement->global_setup,
                                   .label = statement->label,
                                   .sub_label = statement->sub_label,
                                   .description = statement->description,
                                   .env = statement->env,
                                   .threads = statement->num_threads,
                                   .python = statement->python,
                                   .cc = statement->cc,
                                   .cflags = statement->cflags,
                                   .ldflags = statement->ldflags,
                                   .layouts = running->method ? 0 : STATEMENT_LAYOUTS};
    return run_check(running);
}

struct bilanx_error bilanx_time_statement(const struct bilanx_statement *statement,
                                          struct bilanx_record *out)
{
    WANT(out);
    *out = (struct bilanx_record){0};
    AUTO(statements) struct statements statements = {0};
    struct statement_options options;
    struct run_options running = {.check = statements_check, .check_context = &statements};
    BILANX_TRY(read_options(statement, &running, &options));
    BILANX_TRY(statements_prepare_plain(&statement->stmt, 1, &options, &statements));
    return run_measure(&statements.cases, &running, &(struct run_observer){out, NULL, keep});
}
