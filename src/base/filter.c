// filter: an extended regular expression that chooses cases by their names.
#include "filter.h"

void filter_done(struct filter *filter)
{
    if (filter->chooses)
        regfree(&filter->regex);
    filter->chooses = false;
}

struct bilanx_error filter_open(const char *text, struct filter *out)
{
    if (!text)
        return BILANX_SUCCESS;
    int fault = regcomp(&out->regex, text, REG_EXTENDED | REG_NOSUB);
    if (fault) {
        char reason[100];
        regerror(fault, &out->regex, reason, sizeof reason);
        return bilanx_error_make(BILANX_E_USAGE, "filter '%.200s' is not a regular expression: %s",
                                 text, reason);
    }
    out->chooses = true;
    return BILANX_SUCCESS;
}

bool filter_keeps(const struct filter *filter, const char *name)
{
    return !filter->chooses || regexec(&filter->regex, name, 0, NULL, 0) == 0;
}
