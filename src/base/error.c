// error: makes errors and names their status.
#include "bilanx/error.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

static const char *const status_codes[] = {
    [BILANX_OK] = "ok",
    [BILANX_E_USAGE] = "usage",
    [BILANX_E_INPUT] = "bad-input",
    [BILANX_E_SYSTEM] = "system",
    [BILANX_E_CRASHED] = "crashed",
    [BILANX_E_EXITED] = "exited",
    [BILANX_E_TIMED_OUT] = "timed-out",
    [BILANX_E_COMPILE] = "compile-failed",
    [BILANX_E_MEMORY] = "out-of-memory",
    [BILANX_E_FLOOD] = "output-flood",
    [BILANX_E_SWARM] = "too-many-processes",
    [BILANX_E_FAILED] = "failed",
    [BILANX_E_SKIPPED] = "skipped",
    [BILANX_E_INTERRUPTED] = "interrupted",
};

const char *bilanx_status_code(enum bilanx_status status)
{
    return (size_t)status < sizeof status_codes / sizeof *status_codes ? status_codes[status]
                                                                       : "unknown";
}

static void drop_torn_character(char *text)
{
    size_t start = strlen(text);
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    bool leads = start > 0 && (unsigned char)text[start - 1] >= 0xC0;
    if (leads && text_character((const unsigned char *)text + start - 1, NULL) == 0)
        text[start - 1] = '\0';
}

struct bilanx_error bilanx_error_make(enum bilanx_status status, const char *format, ...)
{
    struct bilanx_error error = {.status = status};
    va_list arguments;
    va_start(arguments, format);
    int length = format ? vsnprintf(error.text, sizeof error.text, format, arguments) : 0;
    va_end(arguments);
    if (length >= (int)sizeof error.text)
        drop_torn_character(error.text);
    return error;
}
