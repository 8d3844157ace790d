// same_code: whether a case compiles to the same code on two revisions.
#include "same_code.h"

#include <string.h>

#include "core/worker/message.h"

struct ab_code ab_code_of(struct ab_side *side, const struct run_case *item)
{
    struct ab_code code = {""};
    AUTO(text) struct text line = {0};
    AUTO(message) struct message parsed = {0};
    text_format(&line, "open%s", item->open ? item->open : "");
    if (item->failure || message_parse(text_get(&line), line.size, &parsed).status != BILANX_OK)
        return code;
    const char *file = message_text(&parsed, "object");
    bool is_program = item->subject && item->subject->launch.argv;
    if (!file && message_text(&parsed, "case") && is_program)
        file = item->subject->launch.argv[0];
    if (!file || !side_fingerprint(side->side, file, code.text))
        code.text[0] = '\0';
    return code;
}

bool ab_is_same_code(const struct ab_code *a, const struct ab_code *b)
{
    return a->text[0] && strcmp(a->text, b->text) == 0;
}
