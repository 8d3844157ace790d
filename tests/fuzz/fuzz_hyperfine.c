// Whatever claims to be hyperfine's JSON becomes records that every format takes, or an error.
#include "formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_format(&format_hyperfine, data, size);
    return 0;
}
