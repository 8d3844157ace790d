// Objects are arbitrary files here: the cache does not examine them.
#include "sources/compile/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-cache-XXXXXX";
static const char OBJECT[] = "an object of some bytes";
static const struct digest KEY = {0x1234567890ABCDEF, 0xFEDCBA0987654321};

// Each test has its own cache and current directory.
static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 && setenv("XDG_CACHE_HOME", folder, 1) == 0 &&
                   setenv("HOME", "/nonexistent", 1) == 0
               ? 0
               : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command =
        mem_format("chmod -R u+rwx '%s' && /bin/rm -r '%s'", folder, folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void write_file(const char *path, const char *text)
{
    AUTO(file) FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
}

static void set_time(const char *path, time_t seconds, long nanoseconds)
{
    const struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static struct cache open_cache(void)
{
    struct cache cache = {0};
    assert_ok(cache_open(NULL, &cache));
    return cache;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Keeps an object made from header.h, which is a day old.
static void keep(const struct cache *cache, const struct digest *key, struct cache_entry *entry)
{
    AUTO(list) struct list inputs = {0};
    AUTO(temporary) struct temporary workplace = {0};
    assert_ok(temporary_init(&workplace, cache->building));
    AUTO(memory) char *built = mem_format("%s/built.so", workplace.path);
    write_file(built, OBJECT);
    list_take(&inputs, mem_format("%s/header.h", folder));
    list_add(&entry->facts, "cc gcc 12");
    list_add(&entry->facts, "removed 1");
    assert_ok(cache_keep(cache, key, built, &inputs, now_ns(), entry));
}

static void write_header(const char *text)
{
    write_file("header.h", text);
    set_time("header.h", time(NULL) - 86400, 123456789);
}

static struct cache cache_with_entry(char **object)
{
    struct cache cache = open_cache();
    AUTO(cache_entry) struct cache_entry entry = {0};
    write_header("int x;");
    keep(&cache, &KEY, &entry);
    *object = TAKE(entry.object);
    return cache;
}

static bool finds(const struct cache *cache, const struct digest *key)
{
    AUTO(cache_entry) struct cache_entry entry = {0};
    return cache_find(cache, key, &entry);
}

static char *manifest_of(const char *object)
{
    return mem_format("%.*smanifest", (int)(strlen(object) - strlen("so")), object);
}

static void an_object_that_is_kept_is_found(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    AUTO(cache_entry) struct cache_entry entry = {0};
    assert_true(text_starts(cache.root, folder));
    assert_true(cache_find(&cache, &KEY, &entry));
    assert_string_equal(entry.object, object);
    assert_string_equal(cache_fact(&entry, "cc"), "gcc 12");
    assert_string_equal(cache_fact(&entry, "removed"), "1");
    assert_null(cache_fact(&entry, "plain"));
    assert_null(cache_fact(&entry, "c"));
    AUTO(text) struct text content = {0};
    assert_ok(file_read(entry.object, &content));
    assert_string_equal(text_get(&content), OBJECT);
}

static void another_key_finds_nothing(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    assert_false(finds(&cache, &(struct digest){KEY.high, KEY.low + 1}));
    assert_false(finds(&cache, &(struct digest){KEY.high + 1, KEY.low}));
}

static void a_changed_input_invalidates_the_entry(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    write_header("int xy;");
    assert_false(finds(&cache, &KEY));
    write_file("header.h", "int y;");  // the same length
    assert_false(finds(&cache, &KEY));
    unlink("header.h");
    assert_false(finds(&cache, &KEY));
    write_header("int x;");
    assert_true(finds(&cache, &KEY));
}

static void touching_an_input_changes_nothing(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    set_time("header.h", time(NULL) + 5, 0);
    assert_true(finds(&cache, &KEY));
}

// The compiler may have read either version.
static void an_input_that_changed_during_the_build_is_not_trusted(void **state)
{
    (void)state;
    AUTO(cache) struct cache cache = open_cache();
    AUTO(cache_entry) struct cache_entry entry = {0};
    write_file("header.h", "int x;");
    set_time("header.h", time(NULL) + 100, 0);
    keep(&cache, &KEY, &entry);
    assert_int_equal(access(entry.object, R_OK), 0);  // it can be used this time
    assert_false(finds(&cache, &KEY));
}

static void a_damaged_object_is_not_used(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    struct stat before;
    assert_int_equal(stat(object, &before), 0);
    write_file(object, "an object of some byteX");
    assert_int_equal(
        utimensat(AT_FDCWD, object, (struct timespec[]){before.st_atim, before.st_mtim}, 0), 0);
    assert_false(finds(&cache, &KEY));  // although size and time are unchanged
    assert_int_equal(truncate(object, 3), 0);
    assert_false(finds(&cache, &KEY));
    unlink(object);
    assert_false(finds(&cache, &KEY));
}

static void a_damaged_manifest_is_ignored(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    AUTO(memory) char *manifest = manifest_of(object);
    AUTO(text) struct text whole = {0};
    assert_ok(file_read(manifest, &whole));
    assert_true(finds(&cache, &KEY));
    for (size_t size = 0; size + 1 < whole.size; size++) {  // the last newline may be missing
        AUTO(memory) char *part = mem_text_n(whole.data, size);
        write_file(manifest, part);
        if (finds(&cache, &KEY))
            fail_msg("found with %zu of %zu bytes of its manifest", size, whole.size);
    }
    write_file(manifest, "bilanx-object 4\nobject nonsense\nend\n");
    assert_false(finds(&cache, &KEY));
    write_file(manifest, "bilanx-object 0\nend\n");
    assert_false(finds(&cache, &KEY));
    AUTO(cache_entry) struct cache_entry entry = {0};
    keep(&cache, &KEY, &entry);
    assert_true(finds(&cache, &KEY));
}

// Several processes keep and find the same entry at the same time: entries found are always
// complete.
static int work(const struct cache *cache)
{
    for (int i = 0; i < 50; i++) {
        AUTO(cache_entry) struct cache_entry kept = {0}, found = {0};
        AUTO(text) struct text content = {0};
        keep(cache, &KEY, &kept);
        if (cache_find(cache, &KEY, &found) &&
            (file_read(found.object, &content).status != BILANX_OK ||
             strcmp(text_get(&content), OBJECT) != 0))
            return 1;
    }
    return 0;
}

static void several_processes_may_write_at_once(void **state)
{
    (void)state;
    AUTO(cache) struct cache cache = open_cache();
    write_header("int x;");
    enum { WRITERS = 4 };
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0)
            _exit(work(&cache));
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_true(finds(&cache, &KEY));
    AUTO(directory) DIR *directory = opendir(cache.objects);
    size_t files = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        files += entry->d_name[0] != '.';
    assert_int_equal(files, 2);
}

static void a_removed_cache_is_recreated(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    assert_int_equal(system("/bin/rm -r bilanx"), 0);
    assert_false(finds(&cache, &KEY));
    AUTO(cache) struct cache again = open_cache();
    AUTO(cache_entry) struct cache_entry entry = {0};
    keep(&again, &KEY, &entry);
    assert_true(finds(&again, &KEY));
}

// Attacks by a planted manifest.
static void the_object_is_always_the_file_next_to_the_manifest(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    AUTO(memory) char *manifest = manifest_of(object);
    AUTO(text) struct text text = {0};
    write_file("elsewhere.so", OBJECT);
    text_format(&text, "bilanx-object 4\nobject %zu 0 - %s/elsewhere.so\nend\n", strlen(OBJECT),
                folder);
    write_file(manifest, text_get(&text));
    assert_false(finds(&cache, &KEY));
    write_file(manifest, "bilanx-object 4\nfact cc gcc\nend\n");  // no object
    assert_false(finds(&cache, &KEY));
    write_file(manifest, "bilanx-object 4\nend\n");
    assert_false(finds(&cache, &KEY));
}

static void large_objects_are_verified_completely(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    AUTO(cache) struct cache cache = open_cache();
    AUTO(cache_entry) struct cache_entry entry = {0};
    AUTO(list) struct list inputs = {0};
    AUTO(memory) char *bytes = mem_array(char, SIZE);
    assert_ok(file_write("built.so", bytes, SIZE));
    assert_ok(cache_keep(&cache, &KEY, "built.so", &inputs, now_ns(), &entry));
    assert_true(finds(&cache, &KEY));
    AUTO(fd) int fd = open(entry.object, O_RDWR);
    struct stat before;
    assert_int_equal(fstat(fd, &before), 0);
    assert_int_equal(pwrite(fd, "x", 1, SIZE / 2), 1);
    assert_int_equal(futimens(fd, (struct timespec[]){before.st_atim, before.st_mtim}), 0);
    AUTO(cache) struct cache later = open_cache();  // for the next run
    assert_false(finds(&later, &KEY));
}

// Reading any of these would block or never end.
static void links_pipes_and_devices_are_not_entries(void **state)
{
    (void)state;
    AUTO(memory) char *object = NULL;
    AUTO(cache) struct cache cache = cache_with_entry(&object);
    AUTO(memory) char *manifest = manifest_of(object);
    const char *const paths[] = {manifest, object};
    for (size_t i = 0; i < 2; i++) {
        const char *const targets[] = {"/dev/zero", "copy", NULL};
        assert_int_equal(rename(paths[i], "copy"), 0);
        for (const char *const *target = targets; *target; target++) {
            AUTO(memory) char *whole = mem_format("%s/copy", folder);
            assert_int_equal(symlink(**target == '/' ? *target : whole, paths[i]), 0);
            assert_false(finds(&cache, &KEY));
            unlink(paths[i]);
        }
        assert_int_equal(mkfifo(paths[i], 0600), 0);
        assert_false(finds(&cache, &KEY));
        unlink(paths[i]);
        assert_int_equal(rename("copy", paths[i]), 0);
        assert_true(finds(&cache, &KEY));
    }
    assert_int_equal(truncate(manifest, (off_t)1 << 40), 0);
    assert_false(finds(&cache, &KEY));
}

static void an_input_that_became_a_pipe_invalidates_the_entry(void **state)
{
    (void)state;
    AUTO(cache) struct cache cache = open_cache();
    AUTO(cache_entry) struct cache_entry entry = {0};
    write_header("");
    keep(&cache, &KEY, &entry);
    assert_true(finds(&cache, &KEY));
    unlink("header.h");
    assert_int_equal(mkfifo("header.h", 0600), 0);
    assert_false(finds(&cache, &KEY));
}

static void assert_mode(const char *path, mode_t wanted)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, wanted);
}

static void other_users_cannot_write_to_the_cache(void **state)
{
    (void)state;
    static const mode_t masks[] = {0, 077};
    for (size_t i = 0; i < 2; i++) {
        mode_t before = umask(masks[i]);
        AUTO(memory) char *object = NULL;
        AUTO(cache) struct cache cache = cache_with_entry(&object);
        umask(before);
        AUTO(memory) char *manifest = manifest_of(object);
        assert_mode(object, 0700);
        assert_mode(manifest, 0600);
        assert_mode(cache.root, 0700);
        assert_mode(cache.objects, 0700);
        assert_mode(cache.building, 0700);
        assert_true(finds(&cache, &KEY));
        assert_int_equal(chmod(object, 0722), 0);
        assert_false(finds(&cache, &KEY));
        assert_int_equal(system("/bin/rm -r bilanx header.h"), 0);
    }
}

static void make_entry(const struct cache *cache, unsigned number, time_t used)
{
    AUTO(memory) char *manifest = mem_format("%s/%032x.manifest", cache->objects, number);
    AUTO(memory) char *object = mem_format("%s/%032x.so", cache->objects, number);
    write_file(manifest, "bilanx-object 4\nend\n");
    write_file(object, "");
    set_time(manifest, used, 0);
}

static bool has_entry(const struct cache *cache, unsigned number)
{
    AUTO(memory) char *manifest = mem_format("%s/%032x.manifest", cache->objects, number);
    AUTO(memory) char *object = mem_format("%s/%032x.so", cache->objects, number);
    bool there = access(manifest, F_OK) == 0;
    assert_int_equal(there, access(object, F_OK) == 0);
    return there;
}

static void the_cache_is_bounded_and_the_oldest_entries_go_first(void **state)
{
    (void)state;
    enum { MANY = 4200 };
    AUTO(cache) struct cache cache = open_cache();
    for (unsigned i = 0; i < MANY; i++)
        make_entry(&cache, i, time(NULL) - 10000 + (i + MANY / 2) % MANY);
    write_header("int x;");
    const struct digest looks = {0, 16};  // one in 16 cleans up
    AUTO(cache_entry) struct cache_entry entry = {0};
    keep(&cache, &looks, &entry);
    assert_true(finds(&cache, &looks));
    assert_true(has_entry(&cache, 10));
    assert_false(has_entry(&cache, MANY / 2 + 10));
    assert_false(has_entry(&cache, MANY - 10));
}

#define ALONE(test) cmocka_unit_test_setup_teardown(test, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALONE(an_object_that_is_kept_is_found),
        ALONE(another_key_finds_nothing),
        ALONE(a_changed_input_invalidates_the_entry),
        ALONE(touching_an_input_changes_nothing),
        ALONE(an_input_that_changed_during_the_build_is_not_trusted),
        ALONE(a_damaged_object_is_not_used),
        ALONE(a_damaged_manifest_is_ignored),
        ALONE(several_processes_may_write_at_once),
        ALONE(a_removed_cache_is_recreated),
        ALONE(the_object_is_always_the_file_next_to_the_manifest),
        ALONE(large_objects_are_verified_completely),
        ALONE(links_pipes_and_devices_are_not_entries),
        ALONE(an_input_that_became_a_pipe_invalidates_the_entry),
        ALONE(other_users_cannot_write_to_the_cache),
        ALONE(the_cache_is_bounded_and_the_oldest_entries_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
