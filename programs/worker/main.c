// bilanx-worker: the process that compiles and measures statements for `bilanx`, or runs operators.
#include <stdio.h>
#include <string.h>

#include "base/streams.h"
#include "sources/operator_worker/operator_worker.h"
#include "sources/statement_worker/snippets.h"

int main(int argc, char **argv)
{
    streams_prepare();
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("bilanx-worker " BILANX_VERSION);
        return 0;
    }
    bool operators = argc > 1 && strcmp(argv[1], "operators") == 0;
    int status = operators ? operator_worker_serve(&(struct operator_worker){0}) : snippets_serve();
    if (status == 2)
        fputs("bilanx starts bilanx-worker itself; it is not for direct use. See 'bilanx time'.\n",
              stderr);
    return status;
}
