// Any input that claims to be Google Benchmark's JSON gives records that every format accepts, or
// an error.
#include "formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_format(&format_google, data, size);
    return 0;
}
