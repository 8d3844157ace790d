// Whatever claims to be Google Benchmark's JSON becomes records that every format takes, or an
// error.
#include "formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_format(&format_google, data, size);
    return 0;
}
