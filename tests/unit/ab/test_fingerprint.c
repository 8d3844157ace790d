// The loaded content of files in two checkouts, compiled here.
#include "ab/sides/fingerprint.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/bilanx-fingerprint-XXXXXX";

static void script(const char *text)
{
    const char *argv[] = {"/bin/bash", "-euc", text, NULL};
    AUTO(text) struct text output = {0};
    int status;
    assert_ok(
        capture_run(&(struct capture_options){.argv = argv, .timeout_s = 60}, &output, &status));
    if (status != 0)
        fail_msg("%s: %s", text, text_get(&output));
}

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    script("mkdir -p one/tree two/tree; for i in */tree; do cat >$i/f.c <<'C'\n"
           "const char *file(void) { return __FILE__; }\n"
           "int f(int x) { return 3 * x; }\nC\ndone");
    return 0;
}

static int leave_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("rm -rf %s", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

// Compiles both with the same command in their folders, using absolute paths.
static void compile(const char *flags)
{
    AUTO(memory) char *text = mem_format(
        "for i in */tree; do cd $i; cc %s -g -o f.so \"$PWD/f.c\"; cd ../..; done", flags);
    script(text);
}

static bool fingerprint(const char *tree, const char *file, char out[DIGEST_TEXT])
{
    AUTO(memory) char *path = mem_format("%s/%s/tree", folder, tree);
    AUTO(memory) char *whole = mem_format("%s/%s", path, file);
    struct side side = {.tree = path};
    return side_fingerprint(&side, whole, out);
}

static bool is_alike(void)
{
    char one[DIGEST_TEXT], two[DIGEST_TEXT];
    assert_true(fingerprint("one", "f.so", one));
    assert_true(fingerprint("two", "f.so", two));
    return strcmp(one, two) == 0;
}

static void the_same_source_elsewhere_has_the_same_fingerprint(void **state)
{
    (void)state;
    compile("-O2 -shared -fPIC -Wl,--build-id=sha1");
    assert_true(is_alike());
}

static void a_comment_does_not_change_the_fingerprint(void **state)
{
    (void)state;
    script("echo '// a comment' >>two/tree/f.c");
    compile("-O2 -shared -fPIC -Wl,--build-id=sha1");
    assert_true(is_alike());
}

static void debug_information_is_ignored(void **state)
{
    (void)state;
    compile("-O2 -shared -fPIC");
    script("strip two/tree/f.so");
    assert_true(is_alike());
}

static void code_and_data_change_the_fingerprint(void **state)
{
    (void)state;
    script("sed -i 's/3 . x/5 * x/' two/tree/f.c");
    compile("-O2 -shared -fPIC");
    assert_false(is_alike());
    script("cp one/tree/f.c two/tree/f.c; for i in */tree; do echo \"char text[] = \\\"$i\\\";\" "
           ">>$i/f.c; "
           "done");
    compile("-O2 -shared -fPIC");
    assert_false(is_alike());
}

static void libraries_in_the_checkout_are_included(void **state)
{
    (void)state;
    script("for i in */tree; do cd $i; echo 'int g(void) { return 1; }' >g.c;"
           "cc -shared -fPIC -o libg.so g.c;"
           "echo 'int g(void); int h(void) { return g(); }' >>f.c; cd ../..; done");
    compile("-O2 -shared -fPIC -L. -Wl,--no-as-needed -lg -Wl,-rpath,'$ORIGIN'");
    assert_true(is_alike());
    compile("-O2 -shared -fPIC -L. -Wl,--no-as-needed -lg -Wl,-rpath,\"$PWD\"");
    assert_true(is_alike());
    script(
        "cd two/tree && echo 'int g(void) { return 2; }' >g.c && cc -shared -fPIC -o libg.so g.c");
    assert_false(is_alike());
    compile("-O2 -shared -fPIC -L. -Wl,--no-as-needed -lg");  // found only through a variable
    assert_true(is_alike());
    setenv("LD_LIBRARY_PATH", "/nowhere:one/tree:two/tree", 1);
    assert_false(is_alike());
    unsetenv("LD_LIBRARY_PATH");
}

static void scripts_and_broken_files_have_no_fingerprint(void **state)
{
    (void)state;
    char out[DIGEST_TEXT];
    compile("-O2 -shared -fPIC");
    script("echo 'exec ./other' >one/tree/script; head -c 200 one/tree/f.so >one/tree/cut; : "
           ">one/tree/empty");
    assert_false(fingerprint("one", "script", out));
    assert_false(fingerprint("one", "cut", out));
    assert_false(fingerprint("one", "empty", out));
    assert_false(fingerprint("one", "nothing", out));
    struct side as_it_is = {0};
    assert_false(side_fingerprint(&as_it_is, "one/tree/f.so", out));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_source_elsewhere_has_the_same_fingerprint),
        TEST(a_comment_does_not_change_the_fingerprint),
        TEST(debug_information_is_ignored),
        TEST(code_and_data_change_the_fingerprint),
        TEST(libraries_in_the_checkout_are_included),
        TEST(scripts_and_broken_files_have_no_fingerprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
