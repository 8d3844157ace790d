// A record that can be read is written, read and written again: the text is the same both times.
#include <stdlib.h>
#include <string.h>

#include "core/record/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const char *json, size_t size)
{
    AUTO(bilanx_record) struct bilanx_record record = {0};
    if (bilanx_record_read(json, size, "fuzz:1", &record).status != BILANX_OK)
        return NULL;
    return bilanx_record_json(&record);
}

// Merges two records, so that members of both meet.
static void merge(const char *json, size_t size)
{
    struct bilanx_record pair[2] = {0};
    for (int i = 0; i < 2; i++)
        if (bilanx_record_read(json, size, "fuzz:1", &pair[i]).status != BILANX_OK)
            abort();
    bool measured = strcmp(pair[0].kind, "measurement") == 0;
    if (!bilanx_record_replicates(&pair[0], &pair[1]) ||
        bilanx_record_merge(pair, 2) != (measured ? 1 : 2))
        abort();
    for (int i = 0; i < 2; i++)
        bilanx_record_done(&pair[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(memory) char *first = written((const char *)data, size);
    if (!first)
        return 0;
    AUTO(memory) char *second = written(first, strlen(first));
    if (!second || strcmp(first, second) != 0 || strchr(first, '\n'))
        abort();
    merge(first, strlen(first));
    return 0;
}
