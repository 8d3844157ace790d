// rounds: runs the commands in turn until each is known well enough.
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/random.h"
#include "child.h"
#include "conclude.h"
#include "core/run/watch.h"
#include "core/timer/reference.h"

enum { MIN_RUNS = 10, OUTPUT_KEPT = 4096 };
static const double MIN_RUN_TIME_S = 1, MAX_RUN_TIME_S = 3, PRECISION = 0.005, TIMEOUT_S = 3600;

struct session {
    struct commands *commands;
    const struct commands_options *options;
    const struct commands_observer *observer;
    struct random random;
    struct clock clock;
    struct watch watch;
    int nothing;           // /dev/null
    int kept;              // memory file for output that may have to be shown
    struct child *setups;  // one per item: their background processes are still needed
    size_t *order;
    uint64_t round;
};

// Moves a descriptor above the standard streams, even if bilanx was started without those: a
// child's streams go there.
static int move_up(int fd)
{
    int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 10);
    if (fd >= 0)
        close(fd);
    return moved;
}

static struct bilanx_error open_streams(struct session *session)
{
    session->nothing = move_up(open("/dev/null", O_RDWR | O_CLOEXEC));
    session->kept = move_up(memfd_create("output", MFD_CLOEXEC));
    if (session->nothing < 0 || session->kept < 0 || fcntl(session->kept, F_SETFL, O_APPEND) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open /dev/null or a file in memory: %s",
                                 strerror(errno));
    return BILANX_SUCCESS;
}

static void empty_kept(struct session *session)
{
    struct stat status;
    if (fstat(session->kept, &status) == 0 && status.st_size > 0 &&
        ftruncate(session->kept, 0) != 0)
        return;  // the output shown will be too long
}

// Reads the end of the last child's output.
static void read_kept(struct session *session, char out[OUTPUT_KEPT + 1])
{
    struct stat status = {0};
    fstat(session->kept, &status);
    off_t from = status.st_size > OUTPUT_KEPT ? status.st_size - OUTPUT_KEPT : 0;
    ssize_t size = pread(session->kept, out, OUTPUT_KEPT, from);
    out[size > 0 ? size : 0] = '\0';
}

static void fail_item(struct session *session, struct commands_item *item,
                      const struct bilanx_error *error, const char *phase)
{
    char output[OUTPUT_KEPT + 1];
    read_kept(session, output);
    record_fail(&item->record, error, phase, output);
    item->done = true;
}

static struct bilanx_error find_program(const char *name, char **out)
{
    char *path = strchr(name, '/') ? mem_text(name) : file_find_program(name);
    if (!path)
        return bilanx_error_make(
            BILANX_E_SYSTEM, "cannot find '%s' in PATH%s", name,
            strpbrk(name, " \t|&;<>$`*(")
                ? " (type its words without quotes, and --and between commands; or add "
                  "--shell)"
                : "");
    *out = path;
    return BILANX_SUCCESS;
}

static uint64_t timeout_ns(const struct commands_options *options)
{
    return (uint64_t)((options->timeout > 0 ? options->timeout : TIMEOUT_S) * 1e9);
}

// Runs a command that is not measured. The caller releases `child`.
static struct bilanx_error run_hook(struct session *session, const struct commands_hook *hook,
                                    bool uninterrupted, struct child *child)
{
    AUTO(memory) char *program = NULL;
    empty_kept(session);
    BILANX_TRY(find_program(hook->argv.items[0], &program));
    bool shown = session->options->output == COMMANDS_SHOWN;
    int output = shown ? STDERR_FILENO : session->kept;
    struct child_options options = {.program = program,
                                    .argv = hook->argv.items,
                                    .streams = {session->nothing, output, output},
                                    .timeout_ns = timeout_ns(session->options),
                                    .watched = session->kept,
                                    .uninterrupted = uninterrupted};
    struct bilanx_error error = child_run(&options, &session->clock, child);
    if (error.status == BILANX_OK)
        error = child_fate(child->status);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    return bilanx_error_make(error.status, "'%.300s': %s", hook->text, error.text);
}

static int open_file(const char *path, int flags)
{
    return move_up(open(path, flags | O_CLOEXEC, 0666));
}

// Opens files anew for each run, so that they are read and written from the start.
static struct bilanx_error open_run_streams(const struct session *session, int *in, int *out)
{
    const struct commands_options *options = session->options;
    struct stat status;
    if (options->input && stat(options->input, &status) == 0 && S_ISFIFO(status.st_mode))
        return bilanx_error_make(
            BILANX_E_INPUT,
            "'%s' is a FIFO, but every run reads its input from the start: use a file",
            options->input);
    *in = options->input ? open_file(options->input, O_RDONLY) : -1;
    if (options->input && *in < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot open '%s': %s", options->input,
                                 strerror(errno));
    bool file = options->output == COMMANDS_TO_FILE;
    *out = file ? open_file(options->output_file, O_WRONLY | O_CREAT | O_TRUNC) : -1;
    if (file && *out < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", options->output_file,
                                 strerror(errno));
    return BILANX_SUCCESS;
}

// A command is too long to be kept or dropped by the state of the core. But its record can tell how
// often the core was shared.
static void read_pace(const struct session *session, struct commands_item *item)
{
    mem_grow(item->readings, item->reading_count, &item->reading_room);
    item->readings[item->reading_count++] = reference_pace(&session->clock);
}

static struct bilanx_error run_measured(struct session *session, struct commands_item *item,
                                        struct child *child)
{
    AUTO(fd) int in = -1;
    AUTO(fd) int out = -1;
    empty_kept(session);
    BILANX_TRY(open_run_streams(session, &in, &out));
    if (!item->program)
        BILANX_TRY(find_program(item->argv.items[0], &item->program));
    bool shown = session->options->output == COMMANDS_SHOWN;
    struct child_options options = {
        .program = item->program,
        .argv = item->argv.items,
        .streams = {in < 0 ? session->nothing : in,
                    shown     ? STDERR_FILENO
                    : out < 0 ? session->nothing
                              : out,
                    shown ? STDERR_FILENO : session->kept},
        .timeout_ns = timeout_ns(session->options),
        .watched = session->kept,
    };
    read_pace(session, item);
    struct bilanx_error error = child_run(&options, &session->clock, child);
    read_pace(session, item);
    return error;
}

static void count_exit(struct commands_item *item, int status)
{
    size_t i = 0;
    while (i < item->exit_count && item->exits[i].status != status)
        i++;
    if (i == item->exit_count) {
        mem_grow(item->exits, item->exit_count, &item->exit_room);
        item->exits[item->exit_count++] = (struct exit_count){.status = status};
    }
    item->exits[i].count++;
}

static void keep_run(struct session *session, struct commands_item *item, const struct child *child)
{
    mem_grow(item->runs, item->run_count, &item->run_room);
    item->runs[item->run_count++] = (struct commands_run){
        .wall = child->wall, .user = child->user, .system = child->system, .round = session->round};
    item->max_rss = child->max_rss > item->max_rss ? child->max_rss : item->max_rss;
    if (child->status)
        count_exit(item, child->status);
}

// Prepares and runs an item once. A failure is written into its record; returns only ^C.
static struct bilanx_error run_once(struct session *session, struct commands_item *item, bool keep)
{
    AUTO(child) struct child preparing = {0};
    AUTO(child) struct child child = {0};
    const char *phase = "prepare";
    struct bilanx_error error = BILANX_SUCCESS;
    if (item->prepare.text)
        error = run_hook(session, &item->prepare, false, &preparing);
    if (error.status == BILANX_OK) {
        error = run_measured(session, item, &child);
        phase = error.status == BILANX_E_SYSTEM ? "start" : "stmt";
    }
    if (error.status == BILANX_OK && !session->options->ignore_failure) {
        struct bilanx_error fate = child_fate(child.status);
        if (fate.status != BILANX_OK)
            error = bilanx_error_make(fate.status, "%s (--ignore-failure measures it anyway)",
                                      fate.text);
    }
    if (error.status == BILANX_E_INTERRUPTED)
        return error;
    if (error.status != BILANX_OK)
        fail_item(session, item, &error, phase);
    else if (keep)
        keep_run(session, item, &child);
    return BILANX_SUCCESS;
}

static uint64_t least_runs(const struct commands_options *options)
{
    return options->min_runs ? options->min_runs : MIN_RUNS;
}

// An explicit limit takes precedence over the other one's default.
static double longest_time(const struct commands_options *options)
{
    if (options->max_run_time > 0)
        return options->max_run_time;
    return options->min_run_time > MAX_RUN_TIME_S ? options->min_run_time : MAX_RUN_TIME_S;
}

// The share of its limit that an item has used; 1 or more means it is done.
static double spent_share(const struct commands_item *item, const struct commands_options *options)
{
    if (options->runs)
        return (double)item->run_count / (double)options->runs;
    double runs = (double)item->run_count / (double)least_runs(options);
    double time = item->spent / longest_time(options);
    double share = runs < time ? runs : time;
    double most = options->max_runs ? (double)item->run_count / (double)options->max_runs : 0;
    return share > most ? share : most;
}

// Checks the precision only occasionally, because it requires sorting.
static void look_at_precision(struct commands_item *item, const struct commands_options *options)
{
    double least = options->min_run_time > 0 ? options->min_run_time : MIN_RUN_TIME_S;
    if (item->run_count < item->next_look || item->spent < least)
        return;
    double wanted = options->precision > 0 ? options->precision : PRECISION;
    item->precise = item->run_count >= least_runs(options) &&
                    conclude_precision(item->runs, item->run_count) <= wanted;
    item->next_look = item->run_count + item->run_count / 8 + 1;
}

static double items_done(const struct commands *commands, const struct commands_options *options)
{
    double done = 0;
    for (size_t i = 0; i < commands->count; i++) {
        double share = commands->items[i].done ? 1 : spent_share(&commands->items[i], options);
        done += share > 1 ? 1 : share;
    }
    return done;
}

// A child's peak memory starts at ours at the spawn; smaller values cannot be measured.
static double own_peak(void)
{
    AUTO(text) struct text status = {0};
    long kilobytes = 0;
    if (file_read("/proc/self/status", &status).status == BILANX_OK) {
        const char *line = strstr(text_get(&status), "VmHWM:");
        kilobytes = line ? atol(line + 6) : 0;
    }
    return (double)kilobytes * 1024;
}

static void conclude(struct session *session, struct commands_item *item)
{
    struct commands *commands = session->commands;
    struct warning_facts facts = {.busy_share = watch_busy_share(&session->watch)};
    machine_governor(0, facts.governor, sizeof facts.governor);
    double least = own_peak();
    commands->least_max_rss = least > commands->least_max_rss ? least : commands->least_max_rss;
    if (item->max_rss <= least)
        item->max_rss = 0;
    bool whole = item->done;
    item->done = true;
    if (item->run_count == 0 && !item->record.error)
        return;
    conclude_item(commands, item, session->options, &facts);
    if (!whole)
        record_warn(&item->record, "interrupted",
                    "stopped by ^C before it had the requested number of runs");
    session->observer->finished(session->observer->context, item);
}

// Runs every unfinished item of the group once, in random order.
static struct bilanx_error run_round(struct session *session, size_t first, size_t count, bool keep)
{
    size_t open = 0;
    for (size_t i = first; i < first + count; i++)
        if (!session->commands->items[i].done)
            session->order[open++] = i;
    random_shuffle(&session->random, session->order, open);
    session->round++;
    for (size_t i = 0; i < open; i++) {
        struct commands_item *item = &session->commands->items[session->order[i]];
        if (interrupt_caught())  // between runs no wait was interrupted
            return bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
        session->observer->working(session->observer->context, item,
                                   items_done(session->commands, session->options));
        uint64_t started_ns = monotonic_ns();
        BILANX_TRY(run_once(session, item, keep));
        if (keep)
            item->spent += (double)(monotonic_ns() - started_ns) / 1e9;
        if (item->done)  // failed
            conclude(session, item);
    }
    return BILANX_SUCCESS;
}

// Ends items that are out of time, and all items once all are precise. Not one by one: the ratio of
// two improves with every further round that includes both. Returns true if none is left.
static bool end_round(struct session *session, size_t first, size_t count)
{
    bool all_precise = session->options->runs == 0;
    size_t open = 0;
    for (size_t i = first; i < first + count; i++) {
        struct commands_item *item = &session->commands->items[i];
        if (item->done)
            continue;
        if (spent_share(item, session->options) >= 1) {
            item->done = true;
            conclude(session, item);
            continue;
        }
        look_at_precision(item, session->options);
        all_precise &= item->precise;
        open++;
    }
    for (size_t i = first; open > 0 && all_precise && i < first + count; i++) {
        struct commands_item *item = &session->commands->items[i];
        if (item->done)
            continue;
        item->done = true;
        conclude(session, item);
        open--;
    }
    return open == 0;
}

// An earlier item of the group with the same setup or cleanup: run it only once.
static const struct commands_item *same_setup(const struct session *session, size_t first, size_t i)
{
    const struct commands_item *items = session->commands->items;
    for (size_t j = first; j < i; j++)
        if (text_equal(items[j].setup.text, items[i].setup.text))
            return &items[j];
    return NULL;
}

static bool same_cleanup_follows(const struct session *session, size_t i, size_t end)
{
    const struct commands_item *items = session->commands->items;
    for (size_t j = i + 1; j < end; j++)
        if (text_equal(items[j].cleanup.text, items[i].cleanup.text))
            return true;
    return false;
}

static struct bilanx_error set_up(struct session *session, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        struct commands_item *item = &session->commands->items[i];
        item->setup_started = true;
        if (!item->setup.text)
            continue;
        const struct commands_item *same = same_setup(session, first, i);
        struct bilanx_error error = BILANX_SUCCESS;
        if (!same)
            error = run_hook(session, &item->setup, false, &session->setups[i]);
        else if (same->record.error)
            error = bilanx_error_make(BILANX_E_EXITED, "%s", same->record.error->text);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        if (error.status != BILANX_OK) {
            fail_item(session, item, &error, "setup");
            conclude(session, item);
        }
    }
    return BILANX_SUCCESS;
}

// Also runs after ^C, so that nothing made by a setup is left behind.
static void clean_up(struct session *session, size_t first, size_t count)
{
    struct commands *commands = session->commands;
    for (size_t i = first; i < first + count; i++) {
        struct commands_item *item = &commands->items[i];
        AUTO(child) struct child child = {0};
        if (!item->cleanup.text || !item->setup_started ||
            same_cleanup_follows(session, i, first + count))
            continue;
        struct bilanx_error error = run_hook(session, &item->cleanup, true, &child);
        if (error.status == BILANX_OK || commands->cleanup_error)
            continue;
        char output[OUTPUT_KEPT + 1];
        read_kept(session, output);
        commands->cleanup_error =
            mem_format("cleanup %s%s%s", error.text, *output ? "\n" : "", output);
    }
    for (size_t i = first; i < first + count; i++)
        child_done(&session->setups[i]);
}

static struct bilanx_error measure_group(struct session *session, size_t first, size_t count)
{
    BILANX_TRY(set_up(session, first, count));
    for (uint64_t i = 0; i < session->options->warmup; i++)
        BILANX_TRY(run_round(session, first, count, false));
    do
        BILANX_TRY(run_round(session, first, count, true));
    while (!end_round(session, first, count));
    return BILANX_SUCCESS;
}

static struct bilanx_error measure_all(struct session *session)
{
    struct commands *commands = session->commands;
    size_t width = commands->interleaved ? commands->count : 1;
    struct bilanx_error error = BILANX_SUCCESS;
    for (size_t first = 0; first < commands->count && error.status == BILANX_OK; first += width) {
        error = measure_group(session, first, width);
        for (size_t i = first; i < first + width; i++)
            if (!commands->items[i].done)  // interrupted
                conclude(session, &commands->items[i]);
        clean_up(session, first, width);
    }
    return error;
}

struct bilanx_error commands_measure(struct commands *commands,
                                     const struct commands_options *options,
                                     const struct commands_observer *observer)
{
    struct session session = {.commands = commands,
                              .options = options,
                              .observer = observer,
                              .watch = watch_start(),
                              .nothing = -1,
                              .kept = -1};
    signal(SIGCHLD, SIG_DFL);  // if our parent ignored it, exit statuses would be lost
    random_init(&session.random, options->seed ? options->seed : random_fresh_seed());
    clock_open_monotonic(&session.clock);
    struct bilanx_error error = open_streams(&session);
    if (error.status == BILANX_OK) {
        session.setups = mem_array(struct child, commands->count);
        session.order = mem_array(size_t, commands->count);
        error = measure_all(&session);
        free(session.setups);
        free(session.order);
    }
    scope_fd(&session.nothing);
    scope_fd(&session.kept);
    return error;
}
