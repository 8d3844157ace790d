// process: a child process that we talk to in lines, and that never outlives its parent.
//
// Its descendants do not outlive the parent either: the child adopts its orphans, and all of them
// carry its lineage.
//
// The child has its own process group (a ^C at the terminal is for the parent to handle), an empty
// stdin, and a pair of pipes for the conversation. These are separate from its stdout and stderr,
// of which we keep the last few kilobytes to show if something goes wrong.
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
    const char *const *argv;  // program to execute; NULL: run `body` in a fork of this process
    const char *channel;      // environment variable that passes "IN,OUT" to the program
    int (*body)(void *context, int in, int out);  // returns the child's exit status
    void *context;
    char *const *environment;     // additional variables NAME=VALUE for the program; may be NULL
    uint64_t memory_limit_bytes;  // resident; the child is killed if it exceeds this. 0: no limit
    uint64_t output_limit_bytes;  // for stdout and stderr together. 0: no limit
    uint64_t cpus;                // number of CPUs to pin it to, see base/cpus.h; 0: not pinned
    struct draw draw;             // random choices it shares with another process
    const struct surroundings *surroundings;  // what it starts with; NULL: the same as this process
};

struct process {
    pid_t pid;  // 0: not running
    int to, from, output_fd;
    int ended_fd;          // readable once it has ended; -1: not supported by the kernel
    uint64_t lineage;      // of all its descendants, see base/lineage.h
    bool childless;        // it had no children running when it last stood still
    struct text incoming;  // data from the channel that has not been read yet
    struct text output;    // last part of the child's stdout and stderr
    int status;            // from waitpid(), once it has ended
    uint64_t max_rss_bytes;
    uint64_t memory_limit_bytes, output_limit_bytes;
    uint64_t output_bytes;         // so far
    uint64_t tasks_before;         // lowest task count of the machine since the start
    uint64_t tasks_ns, memory_ns;  // when these were last checked
};

struct bilanx_error process_start(const struct process_options *options, struct process *out);

// Kills the child, if it is still running, and all its descendants, wherever they are. Reaps it and
// closes everything.
void process_done(struct process *process);
SCOPE_VALUE(process, process_done)

// Asks a child to end (SIGTERM) and waits a moment. process_done() kills it if it does not.
void process_ask_to_end(struct process *process);

struct bilanx_error process_send(struct process *process, const char *line, size_t size);

// Waits for one line and stores it in `line` without its newline. If the child ended, the deadline
// passed, or the user pressed ^C, the error says what happened to the child.
struct bilanx_error process_receive(struct process *process, uint64_t deadline_ns,
                                    struct text *line);

// Collects the child's output so far, without waiting.
void process_listen(struct process *process);

// Waits for a child that was asked to end; kills it at the deadline.
struct bilanx_error process_finish(struct process *process, uint64_t deadline_ns);

// Describes how a process ended unexpectedly, from its waitpid() status.
struct bilanx_error process_fate(int status);

// Finds the channel in a child that was started by argv; both are -1 if there is none. Removes the
// variable from the environment, so that the child's own children do not use it.
void process_find_channel(const char *variable, int *in, int *out);

#endif
