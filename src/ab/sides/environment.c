// environment: what a shell command leaves behind: variables, working directory, limits.
//
// When the command is done its shell becomes a program (dd) that says so and waits, so that the
// kernel can be asked for what a child of that shell is given, whatever shell it is: no output is
// parsed, no descriptor is passed on that the command could meet, and nothing is lost, such as the
// functions that bash exports.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "shell.h"
#include "side_kinds.h"

static const double DEFAULT_TIMEOUT_S = 60;

// How a shell is told what to do when the command is done and succeeded. %1$s: the command, %2$s:
// what to become.
struct dialect {
    const char *shell;
    bool quoted;  // the command stands in quotes
    const char *format;
};

// A trap, for a command that ends with exit 0; and a line after it, for one that sets the trap
// itself. The quotes keep apart what is not closed in it.
static const char OF_MOST_SHELLS[] = "trap '[ $? -ne 0 ] || exec %2$s' EXIT; eval %1$s\n"
                                     "case $? in 0) exec %2$s ;; *) exit $? ;; esac";

// Their `exit` does not end a text of several lines, but it sets the status.
static const char OF_C_SHELLS[] = "%1$s\n\nif ($status == 0) exec %2$s";

static const struct dialect dialects[] = {
    {"fish", false, "%1$s\n\nset ended $status; test $ended -eq 0; or exit $ended; exec %2$s"},
    {"csh", false, OF_C_SHELLS},
    {"tcsh", false, OF_C_SHELLS},
    {NULL, true, OF_MOST_SHELLS},
};

static const struct dialect *dialect_of(const char *shell)
{
    const char *slash = strrchr(shell, '/');
    const struct dialect *dialect = dialects;
    while (dialect->shell && !text_equal(dialect->shell, slash ? slash + 1 : shell))
        dialect++;
    return dialect;
}

struct capture {
    int start[2], said[2];  // pipes: to the program that the shell becomes, and from it
    struct bilanx_error error;
    struct surroundings surroundings;
    bool done;
};

static void close_pipe(int pipes[2])
{
    for (int i = 0; i < 2; i++) {
        if (pipes[i] > 0)
            close(pipes[i]);
        pipes[i] = 0;
    }
}

static void capture_done(struct capture *capture)
{
    close_pipe(capture->start);
    close_pipe(capture->said);
    surroundings_done(&capture->surroundings);
}
SCOPE_VALUE(capture, capture_done)

// The command in the words of the shell. Pipes are opened by their names in /proc: they are no
// descriptors of the shell.
static struct bilanx_error compose(const char *command, const struct capture *capture, char **out)
{
    AUTO(memory) char *program = file_find_program("dd");
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot find 'dd' on the PATH: bilanx needs it "
                                                  "to read the environment that a command sets up");
    const struct dialect *dialect = dialect_of(shell_name());
    AUTO(text) struct text quoted = {0};
    AUTO(memory) char *line = mem_format("%s\n\n", command);  // for a backslash at its end
    text_add_quoted(&quoted, line);
    AUTO(memory) char *become =
        mem_format("%s bs=64 status=none if=/proc/%d/fd/%d of=/proc/%d/fd/%d", program,
                   (int)getpid(), capture->start[0], (int)getpid(), capture->said[1]);
    *out = mem_format(dialect->format, dialect->quoted ? text_get(&quoted) : command, become);
    return BILANX_SUCCESS;
}

// Those that a shell sets for what it executes; they are not the command's.
static bool is_of_shell(const char *variable)
{
    return text_starts(variable, "_=") || text_starts(variable, "SHLVL=") ||
           text_starts(variable, "A__z=");
}

static void add_variables(struct list *variables, const struct text *environment)
{
    const char *end = environment->data + environment->size;
    for (const char *at = text_get(environment); at < end; at += strlen(at) + 1)
        if (*at && !is_of_shell(at))
            list_add(variables, at);
    for (char **ours = environ; *ours; ours++)
        if (is_of_shell(*ours))
            list_add(variables, *ours);
}

static struct bilanx_error look_at(pid_t pid, struct surroundings *out)
{
    AUTO(memory) char *environment_path = mem_format("/proc/%d/environ", (int)pid);
    AUTO(memory) char *directory = mem_format("/proc/%d/cwd", (int)pid);
    AUTO(text) struct text environment = {0};
    AUTO(list) struct list variables = {0};
    BILANX_TRY(file_read(environment_path, &environment));
    add_variables(&variables, &environment);
    BILANX_TRY(surroundings_init(out, &variables, directory));
    surroundings_take_limits(out, pid);
    return BILANX_SUCCESS;
}

static void look(void *context, pid_t shell)
{
    struct capture *capture = context;
    capture->error = look_at(shell, &capture->surroundings);
    capture->done = true;
    close_pipe(capture->start);  // which ends it
}

static struct bilanx_error run(const char *command, const struct side_options *options,
                               struct capture *capture, struct text *output)
{
    if (pipe2(capture->start, O_CLOEXEC) != 0 || pipe2(capture->said, O_CLOEXEC) != 0 ||
        write(capture->start[1], "done", 4) != 4)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot make a pipe: %s", strerror(errno));
    AUTO(memory) char *text = NULL;
    BILANX_TRY(compose(command, capture, &text));
    struct shell_job job = {.text = text,
                            .timeout_s =
                                options->timeout_s > 0 ? options->timeout_s : DEFAULT_TIMEOUT_S,
                            .look = look,
                            .context = capture,
                            .signal = capture->said[0]};
    int status = 0;
    struct bilanx_error error = shell_run(&job, output, &status);
    AUTO(text) struct text last = {0};
    shell_add_last_lines(&last, output, 300);
    if (error.status == BILANX_E_TIMED_OUT)
        return bilanx_error_make(error.status, "not done in %.3g s, so it was killed%s",
                                 job.timeout_s, text_get(&last));
    BILANX_TRY(error);
    if (!capture->done && status != 0)
        return bilanx_error_make(BILANX_E_EXITED, "exited with status %d%s", status,
                                 text_get(&last));
    if (!capture->done)
        return bilanx_error_make(BILANX_E_EXITED,
                                 "its shell exited before the environment could be read%s",
                                 text_get(&last));
    return capture->error;
}

struct bilanx_error shell_open(struct side *side, const char *command,
                               const struct side_options *options)
{
    if (command[strspn(command, " \t\r\n")] == '\0') {
        side->title = mem_text("as is");
        return BILANX_SUCCESS;
    }
    AUTO(capture) struct capture capture = {0};
    AUTO(text) struct text output = {0};
    BILANX_TRY(run(command, options, &capture, &output));
    if (options->tell.line && output.size) {
        AUTO(text) struct text told = {0};
        text_format(&told, "side %s printed", side->name);
        shell_add_last_lines(&told, &output, 300);
        tell_line(&options->tell, text_get(&told));
    }
    side->title = mem_text(command);
    for (char *c = side->title; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    side->surroundings = capture.surroundings;
    capture.surroundings = (struct surroundings){0};
    return BILANX_SUCCESS;
}
