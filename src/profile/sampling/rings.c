// rings: the kernel's buffers of perf events.
#include "rings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "perf_records.h"

enum { LARGEST_RING = 4 << 20, SMALLEST_RING = 64 << 10, LONGEST_RECORD = 1 << 16 };

// A user may lock half a megabyte per CPU, so a smaller buffer is tried next.
struct bilanx_error ring_init(struct ring *ring, int fd)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *ring = (struct ring){.fd = fd};
    for (size_t size = LARGEST_RING; size >= SMALLEST_RING; size /= 2) {
        void *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory == MAP_FAILED)
            continue;
        ring->memory = memory;
        ring->size = size;
        return BILANX_SUCCESS;
    }
    struct bilanx_error error =
        bilanx_error_make(BILANX_E_SYSTEM, "cannot map a buffer for samples: %s", strerror(errno));
    ring_done(ring);
    return error;
}

void ring_done(struct ring *ring)
{
    if (ring->memory)
        munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
    if (ring->fd > 0)
        close(ring->fd);
    *ring = (struct ring){0};
}

void pile_done(struct pile *pile)
{
    free(pile->data);
    *pile = (struct pile){0};
}

void pile_add(struct pile *pile, const void *record, size_t size)
{
    while (pile->room - pile->size < size) {
        pile->room = pile->room ? 2 * pile->room : LARGEST_RING;
        pile->data = mem_resized(pile->data, pile->room);
    }
    memcpy(pile->data + pile->size, record, size);
    pile->size += size;
}

static void copy_out(const struct ring *ring, uint64_t from, void *to, size_t size)
{
    const unsigned char *data = (unsigned char *)ring->memory + sysconf(_SC_PAGESIZE);
    size_t at = from % ring->size, first = ring->size - at < size ? ring->size - at : size;
    memcpy(to, data + at, first);
    memcpy((char *)to + first, data, size - first);
}

// The kernel always takes as much as was asked for, of which `used` bytes, stored last, count.
static size_t shortened(unsigned char *record, size_t size)
{
    size_t at = perf_record_stack_at(record, size);
    uint64_t taken = 0, used = 0;
    if (at)
        memcpy(&taken, record + at, 8);
    if (taken == 0 || taken > size || size < at + 16 + taken)
        return size;
    memcpy(&used, record + at + 8 + taken, 8);
    used = used > taken ? taken : used & ~(uint64_t)7;
    memcpy(record + at, &used, 8);
    memcpy(record + at + 8 + used, &used, 8);
    return at + 16 + used;
}

static void add_record(struct pile *pile, unsigned char *record, size_t size)
{
    struct perf_event_header header;
    memcpy(&header, record, sizeof header);
    if (header.type == PERF_RECORD_SAMPLE)
        header.size = (uint16_t)shortened(record, size);
    memcpy(record, &header, sizeof header);
    pile_add(pile, record, header.size);
}

static void note_lost(struct pile *pile, const struct perf_event_header *header,
                      const unsigned char *record)
{
    uint64_t lost = 0;
    if (header->type == PERF_RECORD_LOST)
        memcpy(&lost, record + sizeof *header + 8, sizeof lost);
    pile->lost += (double)lost;
    pile->throttled += header->type == PERF_RECORD_THROTTLE;
}

void ring_drain(struct ring *ring, struct pile *pile)
{
    struct perf_event_mmap_page *page = ring->memory;
    uint64_t head =
        atomic_load_explicit((_Atomic uint64_t *)&page->data_head, memory_order_acquire);
    uint64_t tail = page->data_tail;
    uint64_t record[LONGEST_RECORD / 8];
    while (tail < head) {
        struct perf_event_header header;
        copy_out(ring, tail, &header, sizeof header);
        if (header.size < sizeof header || header.size > head - tail)
            break;
        copy_out(ring, tail, record, header.size);
        note_lost(pile, &header, (unsigned char *)record);
        add_record(pile, (unsigned char *)record, header.size);
        tail += header.size;
    }
    atomic_store_explicit((_Atomic uint64_t *)&page->data_tail, head, memory_order_release);
}
