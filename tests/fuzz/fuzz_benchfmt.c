// Whatever claims to be Go's benchmark format becomes records that every format takes, or an error.
#include "formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_format(&format_benchfmt, data, size);
    return 0;
}
