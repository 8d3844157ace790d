// tool: finds a program on the PATH, and its version.
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/capture.h"
#include "base/file.h"

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
    const char *const argv[] = {path, "--version", NULL};
    AUTO(text) struct text output = {0};
    int status;
    // Even if it fails or takes too long, it may have printed its version.
    capture_run(&(struct capture_options){.argv = argv, .timeout_s = 5}, &output, &status);
    tool_read_version(text_get(&output), out);
    return true;
}
