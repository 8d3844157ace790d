// tool: a program of the PATH and the version it claims.
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"

void tool_read_version(const char *said, char out[TOOL_VERSION_SIZE])
{
    int depth = 0;
    for (const char *at = said; *at && *at != '\n'; at++) {
        depth += (*at == '(') - (*at == ')');
        bool starts = at == said || strchr(" -\t", at[-1]);
        if (depth > 0 || !starts || !isdigit((unsigned char)*at))
            continue;
        size_t size = strspn(at, "0123456789.");
        if (memchr(at, '.', size)) {
            snprintf(out, TOOL_VERSION_SIZE, "%.*s", (int)size, at);
            return;
        }
    }
    strcpy(out, "?");
}

bool tool_version(const char *name, char out[TOOL_VERSION_SIZE])
{
    AUTO(memory) char *path = file_find_program(name);
    if (!path)
        return false;
    strcpy(out, "?");
    const char *const argv[] = {path, "--version", NULL};
    AUTO(process) struct process process = {.to = -1, .from = -1, .output_fd = -1};
    struct process_options options = {.argv = argv, .channel = "BILANX_TOOL_CHANNEL"};
    if (process_start(&options, &process).status != BILANX_OK)
        return true;
    process_finish(&process, monotonic_ns() + 5000000000u);
    tool_read_version(text_get(&process.output), out);
    return true;
}
