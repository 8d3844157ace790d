// ops_code: `bilanx ops --show-code`, the code that a backend generates.
#include <stdlib.h>

#include "base/mem.h"
#include "command.h"
#include "ops_report.h"

static struct bilanx_error show_sample(const struct ops_operator *of,
                                       const struct ops_sample *sample, struct ops_hosts *hosts,
                                       size_t *shown)
{
    AUTO(memory) char *code = NULL;
    struct bilanx_error error = ops_code(of, sample, hosts, 0, &code);
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    printf("%s// %s %s\n", *shown ? "\n" : "", of->logged->name, sample->logged->arguments);
    if (error.status == BILANX_OK)
        fputs(code, stdout);
    else
        printf("// not supported: %s\n", error.text);
    *shown += error.status == BILANX_OK;
    return BILANX_SUCCESS;
}

static struct bilanx_error show(const struct operator_log *log, struct ops *ops, size_t *shown)
{
    AUTO(ops_hosts) struct ops_hosts *hosts = NULL;
    BILANX_TRY(ops_hosts_start(ops, &hosts));
    BILANX_TRY(ops_plan(ops, log));
    for (size_t i = 0; i < ops->operator_count; i++)
        for (size_t k = 0; k < ops->operators[i].sample_count; k++)
            BILANX_TRY(
                show_sample(&ops->operators[i], &ops->operators[i].samples[k], hosts, shown));
    return BILANX_SUCCESS;
}

int ops_show_code(const struct ops_arguments *arguments, const struct operator_log *log,
                  struct ops *ops)
{
    size_t shown = 0;
    (void)arguments;
    int code = complain_error(show(log, ops, &shown));
    return code != EXIT_DONE ? code : shown ? EXIT_DONE : EXIT_FAILURE;
}
