// A specification that can be read gives samples that travel as text unchanged, or an error.
// Otherwise the error has a location.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "inputs/fuzzer/fuzzer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct fuzzer *fuzzer, size_t index)
{
    AUTO(sample) struct sample sample = {0}, again = {0};
    struct bilanx_error error = fuzzer_sample(fuzzer, index, &sample);
    if (error.status != BILANX_OK) {
        if (strncmp(error.text, "fuzz.yaml:", 10) != 0)
            abort();
        return;
    }
    AUTO(text) struct text text = {0}, copy = {0};
    sample_write(&sample, &text);
    if (sample_read(text_get(&text), &again).status != BILANX_OK)
        abort();
    sample_write(&again, &copy);
    if (strcmp(text_get(&text), text_get(&copy)) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(fuzzer) struct fuzzer *fuzzer = NULL;
    struct bilanx_error error = fuzzer_read_text((const char *)data, size, "fuzz.yaml", &fuzzer);
    if (error.status != BILANX_OK) {
        if (strncmp(error.text, "fuzz.yaml:", 10) != 0)
            abort();
        return 0;
    }
    for (size_t i = 0; i < 3; i++)
        look_at(fuzzer, i);
    fuzzer_set_compat(fuzzer, FUZZER_FIXED);
    look_at(fuzzer, 1);
    return 0;
}
