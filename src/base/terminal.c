// terminal: colors and width of a terminal.
#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "number.h"
#include "text.h"

const char *const terminal_color_words[] = {"auto", "always", "never", NULL};

bool terminal_color(int choice, int fd)
{
    if (choice != TERMINAL_AUTO)
        return choice == TERMINAL_ALWAYS;
    const char *refusal = getenv("NO_COLOR");
    if (refusal && *refusal)
        return false;
    return isatty(fd) && !text_equal(getenv("TERM"), "dumb");
}

size_t terminal_width(int fd)
{
    uint64_t columns = 0;
    const char *told = getenv("COLUMNS");
    if (told && number_read_count(told, &columns) && columns > 0)
        return (size_t)columns;
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
