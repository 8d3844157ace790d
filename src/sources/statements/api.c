// api: measures one statement for users of the library.
#include "bilanx/timer.h"

#include <string.h>

#include "statements.h"

static void keep(void *context, const struct run_case *measured, struct bilanx_record *record)
{
    (void)measured;
    struct bilanx_record *out = context;
    *out = *record;
}

struct bilanx_error bilanx_time_statement(const struct bilanx_statement *statement,
                                          struct bilanx_record *out)
{
    const char *language = statement->language ? statement->language : "c";
    if (!statement->stmt)
        return bilanx_error_make(BILANX_E_USAGE, "no statement to measure");
    const struct method *method;
    BILANX_TRY(method_choose(statement->method, &method));
    struct statement_options options = {.language = language,
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
                                        .layouts = method ? 0 : STATEMENT_LAYOUTS};
    AUTO(statements) struct statements statements = {0};
    BILANX_TRY(statements_prepare_plain(&statement->stmt, 1, &options, &statements));
    struct bilanx_record record = {0};
    BILANX_TRY(run_measure(&statements.cases,
                           &(struct run_options){.method = method,
                                                 .number = statement->number,
                                                 .repeats = method ? statement->repeats : 0,
                                                 .min_run_time = statement->min_run_time,
                                                 .max_run_time = statement->max_run_time,
                                                 .timeout = statement->timeout,
                                                 .check = statements_check,
                                                 .check_context = &statements},
                           &(struct run_observer){&record, NULL, keep}));
    *out = record;
    return BILANX_SUCCESS;
}
