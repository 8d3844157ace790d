// terminal: colours and size of a terminal.
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

static size_t told_by(const char *variable)
{
    uint64_t count = 0;
    const char *told = getenv(variable);
    return told && number_read_count(told, &count) ? (size_t)count : 0;
}

size_t terminal_width(int fd)
{
    struct winsize size;
    size_t told = told_by("COLUMNS");
    if (told)
        return told;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

size_t terminal_help_width(void)
{
    enum { MOST = 80 };
    size_t width = terminal_width(STDOUT_FILENO);
    return width && width < MOST ? width : MOST;
}

size_t terminal_height(int fd)
{
    struct winsize size;
    size_t told = told_by("LINES");
    if (told)
        return told;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}
