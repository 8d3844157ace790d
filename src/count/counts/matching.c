// matching: selects and renames function counts by regular expression.
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/want.h"
#include "core/record/function_label.h"
#include "functions.h"

static struct bilanx_error compile(const char *text, int flags, regex_t *out)
{
    int code = regcomp(out, text, REG_EXTENDED | flags);
    if (code == 0)
        return BILANX_SUCCESS;
    char cause[128];
    regerror(code, NULL, cause, sizeof cause);
    return bilanx_error_make(BILANX_E_USAGE, "'%s' is not a regular expression: %s", text, cause);
}

static void add_name(struct text *out, const struct bilanx_function_count *function)
{
    const char *label = function_label(function->function, function->file);
    if (label) {
        text_add(out, label);
        return;
    }
    if (function->file && !function_is_inlined(function->function))
        text_format(out, "%s:", function->file);
    text_add(out, function->function ? function->function : "???");
    if (function->object)
        text_format(out, " [%s]", function->object);
}

char *bilanx_function_name(const struct bilanx_function_count *function)
{
    static const struct bilanx_function_count unknown;
    struct text name = {0};
    add_name(&name, function ? function : &unknown);
    return text_take(&name);
}

struct matcher {
    regex_t regex;
    bool without;
    struct text name;
};

static bool matches(void *context, const struct bilanx_function_count *function)
{
    struct matcher *matcher = context;
    text_clear(&matcher->name);
    add_name(&matcher->name, function);
    bool found = regexec(&matcher->regex, text_get(&matcher->name), 0, NULL, 0) == 0;
    return found != matcher->without;
}

struct bilanx_error bilanx_functions_match(const struct bilanx_functions *functions,
                                           const char *regex, bool without,
                                           struct bilanx_functions *out)
{
    WANT(functions);
    WANT(regex);
    WANT(out);
    struct matcher matcher = {.without = without};
    BILANX_TRY(compile(regex, REG_NOSUB, &matcher.regex));
    *out = bilanx_functions_filter(functions, matches, &matcher);
    regfree(&matcher.regex);
    text_done(&matcher.name);
    return BILANX_SUCCESS;
}

enum { GROUPS = 10 };

struct replacer {
    regex_t regex;
    enum bilanx_function_part part;
    const char *replacement;
    struct text result;
};

static void add_replacement(struct replacer *replacer, const char *text, const regmatch_t *groups)
{
    for (const char *at = replacer->replacement; *at; at++) {
        if (*at != '\\' || !at[1]) {
            text_add_char(&replacer->result, *at);
            continue;
        }
        at++;
        if (*at < '0' || *at > '9') {
            text_add_char(&replacer->result, *at);
            continue;
        }
        const regmatch_t *group = &groups[*at - '0'];
        if (group->rm_so >= 0)
            text_add_n(&replacer->result, text + group->rm_so,
                       (size_t)(group->rm_eo - group->rm_so));
    }
}

static void replace_all(struct replacer *replacer, const char *text)
{
    regmatch_t groups[GROUPS];
    int flags = 0;
    text_clear(&replacer->result);
    while (regexec(&replacer->regex, text, GROUPS, groups, flags) == 0) {
        text_add_n(&replacer->result, text, (size_t)groups[0].rm_so);
        add_replacement(replacer, text, groups);
        const char *behind = text + groups[0].rm_eo;
        bool empty = groups[0].rm_so == groups[0].rm_eo;
        if (*behind == '\0')
            return;
        if (empty)  // otherwise it would match here forever
            text_add_char(&replacer->result, *behind++);
        text = behind;
        flags = REG_NOTBOL;
    }
    text_add(&replacer->result, text);
}

static void rename_part(void *context, struct bilanx_function_count *function)
{
    struct replacer *replacer = context;
    const char **parts[] = {
        [BILANX_PART_FILE] = &function->file,
        [BILANX_PART_FUNCTION] = &function->function,
        [BILANX_PART_OBJECT] = &function->object,
    };
    const char **part = parts[replacer->part];
    if (!*part)
        return;
    replace_all(replacer, *part);
    *part = text_get(&replacer->result);
}

struct bilanx_error bilanx_functions_replace(const struct bilanx_functions *functions,
                                             enum bilanx_function_part part, const char *regex,
                                             const char *replacement, struct bilanx_functions *out)
{
    WANT(functions);
    WANT(regex);
    WANT(replacement);
    WANT(out);
    struct replacer replacer = {.part = part, .replacement = replacement};
    BILANX_TRY(compile(regex, 0, &replacer.regex));
    *out = bilanx_functions_transform(functions, rename_part, &replacer);
    regfree(&replacer.regex);
    text_done(&replacer.result);
    return BILANX_SUCCESS;
}
