// pairs: tries every pair of options of every command.
//
// Next to the other, an option works or is refused. It works if the options that reach whatever
// measures (engines.h), the output or the files written differ from those without it. It is refused
// with status 2 and a message that names both. Anything else is an option that a user believes in
// and that does nothing.
//
//     option_pairs              every scenario
//     option_pairs NAME OPTION  one of them, of each pair with this option: shows what happens
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/mem.h"
#include "base/options_given.h"
#include "command.h"
#include "engines.h"
#include "scenarios.h"

static const char *watched;  // an option whose pairs are shown; NULL: none

static bool equal(struct hash a, struct hash b)
{
    return a.a == b.a && a.b == b.b;
}

// ---- Trying a command line

static struct text read_all(int fd)
{
    struct text text = {0};
    char bytes[65536];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t size; (size = read(fd, bytes, sizeof bytes)) > 0;)
        text_add_n(&text, bytes, (size_t)size);
    return text;
}

static void run_child(const struct scenario *scenario, const struct list *words, const int *fds)
{
    engine_log = fdopen(fds[2], "w");
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(fds[0], 1);
    dup2(fds[1], 2);
    alarm(20);
    int code = scenario->command->run(scenario->command, (int)words->count, words->items);
    fprintf(engine_log, "\n");
    fflush(NULL);
    _exit(code);
}

// Adds the files that a run left, and removes them.
static void take_files(const char *folder, struct text *out)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        AUTO(memory) char *path = mem_format("%s/%s", folder, names[i]->d_name);
        struct stat facts;
        if (strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0 &&
            lstat(path, &facts) == 0) {
            text_format(out, "\nfile %s:\n", path);
            if (S_ISDIR(facts.st_mode)) {
                take_files(path, out);
                rmdir(path);
            } else {
                int fd = open(path, O_RDONLY);
                AUTO(text) struct text content = read_all(fd);
                close(fd);
                text_add(out, text_get(&content));
                unlink(path);
            }
        }
        free(names[i]);
    }
    free(names);
}

struct outcome {
    int status;
    struct hash seen;  // everything that can be seen of it
    char *message;
};

static void outcome_done(struct outcome *outcome)
{
    free(outcome->message);
}
SCOPE_VALUE(outcome, outcome_done)

static void put_file(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    fputs(content, file);
    fclose(file);
}

static struct outcome try(const struct scenario *scenario, const struct list *words)
{
    int fds[3], status;
    for (size_t i = 0; i < 3; i++)
        fds[i] = memfd_create("captured", 0);
    put_file(OLD_RECORDS, fixed_record);
    put_file(RESUMED_RECORDS, fixed_record);
    put_file(OLD_SAMPLES, fixed_sample);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(scenario, words, fds);
    waitpid(child, &status, 0);
    AUTO(text) struct text seen = {0};
    struct outcome outcome = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128};
    text_format(&seen, "status %d\n", status);
    for (size_t i = 0; i < 3; i++) {
        AUTO(text) struct text part = read_all(fds[i]);
        text_format(&seen, "--- %zu\n", i);
        text_add(&seen, text_get(&part));
        if (i == 1)
            outcome.message = mem_text(text_get(&part));
        close(fds[i]);
    }
    take_files(".", &seen);
    if (watched)
        printf("%s\n", text_get(&seen));
    outcome.seen = hash_of_text(text_get(&seen));
    return outcome;
}

// ---- Options and what they need

static bool is_given(const struct scenario *scenario, const struct option *option)
{
    AUTO(options_given) struct options_given given = {0};
    int count = 0;
    while (scenario->words[count])
        count++;
    options_given_find(scenario_options(scenario), count, (char **)scenario->words, &given);
    for (size_t i = 0; i < given.count; i++)
        if (given.items[i].option == option)
            return true;
    return false;
}

static void collect_options(const struct scenario *scenario, const struct option *options,
                            struct words *out)
{
    for (; options->name || options->group; options++)
        if (options->group) {
            collect_options(scenario, options->group, out);
        } else if (options->help && !is_given(scenario, options)) {
            mem_grow(out->items, out->count, &out->room);
            out->items[out->count++] = options->name;
        }
}

static const char *needed_by(const struct option_rule *rules, const char *name)
{
    for (; rules && (rules->options || rules->group); rules++) {
        const char *found = rules->group ? needed_by(rules->group, name) : NULL;
        AUTO(memory) char *all = mem_format(" %s ", rules->options ? rules->options : "");
        AUTO(memory) char *one = mem_format(" %s ", name);
        if (found)
            return found;
        if (rules->options && rules->kind == RULE_NEEDS && strstr(all, one))
            return rules->others;
    }
    return NULL;
}

// What a line has: option names to values, in order.
struct line {
    struct {
        char name[40], value[80];
        bool companion;
    } items[24];
    size_t count;
};

static bool has(const struct line *line, const char *name)
{
    for (size_t i = 0; i < line->count; i++)
        if (strcmp(line->items[i].name, name) == 0)
            return true;
    return false;
}

static void add_option(const struct scenario *scenario, const char *name, const char *value,
                       bool companion, struct line *line)
{
    const struct option *option = options_find(scenario_options(scenario), name);
    if (has(line, name) || !option || is_given(scenario, option))
        return;
    size_t at = line->count++;
    snprintf(line->items[at].name, sizeof line->items[at].name, "%s", name);
    snprintf(line->items[at].value, sizeof line->items[at].value, "%s",
             value ? value : scenario_value(scenario, option));
    line->items[at].companion = companion;
}

// Adds what an option needs, but not the option itself.
static void add_needs(const struct scenario *scenario, const char *name, struct line *line)
{
    const char *needs = needed_by(scenario_rules(scenario), name);
    if (!needs)
        return;
    char term[64];
    snprintf(term, sizeof term, "%.*s", (int)strcspn(needs, " "), needs);
    char *equals = strchr(term, '=');
    if (equals)
        *equals++ = '\0';
    const char *given = strcmp(term, "json") == 0 ? scenario_output_for(scenario, name) : NULL;
    add_needs(scenario, term, line);
    add_option(scenario, term, equals ? equals : given, true, line);
}

static void make_words(const struct scenario *scenario, const struct line *line, struct list *out)
{
    list_add(out, scenario->words[0]);
    for (size_t i = 0; i < line->count; i++) {
        const struct option *option = options_find(scenario_options(scenario), line->items[i].name);
        const char *value = line->items[i].value;
        AUTO(memory) char *joined = *value && option->kind == OPTION_PERHAPS
                                        ? mem_format("--%s=%s", option->name, value)
                                        : mem_format("--%s", option->name);
        list_add(out, joined);
        for (const char *at = value; option->kind != OPTION_PERHAPS && *at;) {
            size_t size = option->values > 1 ? strcspn(at, " ") : strlen(at);
            list_take(out, mem_text_n(at, size));
            at += size + (at[size] == ' ');
        }
    }
    for (size_t i = 1; scenario->words[i]; i++)
        list_add(out, scenario->words[i]);
}

static char *shown(const struct list *words)
{
    struct text text = {0};
    for (size_t i = 0; i < words->count; i++)
        text_format(&text, "%s%s", i ? " " : "", words->items[i]);
    return text_take(&text);
}

static struct outcome try_line(const struct scenario *scenario, const struct line *line)
{
    AUTO(list) struct list words = {0};
    make_words(scenario, line, &words);
    return try(scenario, &words);
}

// What a line without one of a pair does, which many pairs ask for.
static struct {
    struct hash line, seen;
} *tries;
static size_t try_count, try_room;

static struct hash try_again(const struct scenario *scenario, const struct line *line)
{
    AUTO(list) struct list words = {0};
    make_words(scenario, line, &words);
    AUTO(memory) char *text = shown(&words);
    const struct hash key = hash_of_text(text);
    for (size_t i = 0; i < try_count; i++)
        if (equal(tries[i].line, key))
            return tries[i].seen;
    struct outcome outcome = try(scenario, &words);
    free(outcome.message);
    mem_grow(tries, try_count, &try_room);
    tries[try_count].line = key;
    tries[try_count++].seen = outcome.seen;
    return outcome.seen;
}

// ---- Judging

static size_t complaints, refusals, tried;

static void complain_of(const struct scenario *scenario, const struct line *line, const char *what,
                        const char *message)
{
    AUTO(list) struct list words = {0};
    make_words(scenario, line, &words);
    AUTO(memory) char *text = shown(&words);
    AUTO(memory) char *first = mem_text_n(message, strcspn(message, "\n"));
    printf("# bilanx %s\n#   %s%s%s\n", text, what, *first ? ": " : "", first);
    complaints++;
}

// Whether a message names an option, or what was added because of it.
static bool names(const struct scenario *scenario, const char *message, const char *name)
{
    const struct option *option = options_find(scenario_options(scenario), name);
    AUTO(memory) char *longer = mem_format("--%s", name);
    AUTO(memory) char *shorter = mem_format("-%c ", option->letter ? option->letter : '?');
    for (const char *at = message; (at = strstr(at, longer)); at++)
        if (!strchr("-abcdefghijklmnopqrstuvwxyz", at[strlen(longer)]) || !at[strlen(longer)])
            return true;
    return strstr(message, shorter) || (option->letter == 'o' && strstr(message, "-o"));
}

static bool names_part(const struct scenario *scenario, const char *message, const char *name)
{
    struct line needs = {0};
    add_needs(scenario, name, &needs);
    for (size_t i = 0; i < needs.count; i++)
        if (names(scenario, message, needs.items[i].name))
            return true;
    return names(scenario, message, name);
}

// The line of a pair; `without` names the one to leave out, NULL: none.
static struct line line_of(const struct scenario *scenario, const char *one, const char *other,
                           const char *without)
{
    struct line line = {0};
    add_needs(scenario, one, &line);
    if (other)
        add_needs(scenario, other, &line);
    for (size_t i = 0; i < 2; i++) {
        const char *name = i ? other : one;
        if (name && name != without && !has(&line, name))
            add_option(scenario, name, NULL, false, &line);
    }
    // Whichever needs it first, --append is about a file that exists.
    for (size_t i = 0; i < line.count; i++)
        for (size_t k = 0; k < 2 && strcmp(line.items[i].name, "json") == 0; k++) {
            const char *path = scenario_output_for(scenario, k ? other : one);
            if (path)
                snprintf(line.items[i].value, sizeof line.items[i].value, "%s", path);
        }
    return line;
}

static void judge_pair(const struct scenario *scenario, const char *one, const char *other)
{
    const struct line both = line_of(scenario, one, other, NULL);
    AUTO(outcome) struct outcome together = try_line(scenario, &both);
    tried++;
    if (together.status == EXIT_USAGE) {
        refusals++;
        // With other cases, a value may name none.
        if (strstr(together.message, "names no case"))
            return;
        if (!names_part(scenario, together.message, one) ||
            !names_part(scenario, together.message, other))
            complain_of(scenario, &both, "the refusal does not name both", together.message);
        return;
    }
    if (together.status >= 128)
        complain_of(scenario, &both, "died", together.message);
    for (size_t i = 0; i < 2; i++) {
        const char *left_out = i ? other : one;
        const struct line line = line_of(scenario, one, other, left_out);
        if (line.count == both.count ||
            scenario_is_vacuous(scenario, left_out, i ? one : other))  // the other needs it
            continue;
        const struct hash alone = try_again(scenario, &line);
        if (equal(alone, together.seen)) {
            AUTO(memory) char *what = mem_format("--%s is ignored", left_out);
            complain_of(scenario, &both, what, "");
        }
    }
}

// An option by itself works, or is refused for what is measured here.
static bool works_alone(const struct scenario *scenario, const char *name)
{
    const struct line line = line_of(scenario, name, NULL, NULL);
    const struct line less = line_of(scenario, name, NULL, name);
    AUTO(outcome) struct outcome with = try_line(scenario, &line);
    AUTO(outcome) struct outcome again = try_line(scenario, &line);
    AUTO(outcome) struct outcome without = try_line(scenario, &less);
    if (with.status == EXIT_USAGE) {
        if (!names_part(scenario, with.message, name))
            complain_of(scenario, &line, "the refusal does not name it", with.message);
        if (getenv("SHOW_REFUSALS"))
            printf("# refused here: --%s: %s", name, with.message);
        return false;
    }
    if (!equal(with.seen, again.seen))
        complain_of(scenario, &line, "two runs differ, so nothing can be said", "");
    if (equal(with.seen, without.seen) && scenario_is_vacuous(scenario, name, NULL))
        return false;
    if (equal(with.seen, without.seen)) {
        complain_of(scenario, &line, "has no effect", "");
        return false;
    }
    return true;
}

static void walk(const struct scenario *scenario, const char *only)
{
    AUTO(words) struct words options = {0};
    collect_options(scenario, scenario_options(scenario), &options);
    size_t kept = 0;
    for (size_t i = 0; i < options.count; i++)
        if (works_alone(scenario, options.items[i]))
            options.items[kept++] = options.items[i];
    for (size_t i = 0; i < kept; i++)
        for (size_t k = i + 1; k < kept; k++)
            if (!only || strcmp(options.items[i], only) == 0 || strcmp(options.items[k], only) == 0)
                judge_pair(scenario, options.items[i], options.items[k]);
}

int main(int argc, char **argv)
{
    char shared[] = "/dev/shm/option_pairs.XXXXXX", other[] = "/tmp/option_pairs.XXXXXX";
    char *folder = access("/dev/shm", W_OK) == 0 ? shared : other;  // in memory: ten times faster
    AUTO(memory) char *out = mem_format("%s/out", mkdtemp(folder));
    AUTO(memory) char *in = mem_format("%s/in", folder);
    mkdir(out, 0700);
    mkdir(in, 0700);
    if (chdir(in) != 0)
        return 1;
    scenario_files();
    if (chdir(out) != 0)
        return 1;
    setenv("COLUMNS", "100", 1);
    setenv("HOME", out, 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("XDG_CONFIG_HOME");
    watched = argc > 2 ? argv[2] : NULL;
    int number = 0, failed = 0;
    for (const struct scenario *scenario = scenarios; scenario->name; scenario++) {
        if (argc > 1 && strcmp(argv[1], scenario->name) != 0)
            continue;
        complaints = refusals = tried = 0;
        walk(scenario, watched);
        failed += complaints > 0;
        printf("%s %d - %s: every option works beside every other, or is refused\n",
               complaints ? "not ok" : "ok", ++number, scenario->name);
        printf("# %zu pairs, %zu of them refused, %zu complaints\n", tried, refusals, complaints);
        fflush(stdout);
    }
    printf("1..%d\n", number);
    if (chdir("/") == 0) {
        AUTO(text) struct text gone = {0};
        take_files(folder, &gone);
        rmdir(folder);
    }
    return failed != 0;
}
