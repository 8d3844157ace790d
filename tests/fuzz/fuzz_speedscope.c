// Files of speedscope are read, or refused; what is read can be drawn and written.
#include "stack_formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_stacks(&stacks_format_speedscope, data, size);
    return 0;
}
