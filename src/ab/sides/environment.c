// environment: captures the state that a shell command leaves behind: variables, working directory,
// limits.
//
// After the command, its shell becomes a program (dd) that reports this and waits. The kernel can
// then tell us exactly what a child of that shell inherits, for any shell: we parse no output, pass
// no descriptor that the command could touch, and lose nothing, such as functions exported by bash.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "shell.h"
#include "side_kinds.h"

static const double DEFAULT_TIMEOUT_S = 60;

// How to make a shell continue after the command succeeded. %1$s: the command, %2$s: the program to
// become.
struct dialect {
    const char *shell;
    bool quoted;  // the command is quoted
    const char *format;
};

// A trap, in case the command ends with exit 0; and a line after it, in case the command sets that
// trap itself. The quotes contain unbalanced constructs.
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
    int start[2], said[2];  // pipes to and from the program that the shell becomes
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

// Builds the shell's input. Pipes are opened by their names in /proc, so that the shell does not
// inherit them.
static struct bilanx_error compose(const char *command, const struct capture *capture, char **out)
{
    AUTO(memory) char *program = file_find_program("dd");
    if (!program)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot find 'dd' on the PATH: bilanx needs it "
                                                  "to read the environment that a command sets up");
    const struct dialect *dialect = dialect_of(shell_name());
    AUTO(text) struct text quoted = {0};
    AUTO(memory) char *line = mem_format("%s\n\n", command);  // in case it ends in a backslash
    text_add_quoted(&quoted, line);
    AUTO(memory) char *become =
        mem_format("%s bs=64 status=none if=/proc/%d/fd/%d of=/proc/%d/fd/%d", program,
                   (int)getpid(), capture->start[0], (int)getpid(), capture->said[1]);
    *out = mem_format(dialect->format, dialect->quoted ? text_get(&quoted) : command, become);
    return BILANX_SUCCESS;
}

// Variables that a shell sets for the programs it runs; not set by the command.
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
    return surroundings_take_limits(out, pid);
}

static void look(void *context, pid_t shell)
{
    struct capture *capture = context;
    capture->error = look_at(shell, &capture->surroundings);
    capture->done = true;
    close_pipe(capture->start);  // this ends it
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
