#include "base/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

static const char RECORD[] = "{\"schema\":\"bilanx/1\",\"kind\":\"counts\"}\n";
static char folder[] = "/tmp/test-output-XXXXXX", path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void put(const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *expected)
{
    AUTO(text) struct text content = {0};
    assert_ok(file_read(path, &content));
    assert_string_equal(text_get(&content), expected);
}

static void assert_refused(enum output_mode mode, const char *why)
{
    FILE *file = NULL;
    struct bilanx_error checked = output_check(path, &output_records, mode);
    struct bilanx_error opened = output_open(path, &output_records, mode, &file);
    assert_int_equal(checked.status, BILANX_E_USAGE);
    assert_int_equal(opened.status, BILANX_E_USAGE);
    assert_non_null(strstr(checked.text, why));
    assert_non_null(strstr(opened.text, why));
    assert_null(file);
}

static void open_and_close(enum output_mode mode)
{
    FILE *file;
    assert_ok(output_check(path, &output_records, mode));
    assert_ok(output_open(path, &output_records, mode, &file));
    assert_int_equal(fclose(file), 0);
}

static void a_file_without_records_is_never_touched(void **state)
{
    (void)state;
    static const char *const others[] = {"int main(void) { return 0; }\n", "{\"context\": {}}\n",
                                         "\177ELF\n", "\n", "[]"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        put(others[i]);
        for (enum output_mode mode = OUTPUT_NEW; mode <= OUTPUT_APPEND; mode++)
            assert_refused(mode, "does not contain records");
        assert_content(others[i]);
    }
}

static void records_are_replaced_or_appended_to_only_on_request(void **state)
{
    (void)state;
    put(RECORD);
    assert_refused(OUTPUT_NEW, "--append adds to them");
    assert_content(RECORD);
    open_and_close(OUTPUT_APPEND);
    assert_content(RECORD);
    open_and_close(OUTPUT_REPLACE);
    assert_content("");
    open_and_close(OUTPUT_NEW);  // an empty file counts as new
}

static void a_truncated_last_line_is_removed_before_appending(void **state)
{
    (void)state;
    AUTO(memory) char *torn = mem_format("%s%.20s", RECORD, RECORD);
    put(torn);
    open_and_close(OUTPUT_APPEND);
    assert_content(RECORD);
    AUTO(memory) char *long_torn = mem_format("%s{\"schema\":\"%09000d", RECORD, 1);  // many blocks
    put(long_torn);
    open_and_close(OUTPUT_APPEND);
    assert_content(RECORD);
}

static void a_complete_last_line_without_a_newline_gets_one(void **state)
{
    (void)state;
    AUTO(memory) char *line = mem_format("%.*s", (int)strlen(RECORD) - 1, RECORD);
    put(line);
    open_and_close(OUTPUT_APPEND);
    assert_content(RECORD);
}

static void a_second_writer_learns_which_process_has_the_file(void **state)
{
    (void)state;
    FILE *file;
    unlink(path);
    assert_ok(output_open(path, &output_records, OUTPUT_NEW, &file));
    pid_t child = fork();
    if (child == 0) {
        FILE *mine;
        struct bilanx_error error = output_open(path, &output_records, OUTPUT_APPEND, &mine);
        char who[40];
        snprintf(who, sizeof who, "process %d (", (int)getppid());
        _exit(error.status == BILANX_E_SYSTEM && strstr(error.text, who) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    fclose(file);
    open_and_close(OUTPUT_APPEND);  // closing the file released its lock
}

static void rewriting_keeps_the_mode_and_the_lock(void **state)
{
    (void)state;
    FILE *file, *second;
    put(RECORD);
    chmod(path, 0640);
    assert_ok(output_open(path, &output_records, OUTPUT_APPEND, &file));
    assert_ok(output_rewrite(path, RECORD, strlen(RECORD), &file));
    fputs(RECORD, file);
    fflush(file);
    assert_int_equal(output_open(path, &output_records, OUTPUT_APPEND, &second).status,
                     BILANX_E_SYSTEM);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    fclose(file);
    AUTO(memory) char *twice = mem_format("%s%s", RECORD, RECORD);
    assert_content(twice);
}

static void a_device_is_written_to_directly(void **state)
{
    (void)state;
    FILE *file;
    assert_ok(output_check("/dev/null", &output_records, OUTPUT_NEW));
    assert_error(output_check("/nonexistent/x.jsonl", &output_records, OUTPUT_NEW), BILANX_E_SYSTEM,
                 "cannot write '/nonexistent/x.jsonl': No such file or directory");
    assert_ok(output_check("new.jsonl", &output_records, OUTPUT_NEW));
    assert_ok(output_open("/dev/null", &output_records, OUTPUT_NEW, &file));
    fclose(file);
    assert_int_equal(output_write("/dev/full", &output_csv, "a", 1).status, BILANX_E_SYSTEM);
}

static void two_paths_to_one_file_are_the_same(void **state)
{
    (void)state;
    put(RECORD);
    AUTO(memory) char *longer = mem_format("%s/../%s", folder, path + strlen("/tmp/"));
    assert_true(output_is_same(path, longer));
    assert_false(output_is_same(path, folder));
    assert_false(output_is_same(path, "/no/such/file"));
}

static void a_draft_replaces_all_or_nothing(void **state)
{
    (void)state;
    put(RECORD);
    AUTO(memory) char *link = mem_format("%s/link", folder);
    assert_int_equal(symlink("file", link), 0);
    for (int complete = 0; complete < 2; complete++) {
        AUTO(draft) struct draft draft = {0};
        assert_ok(output_replace(link, &output_records, OUTPUT_REPLACE, &draft));
        fputs(RECORD, draft.file);
        fputs(RECORD, draft.file);
        fflush(draft.file);
        assert_content(RECORD);
        if (complete)
            assert_ok(draft_commit(&draft));
    }
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    AUTO(memory) char *twice = mem_format("%s%s", RECORD, RECORD);
    assert_content(twice);
    unlink(link);
}

static void a_draft_of_a_new_file_replaces_nothing_that_came_into_being(void **state)
{
    (void)state;
    unlink(path);
    AUTO(draft) struct draft draft = {0};
    assert_ok(output_replace(path, &output_records, OUTPUT_NEW, &draft));
    fputs("new", draft.file);
    put(RECORD);
    assert_int_equal(draft_commit(&draft).status, BILANX_E_SYSTEM);
    assert_content(RECORD);
}

static void a_file_that_was_replaced_is_not_written_to(void **state)
{
    (void)state;
    FILE *file, *second;
    put(RECORD);
    assert_ok(output_open(path, &output_records, OUTPUT_APPEND, &file));
    assert_ok(output_rewrite(path, RECORD, strlen(RECORD), &file));
    fclose(file);
    assert_ok(output_open(path, &output_records, OUTPUT_APPEND, &second));
    fputs(RECORD, second);
    fclose(second);
    AUTO(memory) char *twice = mem_format("%s%s", RECORD, RECORD);
    assert_content(twice);
}

static void assert_use(const char *one, const char *writes, const char *two, const char *other,
                       const char *refusal)
{
    AUTO(output_uses) struct output_uses uses = {0};
    output_uses_add(&uses, one, writes, "--%s", "one");
    output_uses_add(&uses, two, other, other ? "--two" : "the input");
    struct bilanx_error error = output_uses_check(&uses);
    assert_int_equal(error.status, refusal ? BILANX_E_USAGE : BILANX_OK);
    if (refusal)
        assert_non_null(strstr(error.text, refusal));
}

static void an_output_is_neither_an_input_nor_another_output(void **state)
{
    (void)state;
    put(RECORD);
    AUTO(memory) char *longer = mem_format("%s/../%s", folder, path + strlen("/tmp/"));
    AUTO(memory) char *fresh = mem_format("%s/new", folder);
    AUTO(memory) char *fresh_longer = mem_format("%s/new", longer);
    strcpy(strrchr(fresh_longer, '/') - strlen("/file"), "/new");
    assert_use(path, "records", longer, NULL, "is the input: choose another output file");
    assert_use(path, NULL, longer, NULL, NULL);
    assert_use(path, "records", longer, "a graph", "--one and --two name the same file");
    assert_use(path, "records", longer, "records", NULL);
    assert_use(fresh, "records", fresh_longer, "a graph", "--one and --two name the same file");
    assert_use(fresh, "records", path, "a graph", NULL);
    assert_use(fresh, "records", fresh, NULL, NULL);  // a statement may look like a file
    assert_use("/dev/null", "records", "/dev/null", "a graph", NULL);
    assert_use("-", "records", "-", "a graph", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_records_is_never_touched),
        cmocka_unit_test(records_are_replaced_or_appended_to_only_on_request),
        cmocka_unit_test(a_truncated_last_line_is_removed_before_appending),
        cmocka_unit_test(a_complete_last_line_without_a_newline_gets_one),
        cmocka_unit_test(a_second_writer_learns_which_process_has_the_file),
        cmocka_unit_test(rewriting_keeps_the_mode_and_the_lock),
        cmocka_unit_test(a_device_is_written_to_directly),
        cmocka_unit_test(two_paths_to_one_file_are_the_same),
        cmocka_unit_test(a_draft_replaces_all_or_nothing),
        cmocka_unit_test(a_draft_of_a_new_file_replaces_nothing_that_came_into_being),
        cmocka_unit_test(a_file_that_was_replaced_is_not_written_to),
        cmocka_unit_test(an_output_is_neither_an_input_nor_another_output),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
