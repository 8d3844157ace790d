// Addresses are compared only if the kernel allows a process to set them.
#include "base/draw.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<linux/seccomp.h>)  // not found by musl's compiler
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#include "base/mem.h"
#include "base/process.h"
#include "unit.h"

// When started as `test_draw child`: prints its draw.
static int tell(void)
{
    int in, out;
    process_find_channel("TEST_CHANNEL", &in, &out);
    struct rlimit stack = {0};
    pthread_attr_t attributes;
    size_t thread_bytes = 0;
    getrlimit(RLIMIT_STACK, &stack);
    pthread_attr_init(&attributes);
    pthread_attr_getstacksize(&attributes, &thread_bytes);
    const char *seed = getenv("TEST_HASH");
    dprintf(out, "%p %s %llu %zu %d %d\n", (void *)stdout, seed ? seed : "none",
            (unsigned long long)stack.rlim_cur, thread_bytes,
            personality(0xffffffff) & ADDR_NO_RANDOMIZE, getenv(DRAW_LIMIT) != NULL);
    return 0;
}

struct told {
    unsigned long long mapped, limit, thread_bytes;
    char seed[32];
    int fixed, variable;
};

static struct told start(uint64_t seed, bool addresses)
{
    AUTO(process) struct process process = {0};
    AUTO(text) struct text line = {0};
    const struct process_options options = {
        .argv = (const char *const[]){"/proc/self/exe", "child", NULL},
        .channel = "TEST_CHANNEL",
        .draw = {seed, "TEST_HASH", addresses},
    };
    struct told told = {0};
    assert_ok(process_start(&options, &process));
    assert_ok(process_receive(&process, monotonic_ns() + 20000000000u, &line));
    assert_int_equal(sscanf(text_get(&line), "%llx %31s %llu %llu %d %d", &told.mapped, told.seed,
                            &told.limit, &told.thread_bytes, &told.fixed, &told.variable),
                     6);
    return told;
}

static struct rlimit own_limit(void)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_STACK, &limit);
    return limit;
}

static bool may_fix_addresses(void)
{
    int now = personality(0xffffffff);
    bool may = now >= 0 && !(now & ADDR_NO_RANDOMIZE) &&
               personality((unsigned long)now | ADDR_NO_RANDOMIZE) != -1;
    personality((unsigned long)now);
    return may && own_limit().rlim_cur != RLIM_INFINITY && own_limit().rlim_max == RLIM_INFINITY;
}

static void processes_of_one_draw_have_the_same_addresses_and_hashes(void **state)
{
    (void)state;
    const uint64_t seeds[] = {0x123456789abcdefu, 0xfedcba987654321u};
    struct told a = start(seeds[0], true), b = start(seeds[0], true), c = start(seeds[1], true);
    assert_string_equal(a.seed, b.seed);
    assert_string_not_equal(a.seed, c.seed);
    if (!may_fix_addresses())
        skip_because("addresses cannot be fixed here");
    assert_int_equal(a.mapped, b.mapped);
    assert_int_not_equal(a.mapped, c.mapped);
}

static void changes_made_to_move_the_mappings_are_undone(void **state)
{
    (void)state;
    struct told told = start(0x123456789abcdefu, true), usual = start(0, true);
    assert_int_equal(told.limit, own_limit().rlim_cur);
    assert_int_equal(told.thread_bytes, usual.thread_bytes);
    assert_int_equal(told.fixed, personality(0xffffffff) & ADDR_NO_RANDOMIZE);
    assert_false(told.variable);
}

static void two_programs_share_only_the_hash_seed(void **state)
{
    (void)state;
    struct told a = start(0x123456789abcdefu, false), b = start(0x123456789abcdefu, false);
    assert_string_equal(a.seed, b.seed);
    if (!may_fix_addresses())
        skip_because("addresses cannot be fixed here");
    assert_int_not_equal(a.mapped, b.mapped);
}

static void without_a_draw_no_seed_is_set(void **state)
{
    (void)state;
    assert_string_equal(start(0, true).seed, "none");
}

static void a_seed_set_by_the_user_is_kept(void **state)
{
    (void)state;
    setenv("TEST_HASH", "77", 1);
    struct told told = start(0x123456789abcdefu, true);
    unsetenv("TEST_HASH");
    assert_string_equal(told.seed, "77");
}

static void a_hard_limit_is_respected(void **state)
{
    (void)state;
    struct draw draw = {.seed = 5 << 20, .addresses = true};
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit low = {8 << 20, 64 << 20};
        setrlimit(RLIMIT_STACK, &low);
        draw_addresses(&draw);
        bool kept = draw_limit(&draw, &low) == 0 && own_limit().rlim_cur == low.rlim_cur;
        _exit(kept && !(personality(0xffffffff) & ADDR_NO_RANDOMIZE) ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

// As in some containers: personality() is refused.
static bool forbid_personality(void)
{
#ifdef SECCOMP_MODE_FILTER
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {LENGTH(filter), filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false;
#endif
}

static void where_personality_is_forbidden_the_kernel_chooses_addresses(void **state)
{
    (void)state;
    enum { NO_FILTERS = 7 };
    pid_t pid = fork();
    if (pid == 0) {
        if (!forbid_personality())
            _exit(NO_FILTERS);
        struct told told = start(0x123456789abcdefu, true);
        _exit(told.limit == own_limit().rlim_cur && strcmp(told.seed, "none") != 0 ? 0 : 1);
    }
    int status = 1;
    waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) == NO_FILTERS)
        skip_because("system calls cannot be filtered here");
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return tell();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_one_draw_have_the_same_addresses_and_hashes),
        cmocka_unit_test(changes_made_to_move_the_mappings_are_undone),
        cmocka_unit_test(two_programs_share_only_the_hash_seed),
        cmocka_unit_test(without_a_draw_no_seed_is_set),
        cmocka_unit_test(a_seed_set_by_the_user_is_kept),
        cmocka_unit_test(a_hard_limit_is_respected),
        cmocka_unit_test(where_personality_is_forbidden_the_kernel_chooses_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
