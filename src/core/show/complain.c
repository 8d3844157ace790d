// complain: messages on stderr.
#include "complain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "base/text.h"

void complain_as(const char *program, const char *text)
{
    enum { INDENT = 4 };
    AUTO(text) struct text out = {0};
    text_add_harmless(&out, program);
    text_add(&out, ": ");
    size_t column = text_width(text_get(&out));
    for (const char *at = text;;) {
        size_t size = strcspn(at, "\n");
        AUTO(memory) char *line = mem_text_n(at, size);
        AUTO(text) struct text harmless = {0};
        text_add_harmless(&harmless, line);
        text_add_paragraph(&out, column, INDENT, terminal_width(STDERR_FILENO),
                           text_get(&harmless));
        text_add_char(&out, '\n');
        at += size;
        if (at[0] == '\0' || at[1] == '\0')
            break;
        at++;
        column = INDENT;
        text_add_repeated(&out, " ", INDENT);
    }
    fputs(text_get(&out), stderr);
}

void complain(const char *text)
{
    complain_as("bilanx", text);
}

void complain_line(void *context, const char *text)
{
    (void)context;
    complain(text);
}

const struct tell complain_tell = {.line = complain_line};

int complain_error(struct bilanx_error error)
{
    if (error.status == BILANX_OK)
        return EXIT_DONE;
    complain(error.text);
    if (error.status == BILANX_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return error.status == BILANX_E_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int complain_finish(int code)
{
    if (code == EXIT_INTERRUPTED)
        code = interrupt_status();
    bool lost = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !lost)
        return code;
    // Lost results, say on a full disk, are a failure even if everything else went well.
    complain_error(bilanx_error_make(BILANX_E_SYSTEM, "cannot write the results: %s",
                                     errno ? strerror(errno) : "output error"));
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
