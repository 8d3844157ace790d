// shell: runs a text unchanged in the user's shell, without a terminal or input.
#include "shell.h"

#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/list.h"
#include "base/mem.h"

const char *shell_name(void)
{
    const char *shell = getenv("SHELL");
    return shell && *shell ? shell : "bash";
}

struct bilanx_error shell_run(const struct shell_job *job, struct text *output, int *status)
{
    const char *argv[] = {shell_name(), "-c", job->text, NULL};
    struct bilanx_error error =
        capture_run(&(struct capture_options){.argv = argv,
                                              .surroundings = job->surroundings,
                                              .directory = job->directory,
                                              .timeout_s = job->timeout_s,
                                              .shell = true,
                                              .log = job->log,
                                              .look = job->look,
                                              .context = job->context,
                                              .signal = job->signal},
                    output, status);
    if (error.status != BILANX_E_SYSTEM)
        return error;
    return bilanx_error_make(error.status, "%s (the shell is '%s', from $SHELL)", error.text,
                             shell_name());
}

void shell_add_last_lines(struct text *out, const struct text *output, size_t most_bytes)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(output));
    size_t first = lines.count, size = 0;
    while (first > 0 && (size == 0 || size + strlen(lines.items[first - 1]) + 3 <= most_bytes))
        size += strlen(lines.items[--first]) + 3;
    const char *separator = ": ";
    for (; first < lines.count; first++) {
        const char *line = lines.items[first] + strspn(lines.items[first], " \t\r");
        size_t length = strlen(line);
        if (length == 0)
            continue;
        AUTO(memory) char *start = mem_text_n(line, length < most_bytes ? length : most_bytes);
        text_add(out, separator);
        text_add_harmless(out, start);
        separator = " | ";
    }
}
