// No test waits for time to pass: the deadlines only limit a test that fails.
#include "base/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "bilanx/keep.h"
#include "unit.h"

enum { PATIENCE_S = 20 };

static uint64_t soon(void)
{
    return monotonic_ns() + PATIENCE_S * 1000000000ull;
}

static struct process start(int (*body)(void *context, int in, int out))
{
    struct process process = {0};
    assert_ok(process_start(&(struct process_options){.body = body}, &process));
    return process;
}

static void say(struct process *process, const char *line)
{
    assert_ok(process_send(process, line, strlen(line)));
}

static void assert_hears(struct process *process, const char *expected)
{
    AUTO(text) struct text line = {0};
    assert_ok(process_receive(process, soon(), &line));
    assert_string_equal(text_get(&line), expected);
}

static void assert_fate(struct process *process, enum bilanx_status status, const char *part)
{
    AUTO(text) struct text line = {0};
    text_add(&line, "untouched");
    assert_error(process_receive(process, soon(), &line), status, part);
    assert_string_equal(text_get(&line), "untouched");
}

static int write_line(int out, const char *line)
{
    return write(out, line, strlen(line)) == (ssize_t)strlen(line) ? 0 : 1;
}

// Waits to be killed, but not forever.
__attribute__((noreturn)) static void linger(void)
{
    alarm(PATIENCE_S);
    for (;;)
        pause();
}

static int linger_in_body(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    linger();
}

// Echoes every line.
static int echo(void *context, int in, int out)
{
    (void)context;
    AUTO(file) FILE *from = fdopen(in, "r");
    AUTO(file) FILE *to = fdopen(out, "w");
    AUTO(memory) char *line = NULL;
    size_t room = 0;
    ssize_t size;
    while ((size = getline(&line, &room, from)) > 0) {
        fwrite(line, 1, (size_t)size, to);
        fflush(to);
    }
    return 0;
}

static void a_forked_body_exchanges_lines(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(echo);
    say(&process, "one\n");
    assert_hears(&process, "one");
    say(&process, "two\n\nthr");
    assert_hears(&process, "two");
    assert_hears(&process, "");
    say(&process, "ee\n");
    assert_hears(&process, "three");
    assert_ok(process_finish(&process, soon()));
}

static int answer_with_context(void *context, int in, int out)
{
    (void)in;
    return write_line(out, context);
}

static void a_body_gets_its_context(void **state)
{
    (void)state;
    char context[] = "this\n";
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = answer_with_context, .context = context};
    assert_ok(process_start(&options, &process));
    assert_hears(&process, "this");
}

// Run when started as `test_process child`.
static int executed_child(void)
{
    int in, out, again;
    process_find_channel("TEST_CHANNEL", &in, &out);
    bool hidden = !getenv("TEST_CHANNEL") && fcntl(in, F_GETFD) == FD_CLOEXEC &&
                  fcntl(out, F_GETFD) == FD_CLOEXEC;
    process_find_channel("TEST_CHANNEL", &again, &again);
    write_line(out, hidden && again == -1 ? "hidden\n" : "seen by its children\n");
    puts("noise on stdout");
    return echo(NULL, in, out);
}

static void an_executed_program_exchanges_lines(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {
        .argv = (const char *const[]){"/proc/self/exe", "child", NULL},
        .channel = "TEST_CHANNEL",
    };
    assert_ok(process_start(&options, &process));
    assert_hears(&process, "hidden");
    say(&process, "hello\n");
    assert_hears(&process, "hello");
    assert_ok(process_finish(&process, soon()));
    assert_string_equal(text_get(&process.output), "noise on stdout\n");
}

static void a_missing_or_malformed_channel_is_none(void **state)
{
    (void)state;
    static const char *const values[] = {NULL, "", "5", "5,", "x,5", "5;6"};
    for (size_t i = 0; i < LENGTH(values); i++) {
        if (values[i])
            setenv("TEST_CHANNEL", values[i], 1);
        int in = 42, out = 42;
        process_find_channel("TEST_CHANNEL", &in, &out);
        assert_int_equal(in, -1);
        assert_int_equal(out, -1);
    }
}

static size_t open_descriptors(void)
{
    AUTO(directory) DIR *directory = opendir("/proc/self/fd");
    size_t count = 0;
    while (readdir(directory))
        count++;
    return count;
}

static void a_missing_program_is_an_error_that_names_it(void **state)
{
    (void)state;
    size_t before = open_descriptors();
    struct process process = {.pid = 42};
    const struct process_options options = {.argv = (const char *const[]){"/no/such program", NULL},
                                            .channel = "TEST_CHANNEL"};
    assert_error(process_start(&options, &process), BILANX_E_SYSTEM,
                 "cannot run '/no/such program': No such file or directory");
    assert_int_equal(process.pid, 42);
    assert_int_equal(open_descriptors(), before);
}

static void no_descriptor_is_left_open(void **state)
{
    (void)state;
    size_t before = open_descriptors();
    struct process process = start(echo);
    say(&process, "one\n");
    process_done(&process);
    process_done(&process);
    assert_int_equal(open_descriptors(), before);
    struct process zeroes = {0};
    process_done(&zeroes);
    assert_int_equal(open_descriptors(), before);
}

static int send_in_pieces(void *context, int in, int out)
{
    (void)context, (void)in;
    int failed = write_line(out, "first\nsec");
    usleep(30000);
    failed |= write_line(out, "on");
    usleep(30000);
    return failed | write_line(out, "d\nthird\nunfinished");
}

static void a_line_may_come_in_pieces(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(send_in_pieces);
    assert_hears(&process, "first");
    assert_hears(&process, "second");
    assert_hears(&process, "third");
    assert_fate(&process, BILANX_E_EXITED, "exited with status 0");
}

static void a_line_may_be_a_megabyte_long(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    AUTO(memory) char *sent = mem_array(char, SIZE + 1);
    for (size_t i = 0; i < SIZE; i++)
        sent[i] = (char)('a' + i % 23);
    AUTO(process) struct process process = start(echo);
    assert_ok(process_send(&process, sent, SIZE));
    say(&process, "\nshort\n");
    AUTO(text) struct text line = {0};
    assert_ok(process_receive(&process, soon(), &line));
    assert_int_equal(line.size, SIZE);
    assert_memory_equal(line.data, sent, SIZE + 1);
    assert_hears(&process, "short");
}

static int crash(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    signal(SIGSEGV, SIG_DFL);  // a sanitizer would handle it
    return raise(SIGSEGV);
}

static int get_killed(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    return raise(SIGKILL);
}

static int exit_with_seven(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    return 7;
}

static void a_crash_is_reported_with_its_signal(void **state)
{
    (void)state;
    AUTO(process) struct process crashed = start(crash);
    assert_fate(&crashed, BILANX_E_CRASHED, "killed by signal 11, Segmentation fault");
    assert_int_equal(crashed.pid, 0);
    AUTO(process) struct process killed = start(get_killed);
    assert_fate(&killed, BILANX_E_CRASHED, "killed by signal 9, Killed (possibly out of memory)");
}

static void an_exit_is_reported_with_its_status(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(exit_with_seven);
    assert_fate(&process, BILANX_E_EXITED, "exited with status 7 before it was done");
    assert_true(process.max_rss_bytes > 0);
}

static void sending_to_a_dead_child_reports_how_it_ended(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(exit_with_seven);
    assert_fate(&process, BILANX_E_EXITED, "status 7");
    assert_error(process_send(&process, "hello\n", 6), BILANX_E_EXITED, "status 7");
}

static int close_channel_and_linger(void *context, int in, int out)
{
    (void)context;
    close(in);
    close(out);
    linger();
}

static void a_child_that_closes_its_channel_but_keeps_running_is_reported(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(close_channel_and_linger);
    assert_fate(&process, BILANX_E_EXITED, "closed its channel but kept running");
}

static void waiting_for_a_silent_child_ends_at_the_deadline(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(linger_in_body);
    AUTO(text) struct text line = {0};
    assert_error(process_receive(&process, monotonic_ns() + 1000000, &line), BILANX_E_TIMED_OUT,
                 "no answer in time");
    assert_true(process.pid > 0);
}

static int print_much(void *context, int in, int out)
{
    (void)context, (void)in;
    for (int i = 0; i < 100000; i++)
        printf("%d,", i);
    fflush(stdout);
    fputs("the end", stderr);
    return write_line(out, "done\n");
}

static void the_end_of_the_output_is_kept_apart_from_the_channel(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(print_much);
    assert_hears(&process, "done");
    assert_ok(process_finish(&process, soon()));
    assert_int_equal(process.output.size, 4096);
    static const char end[] = "99998,99999,the end";
    assert_string_equal(process.output.data + 4096 - strlen(end), end);
}

static int print_after_closing(void *context, int in, int out)
{
    close(in);
    close(out);
    for (int i = 0; i < 100000; i++)
        printf("%d,", i);
    (void)context;
    return 3;
}

static void output_after_the_channel_closes_is_kept_too(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(print_after_closing);
    assert_fate(&process, BILANX_E_EXITED, "status 3");
    static const char end[] = "99998,99999,";
    assert_int_equal(process.output.size, 4096);
    assert_string_equal(process.output.data + 4096 - strlen(end), end);
}

static int read_stdin(void *context, int in, int out)
{
    (void)context, (void)in;
    char byte;
    return write_line(out, read(STDIN_FILENO, &byte, 1) == 0 ? "empty\n" : "not empty\n");
}

// Run when started as `test_process environment`.
static int tell_environment(void)
{
    int in, out;
    process_find_channel("TEST_CHANNEL", &in, &out);
    AUTO(text) struct text line = {0};
    const char *ours = getenv("TEST_OURS"), *theirs = getenv("TEST_THEIRS");
    text_format(&line, "%s %s\n", ours ? ours : "none", theirs ? theirs : "none");
    return write_line(out, text_get(&line));
}

static void an_executed_program_gets_extra_variables_besides_ours(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    char word[] = "TEST_THEIRS=a b=c", replaced[] = "TEST_OURS=2";
    const struct process_options options = {
        .argv = (const char *const[]){"/proc/self/exe", "environment", NULL},
        .channel = "TEST_CHANNEL",
        .environment = (char *const[]){word, NULL},
    };
    setenv("TEST_OURS", "1", 1);
    assert_ok(process_start(&options, &process));
    assert_hears(&process, "1 a b=c");
    AUTO(process) struct process other = {0};
    struct process_options others = options;
    others.environment = (char *const[]){replaced, NULL};
    assert_ok(process_start(&others, &other));
    assert_hears(&other, "2 none");
    assert_null(getenv("TEST_THEIRS"));
    assert_string_equal(getenv("TEST_OURS"), "1");
    unsetenv("TEST_OURS");
}

static int take_memory(void *context, int in, int out)
{
    (void)context, (void)in;
    size_t size = 64 << 20;
    char *memory = malloc(size);
    memset(memory, 1, size);
    BILANX_KEEP(memory);
    write_line(out, "taken\n");
    linger();
}

static void a_child_over_its_memory_limit_is_reported(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = take_memory, .memory_limit_bytes = 32 << 20};
    AUTO(text) struct text line = {0};
    assert_ok(process_start(&options, &process));
    struct bilanx_error error;
    do  // earlier lines may arrive first
        error = process_receive(&process, soon(), &line);
    while (error.status == BILANX_OK);
    assert_error(error, BILANX_E_MEMORY, "more than 33.6 MB of memory");
}

static int take_some_memory(void *context, int in, int out)
{
    (void)context;
    char *memory = malloc(1 << 20);
    memset(memory, 1, 1 << 20);
    BILANX_KEEP(memory);
    return echo(NULL, in, out);
}

static void a_child_below_its_limits_is_left_alone(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {
        .body = take_some_memory, .memory_limit_bytes = 1u << 30, .output_limit_bytes = 100};
    assert_ok(process_start(&options, &process));
    say(&process, "one\n");
    assert_hears(&process, "one");
    assert_ok(process_finish(&process, soon()));
}

static int print_without_end(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    alarm(PATIENCE_S);
    while (puts("once more") >= 0)
        ;
    return 0;
}

static void a_child_that_prints_endlessly_is_reported(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = print_without_end,
                                            .output_limit_bytes = 1000000};
    assert_ok(process_start(&options, &process));
    assert_fate(&process, BILANX_E_FLOOD, "printed more than 1 MB");
    assert_non_null(strstr(text_get(&process.output), "once more\n"));
}

static void a_child_has_an_empty_stdin(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(read_stdin);
    assert_hears(&process, "empty");
}

static int tell_affinity(void *context, int in, int out)
{
    (void)context, (void)in;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    char line[64];
    snprintf(line, sizeof line, "%d of %d\n", cpus_measuring(), CPU_COUNT(&allowed));
    return write_line(out, line);
}

static void a_child_runs_on_the_highest_cpus_on_request(void **state)
{
    (void)state;
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof allowed, &allowed);
    int all = CPU_COUNT(&allowed);
    assert_true(CPU_ISSET(cpus_measuring(), &allowed));
    for (int cpus = 0; cpus <= all; cpus++) {  // 0: any CPU
        AUTO(process) struct process process = {0};
        assert_ok(process_start(
            &(struct process_options){.body = tell_affinity, .cpus = (uint64_t)cpus}, &process));
        AUTO(memory) char *expected = mem_format("%d of %d", cpus_measuring(), cpus ? cpus : all);
        assert_hears(&process, expected);
    }
}

static void finishing_waits_for_a_child_and_reports_how_it_ended(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(echo);
    say(&process, "never asked for\n");
    assert_ok(process_finish(&process, soon()));
    assert_int_equal(process.pid, 0);
    AUTO(process) struct process bad = start(exit_with_seven);
    assert_error(process_finish(&bad, soon()), BILANX_E_EXITED, "status 7");
    AUTO(process) struct process crashed = start(crash);
    assert_error(process_finish(&crashed, soon()), BILANX_E_CRASHED, "signal 11");
}

static void finishing_kills_at_the_deadline(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(linger_in_body);
    assert_error(process_finish(&process, monotonic_ns() + 1000000), BILANX_E_TIMED_OUT,
                 "no answer in time");
    assert_int_equal(process.pid, 0);
    assert_true(WIFSIGNALED(process.status) && WTERMSIG(process.status) == SIGKILL);
}

// Leaves a child behind if it has a context; otherwise stays with it.
static int fork_and_tell(void *context, int in, int out)
{
    pid_t pid = fork();
    if (pid == 0) {
        close(in);
        close(out);
        linger();
    }
    char line[32];
    snprintf(line, sizeof line, "%d\n", pid);
    int failed = write_line(out, line);
    return context ? failed : linger_in_body(NULL, in, out);
}

static pid_t hear_pid(struct process *process)
{
    AUTO(text) struct text line = {0};
    assert_ok(process_receive(process, soon(), &line));
    return atoi(text_get(&line));
}

// Checks that an orphan, which this process adopts as the nearest subreaper, was killed.
static void assert_killed(pid_t orphan)
{
    int status = 0;
    assert_true(orphan > 0);
    assert_int_equal(waitpid(orphan, &status, 0), orphan);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void a_childs_own_children_die_with_it(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(fork_and_tell);
    pid_t grandchild = hear_pid(&process);
    assert_int_equal(getpgid(grandchild), process.pid);
    process_done(&process);
    assert_killed(grandchild);
}

static void children_left_behind_die_too(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = fork_and_tell, .context = &process};
    assert_ok(process_start(&options, &process));
    pid_t grandchild = hear_pid(&process);
    assert_ok(process_finish(&process, soon()));
    assert_killed(grandchild);
}

// In a separate session; keeps open everything its parent had.
static pid_t leave_session(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        linger();
    }
    return pid;
}

static int leave_session_and_tell(void *context, int in, int out)
{
    char line[32];
    snprintf(line, sizeof line, "%d\n", leave_session());
    int failed = write_line(out, line);
    if (context)
        raise(SIGKILL);
    return failed || linger_in_body(NULL, in, out);
}

static void a_grandchild_that_left_the_group_dies_with_the_child(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(leave_session_and_tell);
    pid_t grandchild = hear_pid(&process);
    process_done(&process);
    assert_killed(grandchild);
}

// The child's end is noticed although its channel stays open.
static void a_grandchild_that_left_the_group_dies_when_the_child_is_killed(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = leave_session_and_tell, .context = &process};
    assert_ok(process_start(&options, &process));
    pid_t grandchild = hear_pid(&process);
    assert_fate(&process, BILANX_E_CRASHED, "signal 9");
    assert_killed(grandchild);
}

static int echo_beside_a_session(void *context, int in, int out)
{
    leave_session();
    return echo(context, in, out);
}

static void a_grandchild_that_left_the_group_does_not_delay_finishing(void **state)
{
    (void)state;
    AUTO(process) struct process process = start(echo_beside_a_session);
    say(&process, "one\n");
    assert_hears(&process, "one");
    assert_ok(process_finish(&process, monotonic_ns() + 3600000000000ull));
    pid_t grandchild = waitpid(-1, NULL, 0);
    assert_true(grandchild > 0);
    assert_int_equal(kill(grandchild, 0), -1);
}

// Keeps answering while it has too many children.
static int swarm_and_chat(void *context, int in, int out)
{
    enum { MANY = 600 };
    (void)context, (void)in;
    for (int i = 0; i < MANY; i++)
        leave_session();
    alarm(PATIENCE_S);
    while (write_line(out, "fine\n") == 0)
        usleep(1000);
    return 0;
}

static void a_child_with_too_many_processes_is_reported_even_if_it_answers(void **state)
{
    (void)state;
    AUTO(process) struct process process = {0};
    const struct process_options options = {.body = swarm_and_chat,
                                            .memory_limit_bytes = 1ull << 40};
    assert_ok(process_start(&options, &process));
    struct bilanx_error error;
    AUTO(text) struct text line = {0};
    do
        error = process_receive(&process, soon(), &line);
    while (error.status == BILANX_OK);
    assert_error(error, BILANX_E_SWARM, "more than 400 processes");
    process_done(&process);
    while (waitpid(-1, NULL, 0) > 0)  // none of them survives
        continue;
}

// Runs in a separate process; returns its exit status, or minus the signal that ended it.
static int status_of(int (*body)(int fd), int fd)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(PATIENCE_S);
        _exit(body(fd));
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int greet_and_linger(void *context, int in, int out)
{
    return write_line(out, "hello\n") || linger_in_body(context, in, out);
}

static int start_and_vanish(int fd)
{
    struct process process;
    const struct process_options options = {.body = greet_and_linger};
    AUTO(text) struct text line = {0};
    if (process_start(&options, &process).status != BILANX_OK ||
        process_receive(&process, soon(), &line).status != BILANX_OK)
        return 1;
    return write(fd, &process.pid, sizeof process.pid) != sizeof process.pid;
}

static void a_child_does_not_survive_its_parent(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(status_of(start_and_vanish, fds[1]), 0);
    pid_t orphan = 0;
    assert_int_equal(read(fds[0], &orphan, sizeof orphan), sizeof orphan);
    assert_killed(orphan);
    close(fds[0]);
    close(fds[1]);
}

static int interrupt_parent(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    kill(getppid(), SIGINT);
    linger();
}

static int receive_while_interrupted(int fd)
{
    (void)fd;
    interrupt_catch();
    struct process process;
    const struct process_options options = {.body = interrupt_parent};
    if (process_start(&options, &process).status != BILANX_OK)
        return 1;
    AUTO(text) struct text line = {0};
    struct bilanx_error error = process_receive(&process, soon(), &line);
    bool child_lives = process.pid > 0 && kill(process.pid, 0) == 0;
    process_done(&process);
    return error.status == BILANX_E_INTERRUPTED && child_lives ? 0 : 2;
}

static void an_interrupt_ends_the_wait_but_not_the_child(void **state)
{
    (void)state;
    assert_int_equal(status_of(receive_while_interrupted, -1), 0);
}

static int raise_interrupt(void *context, int in, int out)
{
    (void)context, (void)in, (void)out;
    return raise(SIGINT);
}

static int child_of_a_catcher(int fd)
{
    (void)fd;
    interrupt_catch();
    struct process process;
    const struct process_options options = {.body = raise_interrupt};
    if (process_start(&options, &process).status != BILANX_OK)
        return 1;
    AUTO(text) struct text line = {0};
    return process_receive(&process, soon(), &line).status == BILANX_E_CRASHED ? 0 : 2;
}

static void a_child_does_not_catch_the_signals_its_parent_catches(void **state)
{
    (void)state;
    assert_int_equal(status_of(child_of_a_catcher, -1), 0);
}

static int start_with_children_ignored(int fd)
{
    (void)fd;
    signal(SIGCHLD, SIG_IGN);  // as inherited from a careless parent: the kernel reaps children
    struct process process;
    const struct process_options options = {.body = linger_in_body};
    if (process_start(&options, &process).status != BILANX_OK)
        return 1;
    process_done(&process);
    return 0;
}

static void a_child_that_the_kernel_reaps_is_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(status_of(start_with_children_ignored, -1), 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return executed_child();
    if (argc > 1 && strcmp(argv[1], "environment") == 0)
        return tell_environment();
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // see assert_killed()
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_body_exchanges_lines),
        cmocka_unit_test(a_body_gets_its_context),
        cmocka_unit_test(an_executed_program_exchanges_lines),
        cmocka_unit_test(a_missing_or_malformed_channel_is_none),
        cmocka_unit_test(a_missing_program_is_an_error_that_names_it),
        cmocka_unit_test(no_descriptor_is_left_open),
        cmocka_unit_test(a_line_may_come_in_pieces),
        cmocka_unit_test(a_line_may_be_a_megabyte_long),
        cmocka_unit_test(a_crash_is_reported_with_its_signal),
        cmocka_unit_test(an_exit_is_reported_with_its_status),
        cmocka_unit_test(sending_to_a_dead_child_reports_how_it_ended),
        cmocka_unit_test(a_child_that_closes_its_channel_but_keeps_running_is_reported),
        cmocka_unit_test(waiting_for_a_silent_child_ends_at_the_deadline),
        cmocka_unit_test(the_end_of_the_output_is_kept_apart_from_the_channel),
        cmocka_unit_test(output_after_the_channel_closes_is_kept_too),
        cmocka_unit_test(an_executed_program_gets_extra_variables_besides_ours),
        cmocka_unit_test(a_child_over_its_memory_limit_is_reported),
        cmocka_unit_test(a_child_below_its_limits_is_left_alone),
        cmocka_unit_test(a_child_that_prints_endlessly_is_reported),
        cmocka_unit_test(a_child_has_an_empty_stdin),
        cmocka_unit_test(a_child_runs_on_the_highest_cpus_on_request),
        cmocka_unit_test(finishing_waits_for_a_child_and_reports_how_it_ended),
        cmocka_unit_test(finishing_kills_at_the_deadline),
        cmocka_unit_test(a_childs_own_children_die_with_it),
        cmocka_unit_test(children_left_behind_die_too),
        cmocka_unit_test(a_grandchild_that_left_the_group_dies_with_the_child),
        cmocka_unit_test(a_grandchild_that_left_the_group_dies_when_the_child_is_killed),
        cmocka_unit_test(a_grandchild_that_left_the_group_does_not_delay_finishing),
        cmocka_unit_test(a_child_with_too_many_processes_is_reported_even_if_it_answers),
        cmocka_unit_test(a_child_does_not_survive_its_parent),
        cmocka_unit_test(an_interrupt_ends_the_wait_but_not_the_child),
        cmocka_unit_test(a_child_does_not_catch_the_signals_its_parent_catches),
        cmocka_unit_test(a_child_that_the_kernel_reaps_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
