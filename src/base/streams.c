// streams: makes stdin, stdout and stderr safe to use.
#include "streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static void do_nothing(int number)
{
    (void)number;
}

bool streams_prepare(void)
{
    bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
            _exit(1);  // there is nowhere to report this
    sigaction(SIGXFSZ, &(struct sigaction){.sa_handler = do_nothing, .sa_flags = SA_RESTART}, NULL);
    return closed;
}
