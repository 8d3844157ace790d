// sample_board: samples that the processes of a command take of themselves, for who has started it.
#include "sample_board.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Where the memory of a seat begins. Mappings begin at a page, whose size varies.
static off_t place_of(size_t seat)
{
    enum { STRIDE = SAMPLE_MEMORY_BYTES + SAMPLE_BOARD_PAGE };
    _Static_assert(sizeof(struct sample_memory) <= STRIDE, "a seat is too small");
    _Static_assert(sizeof(struct sample_board_page) <= SAMPLE_BOARD_PAGE, "the page is too small");
    return SAMPLE_BOARD_PAGE + (off_t)seat * STRIDE;
}

static void *map(int fd, size_t size, off_t place)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, place);
    return memory == MAP_FAILED ? NULL : memory;
}

// ---- For a process of the command

bool sample_seat_open(const char *path, struct sample_seat *out)
{
    AUTO(fd) int fd = open(path, O_RDWR | O_CLOEXEC);
    void *page = fd < 0 ? NULL : map(fd, SAMPLE_BOARD_PAGE, 0);
    if (!page)
        return false;
    *out = (struct sample_seat){.page = page};
    return true;
}

static size_t find_seat(struct sample_board_page *page)
{
    pid_t self = getpid();
    size_t found = SAMPLE_BOARD_SEATS;
    for (size_t i = 0; i < SAMPLE_BOARD_SEATS; i++) {
        uint32_t expected = SEAT_TAKEN;
        if (atomic_load(&page->seats[i].process) == self)
            atomic_compare_exchange_strong(&page->seats[i].state, &expected, SEAT_LEFT);
    }
    for (size_t i = 0; i < SAMPLE_BOARD_SEATS && found == SAMPLE_BOARD_SEATS; i++) {
        int32_t nobody = 0;
        if (atomic_compare_exchange_strong(&page->seats[i].process, &nobody, self))
            found = i;
    }
    return found;
}

bool sample_seat_take(const char *path, struct sample_seat *seat)
{
    AUTO(fd) int fd = open(path, O_RDWR | O_CLOEXEC);
    if (seat->memory)
        sample_memory_close(seat->memory);
    seat->memory = NULL;
    size_t found = fd < 0 ? SAMPLE_BOARD_SEATS : find_seat(seat->page);
    if (found < SAMPLE_BOARD_SEATS)
        seat->memory = map(fd, sizeof *seat->memory, place_of(found));
    if (seat->memory)
        atomic_store(&seat->page->seats[found].state, SEAT_TAKEN);
    else
        atomic_fetch_add(&seat->page->missing, 1);
    if (!seat->memory && found < SAMPLE_BOARD_SEATS)
        atomic_store(&seat->page->seats[found].process, 0);
    return seat->memory;
}

// ---- For the reader

struct bilanx_error sample_board_init(struct sample_board *board, uint64_t rate,
                                      uint64_t stack_bytes)
{
    *board = (struct sample_board){.fd = memfd_create("bilanx-samples", MFD_CLOEXEC)};
    if (board->fd >= 0 && ftruncate(board->fd, place_of(SAMPLE_BOARD_SEATS)) == 0)
        board->page = map(board->fd, SAMPLE_BOARD_PAGE, 0);
    if (!board->page)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot create memory for samples: %s",
                                 strerror(errno));
    snprintf(board->path, sizeof board->path, "/proc/%d/fd/%d", (int)getpid(), board->fd);
    board->page->rate = rate;
    board->page->stack_bytes = stack_bytes;
    return BILANX_SUCCESS;
}

void sample_board_done(struct sample_board *board)
{
    for (size_t i = 0; i < SAMPLE_BOARD_SEATS; i++)
        sample_memory_close(board->mappings[i].memory);
    if (board->page)
        munmap(board->page, SAMPLE_BOARD_PAGE);
    if (board->fd > 0)
        close(board->fd);
    *board = (struct sample_board){0};
}

struct sample_mapping *sample_board_seat(struct sample_board *board, size_t seat, uint32_t *process)
{
    struct sample_mapping *mapping = &board->mappings[seat];
    if (!board->page || atomic_load(&board->page->seats[seat].state) == SEAT_FREE)
        return NULL;
    if (!mapping->memory)
        mapping->memory = map(board->fd, sizeof *mapping->memory, place_of(seat));
    *process = (uint32_t)atomic_load(&board->page->seats[seat].process);
    return mapping->memory ? mapping : NULL;
}

double sample_board_lost(const struct sample_board *board)
{
    double lost = board->lost;
    for (size_t i = 0; i < SAMPLE_BOARD_SEATS; i++)
        if (board->mappings[i].memory)
            lost += (double)atomic_load(&board->mappings[i].memory->lost);
    return lost;
}

bool sample_board_is_over(const struct sample_board *board, size_t seat)
{
    int32_t process = atomic_load(&board->page->seats[seat].process);
    return atomic_load(&board->page->seats[seat].state) == SEAT_LEFT ||
           (process > 0 && kill(process, 0) != 0 && errno == ESRCH);
}

void sample_board_free(struct sample_board *board, size_t seat)
{
    struct sample_mapping *mapping = &board->mappings[seat];
    board->lost += (double)atomic_load(&mapping->memory->lost);
    sample_memory_close(mapping->memory);
    *mapping = (struct sample_mapping){0};
    fallocate(board->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, place_of(seat),
              sizeof *mapping->memory);
    atomic_store(&board->page->seats[seat].state, SEAT_FREE);
    atomic_store(&board->page->seats[seat].process, 0);
}
