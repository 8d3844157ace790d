// jobs: runs several collectors in parallel, each with its own workers.
//
// A job stays with one subject while that has cases, because starting its worker may take as long
// as counting fifty of them. For the same reason it joins another job's subject only if enough is
// left to share. Jobs are threads that mostly wait for their workers.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "collect.h"

static const size_t NONE = SIZE_MAX;

// The state of a subject, common to all jobs.
struct effort {
    const struct run_subject *subject;
    size_t jobs;                 // working on it
    size_t starts, counted;      // first cases of jobs, and the other cases
    double start_s, counting_s;  // times of those
};

struct queue {
    const struct collect_options *options;
    const struct run_cases *cases;
    const struct run_observer *observer;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool *taken;
    size_t left;               // not taken yet
    bool preparing, prepared;  // a job is preparing cases; all are prepared
    struct effort *efforts;
    size_t effort_count, effort_room;
    struct bilanx_error error;  // ends all jobs
};

struct job {
    struct queue *queue;
    struct collector collector;
    const struct run_subject *subject;  // current subject; NULL: none
    size_t reserved;                    // case that its worker was asked to open; NONE: none
    pthread_t thread;
};

static const struct run_case *ready(const struct queue *queue, size_t at)
{
    const struct collect_source *source = &queue->options->source;
    const struct run_case *item = &queue->cases->items[at];
    return source->ready ? source->ready(source->context, item) : item;
}

static struct effort *effort_of(struct queue *queue, const struct run_subject *subject)
{
    for (size_t i = 0; i < queue->effort_count; i++)
        if (queue->efforts[i].subject == subject)
            return &queue->efforts[i];
    mem_grow(queue->efforts, queue->effort_count, &queue->effort_room);
    struct effort *fresh = &queue->efforts[queue->effort_count++];
    *fresh = (struct effort){.subject = subject};
    return fresh;
}

static size_t left_of(const struct queue *queue, const struct run_subject *subject)
{
    size_t left = 0;
    for (size_t i = 0; i < queue->cases->count; i++) {
        const struct run_case *item = queue->taken[i] ? NULL : ready(queue, i);
        left += item && item->subject == subject && !item->failure;
    }
    return left;
}

// Whether helping another job would finish sooner. While nothing is known, many cases suffice.
static bool is_worth_joining(struct queue *queue, const struct run_subject *subject)
{
    enum { MANY = 16 };
    const struct effort *effort = effort_of(queue, subject);
    size_t left = left_of(queue, subject);
    if (effort->jobs == 0)
        return true;
    if (effort->counted == 0)
        return left >= MANY * (effort->jobs + 1);
    double each_s = effort->counting_s / (double)effort->counted;
    return (double)left * each_s / (double)effort->jobs > effort->start_s / (double)effort->starts;
}

static size_t next_of(const struct queue *queue, const struct run_subject *subject)
{
    for (size_t i = 0; i < queue->cases->count; i++) {
        const struct run_case *item = queue->taken[i] ? NULL : ready(queue, i);
        if (item && item->subject == subject && !item->failure)
            return i;
    }
    return NONE;
}

// The first case that has already failed or belongs to the job's own subject.
static size_t choose_own(const struct job *job)
{
    const struct queue *queue = job->queue;
    for (size_t i = 0; i < queue->cases->count; i++) {
        const struct run_case *item = queue->taken[i] ? NULL : ready(queue, i);
        if (i == job->reserved || (item && item->failure))
            return i;
        if (item && job->reserved == NONE && item->subject == job->subject)
            return i;
    }
    return NONE;
}

// The first case that has already failed or whose subject has no job; otherwise one of a subject
// worth joining.
static size_t choose_other(struct queue *queue)
{
    const struct run_subject *declined = NULL;
    size_t joined = NONE;
    for (size_t i = 0; i < queue->cases->count; i++) {
        const struct run_case *item = queue->taken[i] ? NULL : ready(queue, i);
        if (item && (item->failure || effort_of(queue, item->subject)->jobs == 0))
            return i;
        if (!item || joined != NONE || item->subject == declined)
            continue;
        if (is_worth_joining(queue, item->subject))
            joined = i;
        else
            declined = item->subject;
    }
    return joined;
}

static size_t choose(const struct job *job)
{
    bool own = job->reserved != NONE || (job->subject && next_of(job->queue, job->subject) != NONE);
    return own ? choose_own(job) : choose_other(job->queue);
}

static void take(struct queue *queue, size_t at)
{
    queue->left -= !queue->taken[at];
    queue->taken[at] = true;
}

static void leave_subject(struct job *job)
{
    if (!job->subject)
        return;
    effort_of(job->queue, job->subject)->jobs--;
    job->subject = NULL;
    collector_rest(&job->collector);
}

// Returns whether this is the job's first case of the subject.
static bool enter_subject(struct job *job, const struct run_subject *subject)
{
    if (job->subject == subject)
        return false;
    leave_subject(job);
    job->subject = subject;
    effort_of(job->queue, subject)->jobs++;
    return true;
}

static void note(struct job *job, bool first, double seconds)
{
    struct effort *effort = effort_of(job->queue, job->subject);
    *(first ? &effort->starts : &effort->counted) += 1;
    *(first ? &effort->start_s : &effort->counting_s) += seconds;
}

// Called with the lock held; releases it while counting.
static void count_one(struct job *job, size_t at)
{
    struct queue *queue = job->queue;
    const struct run_case *item = ready(queue, at);
    bool first = !item->failure && enter_subject(job, item->subject);
    take(queue, at);
    if (!item->failure)
        job->reserved = next_of(queue, item->subject);
    if (job->reserved != NONE)
        take(queue, job->reserved);
    struct collect_task task = {item, job->reserved == NONE ? NULL : ready(queue, job->reserved),
                                at};
    if (queue->observer->working)
        queue->observer->working(queue->observer->context, &queue->cases->items[at], 0);
    pthread_mutex_unlock(&queue->lock);
    struct bilanx_record record;
    struct bilanx_error error = collector_record(&job->collector, &task, &record);
    pthread_mutex_lock(&queue->lock);
    if (!item->failure)
        note(job, first, record.elapsed);
    if (error.status == BILANX_OK) {
        queue->observer->finished(queue->observer->context, &queue->cases->items[at], &record);
    } else {
        bilanx_record_done(&record);
        queue->error = error;
    }
    pthread_cond_broadcast(&queue->changed);
}

static void prepare_some(struct queue *queue)
{
    const struct collect_source *source = &queue->options->source;
    bool more = false;
    queue->preparing = true;
    pthread_mutex_unlock(&queue->lock);
    struct bilanx_error error = source->prepare(source->context, &more);
    pthread_mutex_lock(&queue->lock);
    queue->preparing = false;
    queue->prepared = !more;
    if (error.status != BILANX_OK)
        queue->error = error;
    pthread_cond_broadcast(&queue->changed);
}

// Other jobs may leave work to do; or ^C may arrive, which wakes no job.
static void wait_a_moment(struct queue *queue)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
    if (interrupt_caught())
        queue->error = bilanx_error_make(BILANX_E_INTERRUPTED, "interrupted");
}

static void *work(void *context)
{
    struct job *job = context;
    struct queue *queue = job->queue;
    pthread_mutex_lock(&queue->lock);
    while (queue->error.status == BILANX_OK) {
        bool busy = job->reserved != NONE;  // its worker is waiting
        if (!busy && !queue->prepared && !queue->preparing) {
            prepare_some(queue);
            continue;
        }
        size_t at = choose(job);
        if (at != NONE) {
            count_one(job, at);
            continue;
        }
        leave_subject(job);
        if (queue->left == 0 && queue->prepared)
            break;
        wait_a_moment(queue);
    }
    pthread_mutex_unlock(&queue->lock);
    collector_done(&job->collector);  // in this thread: its workers end with the thread
    return NULL;
}

static void start_jobs(struct job *jobs, size_t *count)
{
    size_t started = 1;  // the caller's own thread
    while (started < *count &&
           pthread_create(&jobs[started].thread, NULL, work, &jobs[started]) == 0)
        started++;
    *count = started;
}

static void run_jobs(struct queue *queue, size_t count)
{
    AUTO(memory) struct job *jobs = mem_array(struct job, count);
    for (size_t i = 0; i < count; i++) {
        jobs[i] = (struct job){.queue = queue, .reserved = NONE};
        collector_init(&jobs[i].collector, queue->options);
    }
    // Sending to a dead worker ignores SIGPIPE only briefly, and per process, not per thread.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    size_t all = count;
    start_jobs(jobs, &count);
    work(&jobs[0]);
    for (size_t i = 1; i < all; i++)
        if (i < count)
            pthread_join(jobs[i].thread, NULL);
        else
            collector_done(&jobs[i].collector);
    sigaction(SIGPIPE, &before, NULL);
}

struct bilanx_error collect_cases(const struct collect_options *options,
                                  const struct run_cases *cases,
                                  const struct run_observer *observer)
{
    if (cases->count == 0)
        return BILANX_SUCCESS;
    struct queue queue = {.options = options,
                          .cases = cases,
                          .observer = observer,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER,
                          .taken = mem_array(bool, cases->count),
                          .left = cases->count,
                          .prepared = !options->source.prepare};
    size_t jobs = options->jobs ? options->jobs : 1;
    run_jobs(&queue, jobs < cases->count ? jobs : cases->count);
    free(queue.taken);
    free(queue.efforts);
    pthread_mutex_destroy(&queue.lock);
    pthread_cond_destroy(&queue.changed);
    return queue.error;
}
