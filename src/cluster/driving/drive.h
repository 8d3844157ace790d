// drive: runs a campaign on a cluster: submits, watches, retries, gathers records.
//
//     AUTO(drive) struct drive drive = {0};
//     BILANX_TRY(drive_open(&drive, &folder, &observer));
//     gathering_write_to(drive.gathering, &out, false);
//     struct bilanx_error error = drive_run(&drive);      // until all is done, or ^C
//     gathering_finish(drive.gathering);
//
// Whoever has the run's folder can drive it: it contains all the necessary information.
#ifndef DRIVING_DRIVE_H
#define DRIVING_DRIVE_H

#include "cluster/driving/gathering.h"
#include "cluster/launching/launcher.h"

struct drive;

struct drive_observer {
    void *context;
    void (*note)(void *context, const char *text);  // one line for the user
    void (*progress)(void *context, const struct drive *drive);
};

struct drive_task {
    enum launch_state state;
    char word[32], node[200], reason[64];
    bool known;        // the launcher has seen it
    uint64_t gone_ns;  // since when it no longer runs; 0: it still does
    bool reported;     // it was reported as held
};

struct drive_batch {
    char *job;   // NULL: not submitted
    bool asked;  // a submission may have been accepted
    struct drive_task *tasks;
};

// A failure on a machine, and how often it occurred.
struct drive_trouble {
    char *node, *what;
    size_t count;
};

struct drive {
    const struct run_folder *folder;
    const struct launcher *launcher;
    struct launch_site site;
    struct launch_facts facts;
    const struct drive_observer *observer;
    struct tell tell;
    struct campaign campaign;
    struct gathering *gathering;
    struct drive_batch *batches;
    size_t batch_room;
    struct drive_trouble *troubles;
    size_t trouble_count, trouble_room;
    bool silent;         // the scheduler does not answer
    uint64_t silent_ns;  // since when
    uint64_t started_ns;
    bool unwritten;               // the output cannot be written for now
    bool full;                    // there is no space to submit anything
    bool only_look;               // submit nothing
    bool only_collect;            // leave tasks alone: another process handles them
    struct streaming *streaming;  // NULL: tasks write to a shared folder
    bool cancelled;               // tasks that end now were cancelled
};

// Prepares a new run, or one whose batches are in its folder. Waits for a scheduler that does not
// answer.
struct bilanx_error drive_open(struct drive *drive, const struct run_folder *folder,
                               const struct drive_observer *observer);
void drive_done(struct drive *drive);
SCOPE_VALUE(drive, drive_done)

// Submits the missing cases, once. drive_submit_surely() waits for a scheduler that does not
// answer, and for disk space.
struct bilanx_error drive_submit(struct drive *drive);
struct bilanx_error drive_submit_surely(struct drive *drive);

// Checks tasks, records and machines once.
struct bilanx_error drive_look(struct drive *drive);

// Submits and checks until everything is done or given up. Fails only on ^C, or if nothing can be
// submitted.
struct bilanx_error drive_run(struct drive *drive);

// Cancels all jobs, and waits a moment for the last output of their tasks.
struct bilanx_error drive_cancel(struct drive *drive);

// Counts of open tasks by state.
size_t drive_count(const struct drive *drive, enum launch_state state);

#endif
