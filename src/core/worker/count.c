// count: runs a warm-up, then repeats of one batch each, with a counter around them.
//
// A counter sees the thread that runs the loop; some also see the threads it starts. A statement
// that forks, or has unexpected threads, would be counted only in part, so we refuse it. This
// applies only while counting: the setup may do as it likes.
#include "count.h"

#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct counter *const counters[] = {&counter_callgrind, &counter_perf,
                                                 &counter_allocations};

const struct counter *counter_find(const char *name)
{
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (strcmp(counters[i]->name, name) == 0)
            return counters[i];
    return NULL;
}

// The server that counts in this process. Global because pthread_atfork() takes no context.
static struct server *counting_server;

static const char forks[] = "it starts processes, but only its own process can be counted";
static const char starts_threads[] =
    "it starts threads, but only the thread that runs the loop is counted";

// Runs before the fork: a statement that forks in a loop would soon fill the machine.
static void refuse_fork(void)
{
    struct server *server = counting_server;
    if (!server || !server->counting.counter || !server->zygote.child)
        return;
    server_fail(server, BILANX_E_FAILED, forks);
    _exit(0);
}

unsigned count_threads(void)
{
    struct stat status;
    return stat("/proc/self/task", &status) == 0 ? (unsigned)status.st_nlink - 2 : 1;
}

extern char __libc_single_threaded __attribute__((weak));

static bool single_so_far(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

static uint64_t offspring(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage) == 0 ? (uint64_t)usage.ru_minflt : 0;
}

static struct bilanx_error read_request(const struct message *request, struct counting *out)
{
    const char *name = message_text(request, "counter");
    *out = (struct counting){.counter = counter_find(name ? name : "callgrind"),
                             .number = 100,
                             .repeats = 5,
                             .warmup = 10,
                             .threads = 1};
    if (!out->counter)
        return bilanx_error_make(BILANX_E_INPUT, "unknown counter '%s'", name);
    BILANX_TRY(message_count(request, "number", &out->number));
    BILANX_TRY(message_count(request, "repeats", &out->repeats));
    BILANX_TRY(message_count(request, "warmup", &out->warmup));
    BILANX_TRY(message_count(request, "threads", &out->threads));
    if (out->number == 0 || out->repeats == 0)
        return bilanx_error_make(BILANX_E_INPUT, "nothing to count");
    if (out->threads > 1 && !out->counter->all_threads)
        return bilanx_error_make(BILANX_E_FAILED, "%s counts one thread, but the case has %llu",
                                 out->counter->name, (unsigned long long)out->threads);
    return BILANX_SUCCESS;
}

static void end(struct server *server)
{
    struct counting *counting = &server->counting;
    server->loop->meter = NULL;
    counting->counter->close(counting->state);
    counting->counter = NULL;
}

struct bilanx_error count_plan(struct server *server, const struct message *request,
                               struct stepper_options *out)
{
    struct counting counting;
    if (server->counting.counter)  // left over from a case that ended while counting
        end(server);
    *out = (struct stepper_options){.method = &method_calibrate};
    BILANX_TRY(read_request(request, &counting));
    if (counting.threads == 1 && count_threads() > 1)
        return bilanx_error_make(BILANX_E_FAILED, "%s", starts_threads);
    BILANX_TRY(counting.counter->open(&counting.state));
    counting.meter =
        (struct loop_meter){counting.counter->start, counting.counter->stop, counting.state};
    counting.single = single_so_far();
    counting.offspring = offspring();
    server->counting = counting;
    if (!counting_server)
        pthread_atfork(refuse_fork, NULL, NULL);
    counting_server = server;
    return BILANX_SUCCESS;
}

static const char *fault(const struct counting *counting)
{
    if (offspring() != counting->offspring)
        return forks;
    if (counting->threads == 1 && (count_threads() > 1 || (counting->single && !single_so_far())))
        return starts_threads;
    return NULL;
}

uint64_t count_next(struct server *server, const struct batch *last)
{
    struct counting *counting = &server->counting;
    server->loop->meter = &counting->meter;
    if (!last && counting->warmup)  // counted too, so that the first repeat is like the others
        return counting->warmup;
    if (counting->warm)
        counting->counter->repeat(counting->state);
    else
        counting->counter->discard(counting->state);
    counting->done += counting->warm;
    counting->warm = true;
    const char *reason = fault(counting);
    if (reason) {
        end(server);
        server_fail(server, BILANX_E_FAILED, reason);
        return 0;
    }
    return counting->done < counting->repeats ? counting->number : 0;
}

void count_answer(struct server *server, struct text *out)
{
    struct counting *counting = &server->counting;
    message_begin(out, "counted");
    message_add(out, "counter", counting->counter->name);
    message_add_count(out, "number", counting->number);
    message_add_count(out, "repeats", counting->repeats);
    counting->counter->answer(counting->state, out);
    end(server);
}
