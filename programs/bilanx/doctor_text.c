// doctor_text: the doctor's findings as a list.
#include "doctor_report.h"

#include <stdio.h>
#include <string.h>

#include "base/table.h"

enum {
    NAME_COLUMN = 8,   // after "  good  "
    TEXT_COLUMN = 23,  // after the longest name, "interruptions"
};

static const enum table_tone tones[] = {
    [BILANX_GOOD] = TABLE_GOOD,
    [BILANX_KNOW] = TABLE_WARN,
    [BILANX_FIX] = TABLE_BAD,
};

// Adds words to a line that has reached `column`; indents the following lines.
static void add_wrapped(const char *words, size_t column, size_t indent, size_t width,
                        struct text *out)
{
    AUTO(text) struct text safe = {0};
    text_add_harmless(&safe, words);
    bool first = true;
    for (const char *at = text_get(&safe); *at;) {
        size_t size = strcspn(at, " ");
        AUTO(text) struct text word = {0};
        text_add_n(&word, at, size);
        size_t columns = text_width(text_get(&word));
        if (!first && column + 1 + columns > width) {
            text_add_char(out, '\n');
            text_add_repeated(out, " ", indent);
            column = indent;
        } else if (!first) {
            text_add_char(out, ' ');
            column++;
        }
        first = false;
        text_add(out, text_get(&word));
        column += columns;
        at += size + strspn(at + size, " ");
    }
    text_add_char(out, '\n');
}

static void add_finding(const struct bilanx_finding *finding, bool color, size_t width,
                        struct text *out)
{
    text_add(out, "  ");
    const char *grade = bilanx_grade_word(finding->grade);
    tone_add(out, color, tones[finding->grade], grade);
    text_add_repeated(out, " ", strlen("good") - strlen(grade));
    text_format(out, "  %-*s", TEXT_COLUMN - NAME_COLUMN, finding->name);
    add_wrapped(finding->text, TEXT_COLUMN, TEXT_COLUMN, width, out);
    if (finding->command[0]) {
        // Not wrapped, so that it can be copied.
        AUTO(text) struct text command = {0};
        text_add(&command, "-> ");
        text_add_harmless(&command, finding->command);
        text_add_repeated(out, " ", NAME_COLUMN);
        tone_add(out, color, TABLE_BOLD, text_get(&command));
        text_add_char(out, '\n');
    }
}

void doctor_text_findings(const struct bilanx_doctor *doctor, size_t first, bool color,
                          size_t width, struct text *out)
{
    const char *group = "";
    for (size_t i = first; i < doctor->finding_count; i++) {
        const struct bilanx_finding *finding = &doctor->findings[i];
        if (strcmp(group, finding->group) != 0) {
            text_add(out, i ? "\n" : "");
            tone_add(out, color, TABLE_BOLD, finding->group);
            if (strcmp(finding->group, "measured") == 0)
                text_format(out, " on CPU %d for %.1f s", doctor->cpu,
                            doctor->figures.elapsed_ns * 1e-9);
            text_add_char(out, '\n');
        }
        group = finding->group;
        add_finding(finding, color, width, out);
    }
}

void doctor_text_summary(const struct bilanx_doctor *doctor, bool color, size_t width,
                         struct text *out)
{
    AUTO(text) struct text words = {0};
    size_t counts[BILANX_FIX + 1] = {0};
    for (size_t i = 0; i < doctor->finding_count; i++) {
        const struct bilanx_finding *finding = &doctor->findings[i];
        if (finding->grade == BILANX_FIX)
            text_format(&words, "%s%s", counts[BILANX_FIX] ? ", " : "", finding->name);
        counts[finding->grade]++;
    }
    bool fix = counts[BILANX_FIX] > 0;
    text_format(&words, "%s%zu worth knowing, %zu good.", fix ? ". " : "", counts[BILANX_KNOW],
                counts[BILANX_GOOD]);
    const char *start = fix ? "To fix:" : "Nothing to fix.";
    text_add_char(out, '\n');
    tone_add(out, color, fix ? TABLE_BAD : TABLE_GOOD, start);
    text_add_char(out, ' ');
    add_wrapped(text_get(&words), strlen(start) + 1, strlen(start) + 1, width, out);
}
