// terminal: what may be written to a descriptor that a person may be looking at.
#include "terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 80;
    return size.ws_col;
}
