// A message that can be parsed and is encoded again from its words is the same message.
#include <stdlib.h>
#include <string.h>

#include "core/worker/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reading any word as a number gives a number or an error.
static void read_numbers(const struct message *message, const char *key)
{
    double number = 0;
    uint64_t count = 0;
    AUTO(memory) double *list = NULL;
    size_t size = 0;
    message_number(message, key, &number);
    message_count(message, key, &count);
    if (message_numbers(message, key, &list, &size).status != BILANX_OK)
        return;
    AUTO(text) struct text line = {0};
    message_begin(&line, "x");
    message_add_numbers(&line, "list", list, size);
    AUTO(message) struct message again = {0};
    AUTO(memory) double *same = NULL;
    size_t same_size = 0;
    if (message_parse(line.data, line.size, &again).status != BILANX_OK ||
        message_numbers(&again, "list", &same, &same_size).status != BILANX_OK ||
        same_size != size || (size && memcmp(list, same, size * sizeof *list) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(message) struct message message = {0}, again = {0};
    if (message_parse((const char *)data, size, &message).status != BILANX_OK)
        return 0;
    AUTO(text) struct text line = {0};
    message_begin(&line, message.verb);
    for (size_t i = 0; i < message.count; i++) {
        message_add(&line, message.pairs[i].key, message.pairs[i].value);
        read_numbers(&message, message.pairs[i].key);
    }
    if (message_parse(line.data, line.size, &again).status != BILANX_OK ||
        strcmp(again.verb, message.verb) != 0 || again.count != message.count)
        abort();
    for (size_t i = 0; i < message.count; i++)
        if (strcmp(again.pairs[i].key, message.pairs[i].key) != 0 ||
            strcmp(again.pairs[i].value, message.pairs[i].value) != 0)
            abort();
    return 0;
}
