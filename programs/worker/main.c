// bilanx-worker: the process that compiles and measures statements for `bilanx`.
#include <stdio.h>

#include "base/streams.h"
#include "sources/statement_worker/snippets.h"

int main(void)
{
    streams_prepare();
    int status = snippets_serve();
    if (status == 2)
        fputs("bilanx starts bilanx-worker itself; it is not for direct use. See 'bilanx time'.\n",
              stderr);
    return status;
}
