// Cases of a worker that is a fork of this process, which samples itself by signals.
#include "profile/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/worker/server.h"
#include "stacks_made.h"
#include "unit.h"

static void describe(void *context, struct text *out)
{
    (void)context;
    message_add(out, "version", BILANX_VERSION);
}

// noinline: it is looked for in the stacks.
__attribute__((noinline)) static unsigned busy_function(unsigned n)
{
    volatile unsigned sum = n;
    for (unsigned i = 0; i < 20000; i++)
        sum += i * sum;
    return sum;
}

static volatile unsigned sink;

static struct bilanx_error run(void *context, const struct message *request, struct server *server)
{
    (void)context;
    if (message_text(request, "crash"))
        abort();
    struct loop loop = {.clock = &server->clock, .decide = server_decide, .context = server};
    server->loop = &loop;
    server->body = (const void *)(uintptr_t)run;
    for (uint64_t n; (n = loop_next(&loop)) != 0;)
        for (uint64_t i = 0; i < n; i++)
            sink += busy_function((unsigned)i) + 1;
    return BILANX_SUCCESS;
}

static int serve(void *context, int in, int out)
{
    (void)context;
    const struct server_subject subject = {.describe = describe, .run = run};
    return server_run(&subject, in, out);
}

static const struct run_subject subject = {.name = "worker", .launch = {.body = serve}};

static struct run_case case_named(const char *name, const char *open)
{
    return (struct run_case){.subject = &subject, .name = (char *)name, .open = (char *)open};
}

static void a_case_is_sampled_as_the_root_of_its_stacks(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *stacks = stacks_new();
    struct run_case item = case_named("the case", " case=0");
    assert_ok(sampling_case(&item, &(struct sampling_options){.by_signals = true, .duration_s = .2},
                            stacks));
    stacks_sum(stacks);
    assert_string_equal(stacks->unit, "samples");
    assert_true(stacks->nodes[0].total > 3);
    assert_near(total_of(stacks, "the case"), stacks->nodes[0].total, 0);
    assert_true(total_of(stacks, "the case;busy_function") > .5 * stacks->nodes[0].total);
    assert_true(stacks->calls > 0 && stacks->seconds > 0);
    assert_int_equal(stacks->epoch_count, 1);
    assert_near(stacks->epochs[0].calls, stacks->calls, 0);
    assert_non_null(strstr(stacks->note, " per second of CPU time ("));
    assert_non_null(strstr(stacks->note, "without frames of the kernel"));
    // Samples stand for a period each.
    assert_in_range((uint64_t)(stacks->nodes[0].total / stacks->seconds), 50, 1000);
}

static void cases_take_turns_in_several_processes(void **state)
{
    (void)state;
    AUTO(stacks) struct stacks *first = stacks_new(), *second = stacks_new(), *none = stacks_new(),
                               *refused = stacks_new();
    struct run_case items[] = {case_named("a", " case=0"), case_named("b", " case=1"),
                               case_named("c", " crash=1"), case_named("d", " case=3")};
    struct bilanx_failure failure = {.text = (char *)"it does not compile"};
    items[3].failure = &failure;
    struct sampling_turn turns[] = {{.item = &items[0], .stacks = first},
                                    {.item = &items[1], .stacks = second},
                                    {.item = &items[2], .stacks = none},
                                    {.item = &items[3], .stacks = refused}};
    assert_ok(sampling_in_turns(
        turns, LENGTH(turns),
        &(struct sampling_options){.by_signals = true, .duration_s = .2, .epochs = 2}));
    assert_ok(turns[0].error);
    assert_ok(turns[1].error);
    assert_true(first->epoch_count >= 2 && second->epoch_count == first->epoch_count);
    stacks_sum(first);
    stacks_sum(second);
    assert_near(total_of(first, "a"), first->nodes[0].total, 0);
    assert_near(total_of(second, "b"), second->nodes[0].total, 0);
    assert_int_equal(turns[2].error.status, BILANX_E_CRASHED);
    assert_int_equal(strncmp(turns[2].error.text, "c: ", 3), 0);
    assert_int_equal(turns[3].error.status, BILANX_E_FAILED);
    assert_string_equal(turns[3].error.text, "d: it does not compile");
    assert_ok(sampling_in_turns(turns, 0, &(struct sampling_options){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_is_sampled_as_the_root_of_its_stacks),
        cmocka_unit_test(cases_take_turns_in_several_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
