// launchers: the table of all launchers.
#include <string.h>

#include "base/text.h"
#include "launcher.h"

static const struct launcher *const launchers[] = {&launcher_slurm};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

struct bilanx_error launcher_find(const char *name, const struct launcher **out)
{
    AUTO(text) struct text known = {0};
    for (size_t i = 0; i < LAUNCHERS; i++) {
        text_format(&known, "%s%s", i ? ", " : "", launchers[i]->name);
        if (strcmp(launchers[i]->name, name) != 0)
            continue;
        *out = launchers[i];
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_USAGE, "there is no launcher '%.40s' (there is: %s)", name,
                             text_get(&known));
}
