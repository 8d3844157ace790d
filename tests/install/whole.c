// A third-party program that uses the whole library.
#include <bilanx/error.h>
#include <string.h>

int main(void)
{
    return strcmp(bilanx_error_make(BILANX_E_INPUT, "line %d", 7).text, "line 7") != 0;
}
