#include "cluster/site/site_settings.h"

#include "base/trust.h"
#include "own_folder.h"

// Each test has a folder, and its own list of trusted folders.
static int enter(void **state)
{
    return own_folder_enter(state) == 0 && mkdir(".bilanx", 0700) == 0
               ? setenv("XDG_CONFIG_HOME", own_folder, 1)
               : -1;
}
#define IN_SITE(test) cmocka_unit_test_setup_teardown(test, enter, own_folder_leave)

static void without_a_file_nothing_is_set(void **state)
{
    (void)state;
    AUTO(site_settings) struct site_settings settings = {0};
    assert_ok(site_settings_read(&settings));
    assert_ok(site_settings_check(&settings));
    assert_null(settings.partition);
    assert_null(settings.sbatch_options);
    assert_int_equal(settings.nodes, 0);
    assert_false(settings.stream || settings.unchecked);
    assert_string_equal(site_folder(&settings), ".bilanx/cluster");
}

static void every_setting_is_read(void **state)
{
    (void)state;
    AUTO(site_settings) struct site_settings settings = {0};
    file_make(".bilanx/cluster.yaml",
              "partition: quick\nnodes: 8\nsbatch_options: [--qos=low, --mem=0]\n"
              "shard_retries: 3\nfolder: /shared/runs\nbilanx: /opt/bilanx\nstream: true\n"
              "unchecked: true\n");
    assert_ok(site_settings_read(&settings));
    assert_string_equal(settings.partition, "quick");
    assert_int_equal(settings.nodes, 8);
    assert_string_equal(settings.sbatch_options[0], "--qos=low");
    assert_string_equal(settings.sbatch_options[1], "--mem=0");
    assert_null(settings.sbatch_options[2]);
    assert_int_equal(settings.shard_retries, 3);
    assert_string_equal(settings.folder, "/shared/runs");
    assert_string_equal(site_folder(&settings), "/shared/runs");
    assert_string_equal(settings.program, "/opt/bilanx");
    assert_true(settings.stream);
    assert_true(settings.unchecked);
}

static void a_mistake_is_reported_with_its_position(void **state)
{
    (void)state;
    AUTO(site_settings) struct site_settings unknown = {0}, wrong = {0};
    file_make(".bilanx/cluster.yaml", "partition: quick\npartitoin: slow\n");
    assert_error(site_settings_read(&unknown), BILANX_E_INPUT, ".bilanx/cluster.yaml:2:1");
    file_make(".bilanx/cluster.yaml", "nodes: many\n");
    assert_error(site_settings_read(&wrong), BILANX_E_INPUT, ".bilanx/cluster.yaml:1:8");
}

static void settings_that_name_programs_need_a_trusted_folder(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *refused;
    } files[] = {
        {"bilanx: /evil\n", "cluster.yaml:1:9: 'bilanx' can make the nodes run any program"},
        {"nodes: 1\nsbatch_options: [--wrap=evil]\n",
         "cluster.yaml:2:17: 'sbatch_options' can make the nodes run any program"},
        {"partition: quick\nfolder: x\n", NULL},
        {"nodes: 1\n", NULL},
    };
    for (size_t i = 0; i < LENGTH(files); i++) {
        bool changed;
        AUTO(site_settings) struct site_settings settings = {0};
        file_make(".bilanx/cluster.yaml", files[i].yaml);
        assert_ok(site_settings_read(&settings));
        if (files[i].refused) {
            assert_error(site_settings_check(&settings), BILANX_E_INPUT, files[i].refused);
            assert_error(site_settings_check(&settings), BILANX_E_INPUT,
                         "run 'bilanx trust .' once");
        } else {
            assert_ok(site_settings_check(&settings));
        }
        assert_ok(trust_add(".", &changed));
        assert_ok(site_settings_check(&settings));
        assert_ok(trust_remove(".", &changed));
    }
}

static void the_reason_that_nothing_is_trusted_is_given(void **state)
{
    (void)state;
    bool changed;
    AUTO(site_settings) struct site_settings settings = {0};
    file_make(".bilanx/cluster.yaml", "bilanx: /evil\n");
    assert_ok(site_settings_read(&settings));
    struct bilanx_error error = site_settings_check(&settings);
    assert_null(strstr(error.text, "once ("));
    assert_ok(trust_add(".", &changed));
    assert_int_equal(chmod("bilanx/trusted", 0666), 0);
    error = site_settings_check(&settings);
    assert_non_null(strstr(error.text, "once ("));
    assert_non_null(strstr(error.text, "others may have written"));
    assert_int_equal(error.text[strlen(error.text) - 1], ')');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SITE(without_a_file_nothing_is_set),
        IN_SITE(every_setting_is_read),
        IN_SITE(a_mistake_is_reported_with_its_position),
        IN_SITE(settings_that_name_programs_need_a_trusted_folder),
        IN_SITE(the_reason_that_nothing_is_trusted_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
