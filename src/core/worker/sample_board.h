// sample_board: samples that the processes of a command take of themselves, for who has started it.
//
// A file in memory with a seat per process, each with its own struct sample_memory: a process that
// dies while it writes disturbs no other. A process takes a seat when it begins to sample itself;
// the reader frees it when the process has ended.
#ifndef WORKER_SAMPLE_BOARD_H
#define WORKER_SAMPLE_BOARD_H

#include <sys/types.h>

#include "core/worker/sample_memory.h"

// The library that makes a process sample itself, and the variable by which it finds the board.
#define SAMPLE_BOARD_LIBRARY "bilanx-frames.so"
#define SAMPLE_BOARD_VARIABLE "BILANX_SAMPLE_BOARD"

enum { SAMPLE_BOARD_SEATS = 64, SAMPLE_BOARD_PAGE = 64 << 10 };

enum sample_seat_state { SEAT_FREE, SEAT_TAKEN, SEAT_LEFT };

// The first page of the file. The memory of the seats follows.
struct sample_board_page {
    uint64_t rate;             // samples per second of CPU time
    uint64_t stack_bytes;      // how much of a stack to copy
    _Atomic uint32_t missing;  // processes that found no seat
    _Atomic uint32_t unknown;  // processes whose interpreter is not known
    char version[32];          // of one of those
    struct {
        _Atomic uint32_t state;
        _Atomic int32_t process;
    } seats[SAMPLE_BOARD_SEATS];
};

// ---- For a process of the command

struct sample_seat {
    struct sample_board_page *page;
    struct sample_memory *memory;
};

// Opens the board without taking a seat.
bool sample_seat_open(const char *path, struct sample_seat *out);

// Takes a seat. Leaves an earlier one, which may be that of a parent or of the program that ran
// before in this process.
bool sample_seat_take(const char *path, struct sample_seat *seat);

// ---- For the reader

struct sample_board {
    int fd;
    char path[64];
    struct sample_board_page *page;
    struct sample_mapping mappings[SAMPLE_BOARD_SEATS];
    double lost;  // on seats that are free again
};
struct bilanx_error sample_board_init(struct sample_board *board, uint64_t rate,
                                      uint64_t stack_bytes);
void sample_board_done(struct sample_board *board);
SCOPE_VALUE(sample_board, sample_board_done)

// The mapping of a seat and the process that samples itself there; NULL: nobody has taken it.
struct sample_mapping *sample_board_seat(struct sample_board *board, size_t seat,
                                         uint32_t *process);

// Periods for which there was no room.
double sample_board_lost(const struct sample_board *board);

// Whether nothing more will be recorded on a seat: its process has left it, or has ended. Then it
// can be freed once it was read to its end.
bool sample_board_is_over(const struct sample_board *board, size_t seat);
void sample_board_free(struct sample_board *board, size_t seat);

#endif
