// process: a child process that is talked to by lines and never outlives its parent.
//
// Neither does what it starts: it adopts its orphans, and all of them have its lineage.
//
// The child has a process group of its own (a ^C at the terminal is the parent's business), an
// empty stdin, and a pair of pipes for the conversation, apart from its stdout and stderr: those
// are collected here, the last few kilobytes of them, to be shown when something went wrong.
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/draw.h"
#include "base/monotonic.h"
#include "base/surroundings.h"
#include "base/text.h"
#include "bilanx/error.h"

struct process_options {      // needs `argv` and `channel`, or `body`; the rest may be zero
    const char *const *argv;  // a program to execute; NULL: `body` runs in a fork of this process
    const char *channel;      // names the environment variable that tells the program "IN,OUT"
    int (*body)(void *context, int in, int out);  // its result is the child's exit status
    void *context;
    char *const *environment;     // words NAME=VALUE that a program gets besides; may be NULL
    uint64_t memory_limit_bytes;  // resident; what takes more is ended. 0: no limit
    uint64_t output_limit_bytes;  // on stdout and stderr together. 0: no limit
    uint64_t cpus;                // runs on that many, see base/cpus.h; 0: wherever it likes
    struct draw draw;             // what a program shares with another one
    const struct surroundings *surroundings;  // where it starts; NULL: where this process is
};

struct process {
    pid_t pid;  // 0: not running
    int to, from, output_fd;
    int ended_fd;          // readable once it has ended; -1: the kernel has no such thing
    uint64_t lineage;      // of what it started, see base/lineage.h
    bool childless;        // it had nothing running when it was last known to stand still
    struct text incoming;  // what came from the channel and is not read yet
    struct text output;    // the end of the child's stdout and stderr
    int status;            // as of waitpid(), once it ended
    uint64_t max_rss_bytes;
    uint64_t memory_limit_bytes, output_limit_bytes;
    uint64_t output_bytes;         // so far
    uint64_t tasks_before;         // of the machine: the fewest since it was started
    uint64_t tasks_ns, memory_ns;  // when these were last looked at
};

struct bilanx_error process_start(const struct process_options *options, struct process *out);

// Kills it if it still runs, and all that it started, wherever that went; reaps it, and closes
// everything.
void process_done(struct process *process);
SCOPE_VALUE(process, process_done)

// Asks a child to end (SIGTERM) and waits for that a moment; process_done() makes sure.
void process_ask_to_end(struct process *process);

struct bilanx_error process_send(struct process *process, const char *line, size_t size);

// Waits for one line and writes it to `line` without its newline. When the child ended, took past
// the deadline or somebody pressed ^C, says so in terms of the child's fate.
struct bilanx_error process_receive(struct process *process, uint64_t deadline_ns,
                                    struct text *line);

// Collects what is there of the child's output, without waiting.
void process_listen(struct process *process);

// Lets a child that was told to end do so; kills it at the deadline.
struct bilanx_error process_finish(struct process *process, uint64_t deadline_ns);

// How a process ended that should not have, from its status as of waitpid().
struct bilanx_error process_fate(int status);

// Where a child that was started by argv finds its channel; both -1 when it has none. The variable
// is removed from the environment, so that the child's own children do not take it for theirs.
void process_find_channel(const char *variable, int *in, int *out);

#endif
