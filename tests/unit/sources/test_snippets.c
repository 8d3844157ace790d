// The worker for statements, in another process. STATEMENT_OBJECT is statement_object.c.
#include "sources/statement_worker/snippets.h"

#include "base/sanitized.h"
#include "core/worker/client.h"
#include "core/worker/duel.h"
#include "core/worker/server.h"
#include "own_folder.h"

static const uint64_t PATIENCE_NS = 60000000000u;

static int serve(void *context, int in, int out)
{
    (void)context;
    char channel[32];
    snprintf(channel, sizeof channel, "%d,%d", in, out);
    setenv(WORKER_CHANNEL, channel, 1);
    return snippets_serve();
}

static struct client worker;

static int enter(void **state)
{
    if (own_folder_enter(state) != 0)
        return -1;
    AUTO(memory) char *notes = mem_format("%s/notes", own_folder);
    setenv("STATEMENT_NOTES", notes, 1);
    unsetenv("BILANX_PAGES");
    return client_start(&(struct process_options){.body = serve}, PATIENCE_NS, &worker).status !=
           BILANX_OK;
}

// Whatever was asked, the worker is still alive and exits normally when its channel closes.
static int leave(void **state)
{
    struct bilanx_error error = process_finish(&worker.process, monotonic_ns() + PATIENCE_NS);
    client_done(&worker);
    return own_folder_leave(state) == 0 && error.status == BILANX_OK ? 0 : -1;
}
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

static const char *object(void)
{
    const char *path = getenv("STATEMENT_OBJECT");
    assert_non_null(path);
    return path;
}

// Asks with "OBJECT" in the request standing for the path of the object.
static struct bilanx_error ask(const char *request, const char *verb, struct message *answer)
{
    AUTO(text) struct text line = {0};
    for (const char *at; (at = strstr(request, "OBJECT")); request = at + strlen("OBJECT")) {
        text_add_n(&line, request, (size_t)(at - request));
        text_add(&line, object());
    }
    text_format(&line, "%s\n", request);
    return client_ask(&worker, &line, verb, answer);
}

static struct message answer_to(const char *request, const char *verb)
{
    struct message answer = {0};
    assert_ok(ask(request, verb, &answer));
    return answer;
}

static void agree(const char *request, const char *verb)
{
    struct message answer = answer_to(request, verb);
    message_done(&answer);
}

static void refuse(const char *request, enum bilanx_status status, const char *text)
{
    AUTO(message) struct message answer = {0};
    assert_error(ask(request, "anything", &answer), status, text);
}

static void open_and_close(const char *request)
{
    agree(request, "opened");
    agree("calibrate target_ns=1000", "calibrated");
    agree("close", "closed");
}

static void a_worker_says_which_version_it_is(void **state)
{
    (void)state;
    AUTO(message) struct message hello = answer_to("hello", "hello");
    assert_string_equal(message_text(&hello, "version"), BILANX_VERSION);
    assert_string_equal(message_text(&hello, "cases"), "0");
}

static void without_a_channel_there_is_nothing_to_serve(void **state)
{
    (void)state;
    unsetenv(WORKER_CHANNEL);
    assert_int_equal(snippets_serve(), 2);
}

static void a_statement_is_loaded_run_and_unloaded(void **state)
{
    (void)state;
    open_and_close("open object=OBJECT");
    open_and_close("open object=OBJECT");
    assert_file("notes", "loaded\ncopies1 begins\ncopies1 ends after batches\n"
                         "loaded\ncopies1 begins\ncopies1 ends after batches\n");
}

static void the_request_chooses_the_function(void **state)
{
    (void)state;
    open_and_close("open object=OBJECT copies=2 place=2");
    open_and_close("open object=OBJECT barrier=1");
    open_and_close("open object=OBJECT barrier=0");
    assert_file("notes", "loaded\nat2_copies2 begins\nat2_copies2 ends after batches\n"
                         "loaded\nbarrier begins\nbarrier ends after batches\n"
                         "loaded\ncopies1 begins\ncopies1 ends after batches\n");
}

static void a_layout_has_its_own_functions_and_constructors(void **state)
{
    (void)state;
    open_and_close("open object=OBJECT layout=3");
    assert_file("notes", "loaded\nconstructed with 0 words\nconstructed with 0 words\n"
                         "copies1.3 begins\ncopies1.3 ends after batches\n");
}

static void pages_are_fresh_unless_they_are_to_be_kept(void **state)
{
    (void)state;
    AUTO(message) struct message fresh = answer_to("open object=OBJECT layout=3", "opened");
    assert_non_null(message_text(&fresh, "pages"));
    agree("close", "closed");
    AUTO(message) struct message kept =
        answer_to("open object=OBJECT layout=3 pages=keep", "opened");
    assert_null(message_text(&kept, "pages"));
    agree("close", "closed");
    // Where there is nothing that says where the code is, it stays.
    AUTO(message) struct message plain = answer_to("open object=OBJECT", "opened");
    assert_null(message_text(&plain, "pages"));
    agree("close", "closed");
}

static void what_cannot_be_opened_is_refused(void **state)
{
    (void)state;
    refuse("open", BILANX_E_INPUT, "open needs an object");
    refuse("open object=/missing.so", BILANX_E_INPUT, "cannot load the compiled statement: ");
    refuse("open object=OBJECT copies=2", BILANX_E_INPUT,
           "the compiled statement has no 'bilanx_copies2' in layout 0");
    refuse("open object=OBJECT layout=4", BILANX_E_INPUT,
           "the compiled statement has no 'bilanx_copies1' in layout 4");
    static const char *const numbers[] = {"seed",    "threads", "copies",
                                          "barrier", "place",   "layout"};
    for (size_t i = 0; i < LENGTH(numbers); i++) {
        AUTO(memory) char *request = mem_format("open object=OBJECT %s=x", numbers[i]);
        refuse(request, BILANX_E_INPUT, numbers[i]);
    }
    refuse("open object=OBJECT inputs=?", BILANX_E_INPUT, "");
    refuse("open object=OBJECT rival=OBJECT rival_place=x", BILANX_E_INPUT, "rival_place");
    refuse("open object=OBJECT rival=OBJECT rival_place=9", BILANX_E_INPUT, "bilanx_at9_copies1");
    refuse("open object=OBJECT rival=OBJECT rival_inputs=?", BILANX_E_INPUT, "");
}

static void a_statement_that_leaves_its_loop_fails(void **state)
{
    (void)state;
    agree("open object=OBJECT copies=8", "opened");
    refuse("calibrate target_ns=1000", BILANX_E_FAILED, server_left_loop);
    agree("hello", "hello");  // the answer came before the end of the statement
    assert_file("notes", "loaded\ncopies8 is left with nothing\n");
}

static void inputs_are_made_before_the_statement_runs(void **state)
{
    (void)state;
    open_and_close("open object=OBJECT inputs=n=42");
    assert_file("notes", "loaded\ncopies1 begins\ncopies1 has 42\ncopies1 ends after batches\n");
}

static void loaded_libraries_are_noted_for_other_workers(void **state)
{
    (void)state;
    AUTO(text) struct text libraries = {0};
    AUTO(list) struct list lines = {0};
    bool libc = false;
    open_and_close("open object=OBJECT libraries=libraries");
    assert_ok(file_read("libraries", &libraries));
    list_split_lines(&lines, text_get(&libraries));
    size_t dependency = 0;
    for (size_t i = 0; i < lines.count; i++) {
        assert_int_equal(lines.items[i][0], '/');
        assert_string_not_equal(lines.items[i], object());
        libc |= strstr(lines.items[i], "/libc.so") != NULL;
        if (strstr(lines.items[i], "libstatement_library"))
            dependency = i + 1;
    }
    assert_true(libc && dependency);
    assert_false(strstr(lines.items[dependency - 1], "/libc.so") != NULL);
    // The kernel's name for a file that was written under another name first.
    AUTO(directory) DIR *folder = opendir(".");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        assert_false(strncmp(entry->d_name, "libraries.", 10) == 0);
}

static void noted_libraries_are_loaded_before_any_statement(void **state)
{
    (void)state;
    AUTO(memory) char *lines = mem_format("/missing.so\n%s\n", object());
    file_make("libraries", lines);
    agree("prepare libraries=libraries", "prepared");
    assert_file("notes", "loaded\n");
    open_and_close("open object=OBJECT");  // is not loaded once more
    assert_file("notes", "loaded\ncopies1 begins\ncopies1 ends after batches\n");
    agree("prepare libraries=missing", "prepared");
}

static void objects_are_loaded_ahead_and_the_setup_of_the_empty_loop_runs(void **state)
{
    (void)state;
    agree("prepare load=OBJECT%0A/missing.so", "prepared");
    assert_file("notes", "loaded\nbarrier begins\nbarrier ends after nothing\n");
    refuse("prepare load=/missing.so", BILANX_E_INPUT, "cannot load the compiled statement");
}

static void two_statements_take_turns_in_one_process(void **state)
{
    (void)state;
    struct duel_mapping mapping;
    assert_ok(duel_mapping_init(&mapping));
    agree("open object=OBJECT inputs=n=1 rival=OBJECT rival_place=2 rival_inputs=n=2", "opened");
    AUTO(memory) char *request =
        mem_format("duel memory=%s role=0 seed=7 number=3 warm_pairs=2 pairs=20", mapping.path);
    AUTO(message) struct message answer = answer_to(request, "dueled");
    assert_string_equal(message_text(&answer, "pairs"), "20");
    agree("close", "closed");
    assert_int_equal(mapping.memory->pairs, 20);
    assert_int_equal(mapping.memory->turn, 2 * 22);
    AUTO(text) struct text notes = {0};
    assert_ok(file_read("notes", &notes));
    assert_non_null(strstr(text_get(&notes), "copies1 has 1\n"));
    assert_non_null(strstr(text_get(&notes), "at2_copies1 has 2\n"));
    assert_non_null(strstr(text_get(&notes), "copies1 ends after batches\n"));
    assert_non_null(strstr(text_get(&notes), "at2_copies1 ends after batches\n"));
    duel_mapping_done(&mapping);
}

static void a_rival_that_never_got_a_turn_is_not_run(void **state)
{
    (void)state;
    open_and_close("open object=OBJECT rival=OBJECT rival_place=2");
    assert_file("notes", "loaded\ncopies1 begins\ncopies1 ends after batches\n");
    open_and_close("open object=OBJECT");  // the next case is alone again
}

static void libraries_of_an_object_come_before_libc(void **state)
{
    (void)state;
    if (SANITIZED)
        skip_because("sanitizers reject deep binding");
    AUTO(text) struct text notes = {0};
    agree("open object=OBJECT place=4", "opened");
    AUTO(message) struct message closed = answer_to("close", "closed");
    assert_null(message_text(&closed, "warning_code"));
    assert_ok(file_read("notes", &notes));
    assert_non_null(strstr(text_get(&notes), "lfind is the library's"));
}

static void what_cannot_be_prepared_is_refused(void **state)
{
    (void)state;
    refuse("prepare count=0", BILANX_E_INPUT, "prepare takes 1 to 1000 statements");
    refuse("prepare count=1001", BILANX_E_INPUT, "prepare takes 1 to 1000 statements");
    refuse("prepare count=x", BILANX_E_INPUT, "count");
    refuse("prepare stmt.0=x", BILANX_E_INPUT, "prepare needs a cache");
    refuse("prepare stmt.0=x layouts=many cache=here", BILANX_E_INPUT, "layouts");
}

// The only test that compiles.
static void statements_are_compiled_one_by_one_and_can_be_opened(void **state)
{
    (void)state;
    file_make("f.c", "static int twice(int x) { return 2 * x; }\n");
    AUTO(memory) char *request = mem_format(
        "prepare count=3 language=c cache=%s/cache sources=%s/f.c setup=volatile%%20int%%20x=1 "
        "stmt.0=x=twice(x)%%26255 stmt.1=x=nothing(x) stmt.2=y=twice(y) "
        "setup.2=volatile%%20int%%20y=1",
        own_folder, own_folder);
    AUTO(message) struct message answer = answer_to(request, "prepared");
    assert_string_equal(message_text(&answer, "code.1"), "compile-failed");
    assert_non_null(strstr(message_text(&answer, "output.1"), "nothing"));
    assert_null(message_text(&answer, "object.1"));
    static const size_t good[] = {0, 2};
    for (size_t i = 0; i < LENGTH(good); i++) {
        AUTO(memory) char *object_key = mem_format("object.%zu", good[i]);
        AUTO(memory) char *place_key = mem_format("place.%zu", good[i]);
        AUTO(memory) char *traced_key = mem_format("traced.%zu", good[i]);
        AUTO(memory) char *flags_key = mem_format("flags.%zu", good[i]);
        const char *path = message_text(&answer, object_key);
        assert_non_null(path);
        assert_true(text_starts(path, own_folder));
        assert_string_equal(message_text(&answer, traced_key), "1");
        assert_non_null(message_text(&answer, flags_key));
        AUTO(memory) char *open_it =
            mem_format("open object=%s place=%s", path, message_text(&answer, place_key));
        open_and_close(open_it);
    }
    AUTO(message) struct message again = answer_to(request, "prepared");
    assert_string_equal(message_text(&again, "cached.0"), "1");
    assert_string_equal(message_text(&answer, "cached.0"), "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_worker_says_which_version_it_is),
        TEST(without_a_channel_there_is_nothing_to_serve),
        TEST(a_statement_is_loaded_run_and_unloaded),
        TEST(the_request_chooses_the_function),
        TEST(a_layout_has_its_own_functions_and_constructors),
        TEST(pages_are_fresh_unless_they_are_to_be_kept),
        TEST(what_cannot_be_opened_is_refused),
        TEST(a_statement_that_leaves_its_loop_fails),
        TEST(inputs_are_made_before_the_statement_runs),
        TEST(loaded_libraries_are_noted_for_other_workers),
        TEST(noted_libraries_are_loaded_before_any_statement),
        TEST(objects_are_loaded_ahead_and_the_setup_of_the_empty_loop_runs),
        TEST(two_statements_take_turns_in_one_process),
        TEST(a_rival_that_never_got_a_turn_is_not_run),
        TEST(libraries_of_an_object_come_before_libc),
        TEST(what_cannot_be_prepared_is_refused),
        TEST(statements_are_compiled_one_by_one_and_can_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
