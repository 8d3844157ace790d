// A line of an operator log is read or refused. What is read can be adapted, its bytes be counted,
// and its data be made, if there is little of it.
#include <string.h>

#include "base/mem.h"
#include "inputs/operators/operators.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LITTLE = 1 << 16 };  // bytes

static void try_data(struct operator_call *call, const struct operator_options *options)
{
    AUTO(operator_data) struct operator_data made = {0};
    if (operator_bytes(&call->call) > LITTLE ||
        operator_data_make(call, options, &made).status != BILANX_OK)
        return;
    operator_data_restore(&made);
}

// The first line is the operator's name, the second one its arguments. The first byte chooses how
// they are adapted.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const types[] = {NULL, "f16", "bf16", "f64"};
    if (size < 2)
        return 0;
    const struct operator_options options = {.dtype = types[data[0] % 4],
                                             .channels_last = data[0] & 4};
    AUTO(memory) char *text = mem_text_n((const char *)data + 1, size - 1);
    AUTO(operator_call) struct operator_call call = {0};
    char *arguments = strchr(text, '\n');
    if (!arguments)
        return 0;
    *arguments++ = '\0';
    if (operator_call_parse(text, arguments, "log", 1, &call).status != BILANX_OK)
        return 0;
    operator_role(text);
    operator_result_is_random(text);
    operator_result_is_undefined(text);
    if (operator_call_adapt(&call, &options).status == BILANX_OK)
        try_data(&call, &options);
    return 0;
}
