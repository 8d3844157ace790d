// versions: which version of its subject a suite measures.
#include "versions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/mem.h"
#include "sources/suites/check.h"

static const double ASK_TIMEOUT_S = 60;
static const char USUAL_SUBJECT[] = "python:torch";

static char *answer_of(const char *const *argv, const struct statement_options *options)
{
    AUTO(text) struct text output = {0};
    int status = 0;
    struct bilanx_error error = capture_run(
        &(struct capture_options){
            .argv = argv, .surroundings = options->surroundings, .timeout_s = ASK_TIMEOUT_S},
        &output, &status);
    return error.status == BILANX_OK && status == 0 ? text_take(&output) : NULL;
}

static char *ask_module(const char *name, const struct statement_options *options)
{
    const char *python = statements_python(options);
    static const char mark[] = "bilanx-version ",
                      code[] =  // importing may print other lines
                      "import importlib, sys\n"
                      "found = getattr(importlib.import_module(sys.argv[1]), '__version__', None)\n"
                      "if found is None:\n"
                      "    import importlib.metadata\n"
                      "    found = importlib.metadata.version(sys.argv[1])\n"
                      "print('\\nbilanx-version', found)\n";
    AUTO(memory) char *answer =
        answer_of((const char *[]){python ? python : "python3", "-c", code, name, NULL}, options);
    const char *found = answer ? strstr(answer, mark) : NULL;
    return found ? mem_text(found + sizeof mark - 1) : NULL;
}

static char *ask_package(const char *name, const struct statement_options *options)
{
    return answer_of((const char *[]){"pkg-config", "--modversion", name, NULL}, options);
}

static char *ask_program(const char *name, const struct statement_options *options)
{
    return answer_of((const char *[]){name, "--version", NULL}, options);
}

// The first dotted number in an answer.
static char *number_in(const char *answer)
{
    const char *start = answer ? answer + strcspn(answer, "0123456789") : "";
    size_t size = strspn(start, "0123456789");
    while (size && start[size] == '.' && isdigit((unsigned char)start[size + 1]))
        size += 1 + strspn(start + size + 1, "0123456789");
    return mem_text_n(start, size);
}

static char *ask(const char *subject, const struct statement_options *options)
{
    static const struct {
        const char *kind;
        char *(*ask)(const char *name, const struct statement_options *options);
    } kinds[] = {{"python:", ask_module}, {"pkg:", ask_package}, {"program:", ask_program}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_starts(subject, kinds[i].kind)) {
            AUTO(memory) char *answer = kinds[i].ask(subject + strlen(kinds[i].kind), options);
            return number_in(answer);
        }
    return mem_text("");
}

void versions_done(struct versions *versions)
{
    list_done(&versions->subjects);
    list_done(&versions->numbers);
}

static const char *version_of(struct versions *versions, const char *subject,
                              const struct statement_options *options)
{
    size_t at = 0;
    while (at < versions->subjects.count && strcmp(versions->subjects.items[at], subject) != 0)
        at++;
    if (at == versions->subjects.count) {
        list_add(&versions->subjects, subject);
        list_take(&versions->numbers, ask(subject, options));
    }
    return versions->numbers.items[at];
}

struct bilanx_error versions_allow(struct versions *versions, const struct bilanx_suite_case *item,
                                   const struct statement_options *options, bool *allowed)
{
    *allowed = true;
    if (!item->since && !item->until)
        return BILANX_SUCCESS;
    const char *subject = item->subject ? item->subject : USUAL_SUBJECT;
    const char *version = version_of(versions, subject, options);
    if (!*version)
        return bilanx_error_make(BILANX_E_FAILED,
                                 "%s:%u: the version of '%s' is unknown, but '%.100s' is for some "
                                 "versions only: install it, or name another 'subject'",
                                 item->file, item->line, subject, item->name);
    int order;
    if (item->since && version_compare(version, item->since, &order) && order < 0)
        *allowed = false;
    if (item->until && version_compare(version, item->until, &order) && order >= 0)
        *allowed = false;
    return BILANX_SUCCESS;
}
