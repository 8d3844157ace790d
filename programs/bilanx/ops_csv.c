// ops_csv: a file with one row per operator, in the layout that the reference writes.
#include <math.h>
#include <string.h>

#include "base/table.h"
#include "ops_report.h"

static const char *const percents[] = {"20th", "50th", "80th"};

static void add_word(struct text *line, const char *word, bool safe)
{
    if (line->size)
        text_add_char(line, ',');
    table_add_csv(line, word, safe);
}

static void add_number(struct text *line, int digits, double number)
{
    char word[64] = "";
    if (isfinite(number))
        snprintf(word, sizeof word, "%.*f", digits, number);
    text_add_char(line, ',');
    text_add(line, word);
}

static void end_line(FILE *file, const struct text *line)
{
    fprintf(file, "%s\n", text_get(line));
    fflush(file);
}

static const char *baseline_name(const struct ops *ops)
{
    const char *name = ops->backends.items[0].name;
    return strcmp(name, "torch") == 0 ? "eager" : name;
}

static void add_titled(struct text *line, const char *name, const char *what, bool safe)
{
    AUTO(text) struct text title = {0};
    text_format(&title, "%s %s", name, what);
    add_word(line, text_get(&title), safe);
}

void ops_csv_head(FILE *file, const struct ops *ops, bool safe)
{
    AUTO(text) struct text line = {0};
    AUTO(memory) char *pair = ops_pair_name(ops);
    add_word(&line, "operator", safe);
    for (size_t b = 1; b < ops->backends.count; b++)
        for (size_t i = 0; i < 3; i++)
            add_titled(&line, ops->backends.items[b].name, percents[i], safe);
    for (size_t i = 0; pair && i < 3; i++)
        add_titled(&line, pair, percents[i], safe);
    add_word(&line, "elapsed", safe);
    add_titled(&line, baseline_name(ops), "abs", safe);
    for (size_t b = 1; b < ops->backends.count; b++)
        add_titled(&line, ops->backends.items[b].name, "abs", safe);
    end_line(file, &line);
}

static void add_speedup(struct text *line, const struct speedup *speedup)
{
    add_number(line, 6, speedup->low);
    add_number(line, 6, speedup->mid);
    add_number(line, 6, speedup->high);
}

void ops_csv_row(FILE *file, const struct ops *ops, const struct ops_operator *of, bool safe)
{
    AUTO(text) struct text line = {0};
    if (isnan(speedup_mean_time(of, 0)))
        return;
    add_word(&line, of->logged->name, safe);
    for (size_t b = 1; b < ops->backends.count; b++) {
        struct speedup speedup = speedup_of(of, 0, b);
        add_speedup(&line, &speedup);
    }
    AUTO(memory) char *pair = ops_pair_name(ops);
    if (pair) {
        struct speedup speedup = speedup_of(of, 1, 2);
        add_speedup(&line, &speedup);
    }
    add_number(&line, 6, of->elapsed_s);
    for (size_t b = 0; b < ops->backends.count; b++)
        add_number(&line, 8, speedup_mean_time(of, b));
    end_line(file, &line);
}
