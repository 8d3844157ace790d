// An expression is read and computed, or the place of its mistake is in it. No input takes long.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "inputs/fuzzer/expression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"k0", "k1", "a"};
    const struct value values[] = {value_integer(24), value_integer(INT64_MIN), value_real(-0.5)};
    AUTO(memory) char *text = mem_text_n((const char *)data, size);
    AUTO(expression) struct expression expression = {0};
    size_t fault = 0;
    struct value value, again;
    struct bilanx_error error = expression_parse(text, names, 3, &expression, &fault);
    if (error.status != BILANX_OK) {
        if (fault > strlen(text) || !*error.text || expression.count)
            abort();
        return 0;
    }
    error = expression_evaluate(&expression, values, &value);
    struct bilanx_error second = expression_evaluate(&expression, values, &again);
    if (error.status != second.status ||
        (error.status == BILANX_OK && value_is_true(value) != value_is_true(again)))
        abort();
    return 0;
}
