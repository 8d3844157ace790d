// A suite that can be read gives cases with unique names, each a line of JSON. Otherwise the error
// has a location, in this file unless it includes others.
#include <stdlib.h>
#include <string.h>

#include "bilanx/suite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct bilanx_suite_case **cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *json = bilanx_suite_case_json(cases[i]);
        if (!json || strchr(json, '\n') || !cases[i]->name || !cases[i]->task.stmt ||
            !cases[i]->task.language || cases[i]->task.num_threads == 0)
            abort();
        if (i > 0 && strcmp(cases[i]->name, cases[i - 1]->name) == 0)
            abort();
        free(json);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bilanx_suite *suite = bilanx_suite_new(NULL);
    struct bilanx_suite_case **cases = NULL;
    size_t count = 0;
    struct bilanx_error error =
        bilanx_suite_read_text(suite, (const char *)data, size, "fuzz.yaml");
    if (error.status == BILANX_OK)
        error = bilanx_suite_materialize(suite, NULL, &cases, &count);
    if (error.status == BILANX_OK)
        look_at(cases, count);
    else if (strncmp(error.text, "fuzz.yaml:", 10) != 0 && !memmem(data, size, "include", 7))
        abort();
    free(cases);
    bilanx_suite_free(suite);
    return 0;
}
