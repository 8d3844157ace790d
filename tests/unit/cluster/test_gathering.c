#include "cluster/driving/gathering.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/output.h"
#include "base/temporary.h"
#include "unit.h"

#define RECORD(kind, place) \
    "{\"schema\":\"bilanx/1\",\"kind\":\"" kind "\",\"task\":{},\"place\":" #place "}\n"
#define MEASURED(place) RECORD("measurement", place)
#define FAILED(place) RECORD("failure", place)
#define OLD RECORD("counts", 9)

enum { CASES = 2 };

// A run of two cases, both in the first task of the first batch.
struct scene {
    struct temporary place;
    struct run_folder folder;
    struct campaign campaign;
    struct tell tell;
    struct gathering *gathering;
    FILE *out;
};

static void scene_init(struct scene *scene, enum run_records records)
{
    *scene = (struct scene){0};
    assert_ok(temporary_init(&scene->place, NULL));
    struct run_folder *folder = &scene->folder;
    folder->path = mem_format("%s/run", scene->place.path);
    folder->out = mem_format("%s/out", scene->place.path);
    folder->version = mem_text("1");
    folder->records = records;
    folder->case_count = CASES;
    folder->items = mem_array(struct shard_item, CASES);
    for (size_t i = 0; i < CASES; i++) {
        folder->items[i] = (struct shard_item){.cost = 1};
        list_add(&folder->names, "case");
    }
    assert_ok(run_folder_create(folder));
    campaign_init(&scene->campaign, folder->items, CASES, &(struct campaign_options){.retries = 1});
    size_t batch;
    assert_true(campaign_next(&scene->campaign, &batch));
    scene->gathering = gathering_new(folder, &scene->campaign, &scene->tell);
}

static void scene_done(struct scene *scene)
{
    if (scene->out)
        fclose(scene->out);
    gathering_free(scene->gathering);
    campaign_done(&scene->campaign);
    run_folder_done(&scene->folder);
    temporary_done(&scene->place);
}
SCOPE_VALUE(scene, scene_done)

// Start 0, 1, ... of the task has written this so far.
static void records(const struct scene *scene, int start, const char *text)
{
    AUTO(memory) char *path = mem_format("%s/records/1.1.1.%d.jsonl", scene->folder.path, start);
    assert_ok(file_write(path, text, strlen(text)));
}

static void assert_output(const struct scene *scene, const char *wanted)
{
    AUTO(text) struct text out = {0};
    assert_ok(file_read(scene->folder.out, &out));
    assert_string_equal(text_get(&out), wanted);
}

static void assert_result(struct scene *scene, const char *wanted)
{
    assert_ok(output_open(scene->folder.out, &output_records, OUTPUT_APPEND, &scene->out));
    gathering_write_to(scene->gathering, &scene->out, false);
    assert_ok(gathering_finish(scene->gathering));
    assert_output(scene, wanted);
}

static void records_written_between_the_last_check_and_the_end_count(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    records(&scene, 0, MEASURED(1));
    assert_ok(gathering_look(scene.gathering));
    records(&scene, 0, MEASURED(1) MEASURED(2));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_int_equal(scene.campaign.done_count, 2);
    assert_result(&scene, MEASURED(1) MEASURED(2));
}

static void a_file_that_appears_after_the_last_look_counts(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    assert_ok(gathering_look(scene.gathering));
    records(&scene, 0, MEASURED(1));
    records(&scene, 1, MEASURED(2));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_result(&scene, MEASURED(1) MEASURED(2));
}

static void a_failure_before_a_task_was_requeued_does_not_count(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    records(&scene, 0, FAILED(1) FAILED(2));
    records(&scene, 1, MEASURED(1) FAILED(2));
    assert_ok(gathering_look(scene.gathering));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_int_equal(scene.campaign.done_count, 2);
    assert_result(&scene, MEASURED(1) FAILED(2));
}

static void a_case_that_was_begun_before_a_task_was_requeued_counts_once(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SEQUENTIAL);
    records(&scene, 0, MEASURED(1) MEASURED(1) MEASURED(2));
    records(&scene, 1, MEASURED(1) MEASURED(1) MEASURED(2) MEASURED(2));
    assert_ok(gathering_look(scene.gathering));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_result(&scene, MEASURED(1) MEASURED(1) MEASURED(2) MEASURED(2));
}

static void limit_files(rlim_t bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}), 0);
}

static void an_output_without_space_is_written_later(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    records(&scene, 0, MEASURED(1) MEASURED(2));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_ok(file_write(scene.folder.out, OLD, strlen(OLD)));
    assert_ok(output_open(scene.folder.out, &output_records, OUTPUT_APPEND, &scene.out));
    gathering_write_to(scene.gathering, &scene.out, false);
    limit_files(strlen(OLD MEASURED(1)) + 10);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gathering_write(scene.gathering).status, BILANX_E_SYSTEM);
        assert_output(&scene, OLD);
    }
    limit_files(RLIM_INFINITY);
    assert_ok(gathering_write(scene.gathering));
    assert_output(&scene, OLD MEASURED(1) MEASURED(2));
}

// Writes to the output as another program would, without asking for its lock.
static void somebody_adds(const struct scene *scene, const char *line)
{
    FILE *file = fopen(scene->folder.out, "a");
    assert_non_null(file);
    fputs(line, file);
    fclose(file);
}

static void records_already_in_the_output_are_not_written_again(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    somebody_adds(&scene, OLD MEASURED(2) MEASURED(1) OLD);
    records(&scene, 0, MEASURED(1) MEASURED(2));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_result(&scene, OLD OLD MEASURED(1) MEASURED(2));
}

static void a_record_that_lost_against_another_of_its_case_is_replaced(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    somebody_adds(&scene, FAILED(1) OLD);
    records(&scene, 0, FAILED(1));
    records(&scene, 1, MEASURED(1) MEASURED(2));
    assert_ok(gathering_look(scene.gathering));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_result(&scene, OLD MEASURED(1) MEASURED(2));
}

static void lines_of_others_between_our_records_stay(void **state)
{
    static const char first[] = "{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{},"
                                "\"machine\":{\"node\":\"bad\"},\"place\":1}\n";
    (void)state;
    AUTO(scene) struct scene scene;
    AUTO(text) struct text expected = {0};
    scene_init(&scene, RECORDS_SINGLE);
    assert_ok(output_open(scene.folder.out, &output_records, OUTPUT_APPEND, &scene.out));
    gathering_write_to(scene.gathering, &scene.out, false);
    records(&scene, 0, first);
    assert_ok(gathering_look(scene.gathering));
    assert_ok(gathering_write(scene.gathering));
    somebody_adds(&scene, OLD);
    text_format(&expected, "%s%s", first, OLD);
    assert_output(&scene, text_get(&expected));
    gathering_drop_node(scene.gathering, "bad");
    campaign_node_bad(&scene.campaign, "bad", "slow");
    assert_ok(gathering_write(scene.gathering));
    assert_output(&scene, text_get(&expected));  // until there is as much to take its place
    records(&scene, 1, MEASURED(1) MEASURED(2));
    assert_ok(gathering_look(scene.gathering));
    assert_ok(gathering_write(scene.gathering));
    assert_output(&scene, OLD MEASURED(1) MEASURED(2));
}

static void a_replacement_without_space_leaves_the_old_file(void **state)
{
    (void)state;
    AUTO(scene) struct scene scene;
    scene_init(&scene, RECORDS_SINGLE);
    somebody_adds(&scene, MEASURED(1) OLD);
    records(&scene, 0, MEASURED(1) MEASURED(2));
    gathering_task_ended(scene.gathering, 0, 1, true);
    assert_ok(output_open(scene.folder.out, &output_records, OUTPUT_APPEND, &scene.out));
    gathering_write_to(scene.gathering, &scene.out, false);
    limit_files(strlen(OLD MEASURED(1)) + 10);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gathering_write(scene.gathering).status, BILANX_E_SYSTEM);
        assert_output(&scene, MEASURED(1) OLD);
    }
    limit_files(RLIM_INFINITY);
    assert_ok(gathering_finish(scene.gathering));
    assert_output(&scene, OLD MEASURED(1) MEASURED(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_written_between_the_last_check_and_the_end_count),
        cmocka_unit_test(a_file_that_appears_after_the_last_look_counts),
        cmocka_unit_test(a_failure_before_a_task_was_requeued_does_not_count),
        cmocka_unit_test(a_case_that_was_begun_before_a_task_was_requeued_counts_once),
        cmocka_unit_test(an_output_without_space_is_written_later),
        cmocka_unit_test(records_already_in_the_output_are_not_written_again),
        cmocka_unit_test(a_record_that_lost_against_another_of_its_case_is_replaced),
        cmocka_unit_test(lines_of_others_between_our_records_stay),
        cmocka_unit_test(a_replacement_without_space_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
