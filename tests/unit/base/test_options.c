#include "base/list.h"
#include "base/options.h"

#include "unit.h"

struct settings {
    bool quiet;
    const char *json;
    uint64_t repeats;
    double timeout, threshold;
    int color;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

static const struct option options[] = {
    {"quiet", 'q', OPTION_FLAG, offsetof(struct settings, quiet), .help = "say nothing"},
    {"json", 'o', OPTION_TEXT, offsetof(struct settings, json), "FILE|-",
     .help = "write records to FILE,\nor to stdout"},
    {"repeats", 0, OPTION_COUNT, offsetof(struct settings, repeats), "N", .help = "how often"},
    {"repeats-within-one-process", 0, OPTION_COUNT, offsetof(struct settings, repeats), "N",
     .help = "a long name"},
    {"timeout", 't', OPTION_SECONDS, offsetof(struct settings, timeout), "TIME", .help = "at most"},
    {"threshold", 0, OPTION_NUMBER, offsetof(struct settings, threshold), "X"},
    {"color", 0, OPTION_CHOICE, offsetof(struct settings, color), .choices = colors,
     .help = "when"},
    {0},
};

static struct bilanx_error parse(const struct option *table, const char *const *arguments,
                                 void *target, struct words *words)
{
    char *argv[16] = {(char[]){"program"}};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)arguments[argc - 1];
    return options_parse(table, argc, argv, target, words);
}

#define PARSE_BY(table, target, words, ...) \
    parse(table, (const char *const[]){__VA_ARGS__, NULL}, target, words)
#define PARSE(settings, words, ...) PARSE_BY(options, settings, words, __VA_ARGS__)

static void every_kind_of_option_is_stored(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "--quiet", "--json", "out", "--repeats", "3", "--timeout",
                    "200ms", "--threshold", "0.1", "--color", "never"));
    assert_true(settings.quiet);
    assert_string_equal(settings.json, "out");
    assert_int_equal(settings.repeats, 3);
    assert_near(settings.timeout, 0.2, 1e-15);
    assert_near(settings.threshold, 0.1, 0);
    assert_int_equal(settings.color, 2);
    assert_int_equal(words.count, 0);
}

static void a_switch_may_have_a_value_but_takes_no_other_word(void **state)
{
    (void)state;
    static const struct option switches[] = {
        {"list", 0, OPTION_SWITCH, offsetof(struct settings, quiet), .help = "list them"}, {0}};
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE_BY(switches, &settings, &words, "--list", "false"));
    assert_true(settings.quiet);
    assert_int_equal(words.count, 1);
    assert_ok(PARSE_BY(switches, &settings, &words, "--list=false"));
    assert_false(settings.quiet);
    assert_ok(PARSE_BY(switches, &settings, &words, "--list=1"));
    assert_true(settings.quiet);
    assert_error(PARSE_BY(switches, &settings, &words, "--list=x"), BILANX_E_USAGE,
                 "option '--list' takes true or false, not 'x'");
}

static void a_value_may_be_attached(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "--json=a=b", "-t2s", "--color=auto"));
    assert_string_equal(settings.json, "a=b");
    assert_near(settings.timeout, 2, 0);
    assert_ok(PARSE(&settings, &words, "-o", "-", "-t", "1", "--json="));
    assert_string_equal(settings.json, "");
    assert_near(settings.timeout, 1, 0);
}

static void an_option_given_twice_takes_the_last_value(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "--repeats", "3", "--repeats", "4"));
    assert_int_equal(settings.repeats, 4);
}

static void an_option_is_not_confused_with_a_longer_one(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "--repeats-within-one-process", "5"));
    assert_int_equal(settings.repeats, 5);
    assert_error(PARSE(&settings, &words, "--repeat", "5"), BILANX_E_USAGE,
                 "unknown option '--repeat' (did you mean '--repeats'?)");
}

static void options_not_given_are_left_alone(void **state)
{
    (void)state;
    struct settings settings = {.json = "default", .repeats = 7, .timeout = 9, .color = 1};
    struct settings before = settings;
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "word"));
    assert_memory_equal(&settings, &before, sizeof settings);
}

static void arguments_that_are_not_options_are_words(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE(&settings, &words, "a", "-q", "-", "b c", "--", "--json", "--", "-x"));
    static const char *const expected[] = {"a", "-", "b c", "--json", "--", "-x"};
    assert_int_equal(words.count, LENGTH(expected));
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_string_equal(words.items[i], expected[i]);
    assert_true(settings.quiet);
    assert_null(settings.json);
}

static void each_mistake_is_named(void **state)
{
    (void)state;
    struct settings settings = {0};
    struct settings before = settings;
    AUTO(words) struct words words = {0};
    static const struct {
        const char *arguments[3];
        const char *message;
    } cases[] = {
        {{"--qiet"}, "unknown option '--qiet' (did you mean '--quiet'?)"},
        {{"--jsno=x"}, "unknown option '--jsno=x' (did you mean '--json'?)"},
        {{"--nothing-like-it"}, "unknown option '--nothing-like-it'"},
        {{"-x"}, "unknown option '-x'"},
        {{"--quiet=yes"}, "option '--quiet' takes no value"},
        {{"-qv"}, "option '--quiet' takes no value"},
        {{"--json"}, "option '--json' needs a value (FILE|-)"},
        {{"--color"}, "option '--color' needs a value (auto|always|never)"},
        {{"--repeats", "-1"}, "option '--repeats' takes a whole number, not '-1'"},
        {{"--repeats=many"}, "option '--repeats' takes a whole number, not 'many'"},
        {{"--timeout=1week"}, "option '--timeout' takes a time such as 2, 0.5s or 200ms"},
        {{"--threshold=-1"}, "option '--threshold' takes a number of at least 0, not '-1'"},
        {{"--threshold=x"}, "option '--threshold' takes a number of at least 0, not 'x'"},
        {{"--color=red"}, "option '--color' takes auto, always or never, not 'red'"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_error(parse(options, cases[i].arguments, &settings, &words), BILANX_E_USAGE,
                     cases[i].message);
    assert_memory_equal(&settings, &before, sizeof settings);
}

static void help_lists_the_options(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    setenv("COLUMNS", "55", 1);
    options_help(options, &out);
    unsetenv("COLUMNS");
    assert_string_equal(text_get(&out), "  -q, --quiet                 say nothing\n"
                                        "  -o, --json FILE|-           write records to FILE, or\n"
                                        "                              to stdout\n"
                                        "      --repeats N             how often\n"
                                        "      --repeats-within-one-process N\n"
                                        "                              a long name\n"
                                        "  -t, --timeout TIME          at most\n"
                                        "      --color auto|always|never\n"
                                        "                              when\n");
}

struct many {
    struct words names, scans;
    const char *shell;
    bool quiet;
};

static const struct option many_options[] = {
    {"name", 'n', OPTION_LIST, offsetof(struct many, names), "NAME", .help = "once for each"},
    {"scan", 'P', OPTION_LIST, offsetof(struct many, scans), "NAME FROM TO", .values = 3},
    {"shell", 'S', OPTION_PERHAPS, offsetof(struct many, shell), "SHELL", .help = "through it"},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct many, quiet)},
    {0},
};

static struct bilanx_error parse_many(const char *const *arguments, struct many *many)
{
    struct words words = {0};
    words_done(&many->names);
    words_done(&many->scans);
    *many = (struct many){0};
    struct bilanx_error error = parse(many_options, arguments, many, &words);
    assert_int_equal(words.count, 0);
    return error;
}
#define PARSE_MANY(many, ...) parse_many((const char *const[]){__VA_ARGS__, NULL}, many)

static void a_list_option_collects_every_occurrence(void **state)
{
    (void)state;
    struct many many = {0};
    assert_ok(PARSE_MANY(&many, "-n", "a", "--name=b", "-nc", "-P", "x", "1", "2", "-Py", "-3",
                         "-q", "-q"));
    const char *const names[] = {"a", "b", "c"}, *const scans[] = {"x", "1", "2", "y", "-3", "-q"};
    assert_int_equal(many.names.count, LENGTH(names));
    for (size_t i = 0; i < LENGTH(names); i++)
        assert_string_equal(many.names.items[i], names[i]);
    assert_int_equal(many.scans.count, LENGTH(scans));
    for (size_t i = 0; i < LENGTH(scans); i++)
        assert_string_equal(many.scans.items[i], scans[i]);
    assert_true(many.quiet);
    assert_error(PARSE_MANY(&many, "-P", "x", "1"), BILANX_E_USAGE,
                 "option '--scan' needs 3 values (NAME FROM TO)");
    assert_error(PARSE_MANY(&many, "-n"), BILANX_E_USAGE, "option '--name' needs a value (NAME)");
    words_done(&many.names);
    words_done(&many.scans);
}

static void an_optional_value_may_be_left_out(void **state)
{
    (void)state;
    struct many many = {0};
    assert_ok(PARSE_MANY(&many, "-q"));
    assert_null(many.shell);
    assert_ok(PARSE_MANY(&many, "--shell"));
    assert_string_equal(many.shell, "");
    assert_ok(PARSE_MANY(&many, "--shell", "-q"));
    assert_string_equal(many.shell, "");
    assert_true(many.quiet);
    assert_ok(PARSE_MANY(&many, "--shell=bash", "-q"));
    assert_string_equal(many.shell, "bash");
    assert_ok(PARSE_MANY(&many, "-S", "bash", "-q"));
    assert_string_equal(many.shell, "bash");
    assert_true(many.quiet);
    AUTO(text) struct text out = {0};
    options_help(many_options, &out);
    assert_non_null(strstr(text_get(&out), "  -S, --shell[=SHELL]         through it\n"));
}

// A group of options that contains another group.
struct inner {
    const char *path;
    struct words names;
};
struct shared {
    char unused;
    uint64_t number;
    struct inner inner;
};

static const struct option inner_options[] = {
    {"path", 'p', OPTION_TEXT, offsetof(struct inner, path), "PATH", .help = "inside"},
    {"name", 0, OPTION_LIST, offsetof(struct inner, names), "NAME"},
    {0},
};

static const struct option shared_options[] = {
    {"number", 'n', OPTION_COUNT, offsetof(struct shared, number), "N", .help = "how many"},
    {.group = inner_options, .offset = offsetof(struct shared, inner)},
    {0},
};

struct whole {
    bool first;
    struct shared shared;
    bool last;
};

static const struct option whole_options[] = {
    {"first", 0, OPTION_FLAG, offsetof(struct whole, first), .help = "before"},
    {.group = shared_options, .offset = offsetof(struct whole, shared)},
    {"last", 0, OPTION_FLAG, offsetof(struct whole, last), .help = "after"},
    {0},
};

static void a_group_is_read_into_its_own_struct(void **state)
{
    (void)state;
    struct whole whole = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE_BY(whole_options, &whole, &words, "--last", "-n", "7", "--path=x", "--name",
                       "a", "--name", "b"));
    assert_false(whole.first);
    assert_true(whole.last);
    assert_int_equal(whole.shared.unused, 0);
    assert_int_equal(whole.shared.number, 7);
    assert_string_equal(whole.shared.inner.path, "x");
    assert_int_equal(whole.shared.inner.names.count, 2);
    assert_string_equal(whole.shared.inner.names.items[1], "b");
    words_done(&whole.shared.inner.names);
}

static void a_misspelt_option_of_a_group_gets_a_suggestion(void **state)
{
    (void)state;
    struct whole whole = {0};
    AUTO(words) struct words words = {0};
    static const struct {
        const char *word, *message;
    } cases[] = {
        {"--pth", "unknown option '--pth' (did you mean '--path'?)"},
        {"--lats", "unknown option '--lats' (did you mean '--last'?)"},
        {"--path", "option '--path' needs a value (PATH)"},
        {"--number=x", "option '--number' takes a whole number, not 'x'"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_error(PARSE_BY(whole_options, &whole, &words, cases[i].word), BILANX_E_USAGE,
                     cases[i].message);
}

static void help_shows_a_group_in_its_place(void **state)
{
    (void)state;
    AUTO(text) struct text out = {0};
    options_help(whole_options, &out);
    assert_string_equal(text_get(&out), "      --first                 before\n"
                                        "  -n, --number N              how many\n"
                                        "  -p, --path PATH             inside\n"
                                        "      --last                  after\n");
}

static void a_line_can_be_repeated_without_some_options(void **state)
{
    (void)state;
    char *argv[] = {(char[]){"run"},   (char[]){"-o"},      (char[]){"out"},
                    (char[]){"suite"}, (char[]){"-t2s"},    (char[]){"--json=other"},
                    (char[]){"-q"},    (char[]){"--color"}, (char[]){"never"},
                    (char[]){"--"},    (char[]){"--json"}};
    AUTO(list) struct list kept = {0};
    options_without(options, 11, argv, (const char *const[]){"json", "quiet", NULL}, &kept);
    static const char *const wanted[] = {"suite", "-t2s", "--color", "never", "--", "--json"};
    assert_int_equal(kept.count, LENGTH(wanted));
    for (size_t i = 0; i < LENGTH(wanted); i++)
        assert_string_equal(kept.items[i], wanted[i]);
}

static const struct option ranged[] = {
    {"repeats", 0, OPTION_COUNT, offsetof(struct settings, repeats), "N", .range = &range_repeats},
    {"timeout", 0, OPTION_SECONDS, offsetof(struct settings, timeout), "TIME",
     .range = &range_duration},
    {"threshold", 0, OPTION_NUMBER, offsetof(struct settings, threshold), "X",
     .range = &range_chance},
    {0},
};

static void a_number_out_of_its_range_is_refused(void **state)
{
    (void)state;
    struct settings settings = {0};
    AUTO(words) struct words words = {0};
    assert_ok(PARSE_BY(ranged, &settings, &words, "--repeats=1000000", "--threshold=.5"));
    assert_int_equal(settings.repeats, 1000000);
    assert_error(PARSE_BY(ranged, &settings, &words, "--repeats=1000001"), BILANX_E_USAGE,
                 "option '--repeats' takes a whole number up to 1000000, not '1000001'");
    assert_error(PARSE_BY(ranged, &settings, &words, "--timeout=0"), BILANX_E_USAGE,
                 "option '--timeout' takes a time above 0, such as 2, 0.5s or 200ms, not '0'");
    assert_error(PARSE_BY(options, &settings, &words, "--timeout=1e10"), BILANX_E_USAGE,
                 "takes a time");
    assert_error(PARSE_BY(ranged, &settings, &words, "--threshold=1"), BILANX_E_USAGE,
                 "option '--threshold' takes a share above 0 and below 1, not '1'");
    assert_error(PARSE_BY(ranged, &settings, &words, "--threshold=nan"), BILANX_E_USAGE, "'nan'");
    assert_int_equal(settings.repeats, 1000000);
}

static void stored_numbers_are_refused_in_the_same_words(void **state)
{
    (void)state;
    assert_ok(options_check(ranged, &(struct settings){0}));
    assert_ok(options_check(ranged, &(struct settings){.threshold = .5, .timeout = 1}));
    assert_error(options_check(ranged, &(struct settings){.threshold = 5}), BILANX_E_USAGE,
                 "option 'threshold' takes a share above 0 and below 1, not '5'");
    assert_error(options_check(ranged, &(struct settings){.timeout = NAN}), BILANX_E_USAGE,
                 "'nan'");
    assert_error(options_check(ranged, &(struct settings){.timeout = -1}), BILANX_E_USAGE, "'-1'");
    assert_error(options_check(options, &(struct settings){.threshold = INFINITY}), BILANX_E_USAGE,
                 "'inf'");
}

static const struct option ruled[] = {
    {"bisect", .kind = OPTION_FLAG, .help = "h"},
    {"count", .kind = OPTION_FLAG, .help = "h"},
    {"explain", .kind = OPTION_FLAG, .help = "h"},
    {"format", .kind = OPTION_TEXT, .value = "F", .help = "h"},
    {"json", 'o', OPTION_TEXT, 0, "FILE", .help = "h"},
    {"append", .kind = OPTION_FLAG, .help = "h"},
    {"list", .kind = OPTION_FLAG, .help = "h"},
    {"old-count", .kind = OPTION_FLAG},
    {0},
};
static const struct option_rule inner_rules[] = {
    {"append", RULE_NEEDS, "json format=json old-count"},
    {0},
};
static const struct option_rule rules[] = {
    {"bisect", RULE_EXCLUDES, "count old-count format=csv", .why = "it only judges commits"},
    {"explain", RULE_EXCLUDES, "json", .unless = "format=csv"},
    {"list", RULE_ALLOWS, "format"},
    {.group = inner_rules},
    {0},
};

static struct bilanx_error agree(const char *line)
{
    AUTO(list) struct list words = {0};
    assert_ok(list_split(&words, line));
    return options_agree(ruled, rules, (int)words.count, words.items);
}

static void options_that_exclude_each_other_are_both_named(void **state)
{
    (void)state;
    assert_ok(agree("x --bisect"));
    assert_error(agree("x --count --bisect"), BILANX_E_USAGE,
                 "--bisect cannot be combined with --count: it only judges commits");
    assert_error(agree("x --explain -o f"), BILANX_E_USAGE, "--explain cannot be combined with -o");
    assert_ok(agree("x --explain -o f --format csv"));
}

static void a_rule_may_be_about_one_value(void **state)
{
    (void)state;
    assert_ok(agree("x --bisect --format json"));
    assert_error(agree("x --bisect --format=csv"), BILANX_E_USAGE, "with --format csv: it only");
}

static void an_option_may_need_one_of_several(void **state)
{
    (void)state;
    assert_ok(agree("x --append -o f"));
    assert_ok(agree("x --append --format json"));
    assert_ok(agree("x --append --old-count"));
    assert_error(agree("x --append --format csv"), BILANX_E_USAGE,
                 "--append needs -o FILE or --format json");
}

static void an_option_may_allow_only_some_others(void **state)
{
    (void)state;
    assert_ok(agree("x --list --format csv"));
    assert_error(agree("x --list --count"), BILANX_E_USAGE,
                 "--list cannot be combined with --count");
}

static void hidden_options_and_words_after_the_last_option_obey_no_rule(void **state)
{
    (void)state;
    assert_ok(agree("x --bisect --old-count"));
    assert_ok(agree("x --bisect -- --count"));
    assert_ok(agree("x -o --bisect --count"));
}

static void options_out_of_scope_are_named(void **state)
{
    (void)state;
    AUTO(list) struct list line = {0};
    assert_ok(list_split(&line, "x --format csv --count"));
    const struct option_scope scope = {"explain count", "only applies to suites"};
    assert_error(options_apply(ruled, scope, 4, line.items), BILANX_E_USAGE,
                 "--count only applies to suites");
    assert_ok(options_apply(ruled, scope, 3, line.items));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_out_of_its_range_is_refused),
        cmocka_unit_test(stored_numbers_are_refused_in_the_same_words),
        cmocka_unit_test(every_kind_of_option_is_stored),
        cmocka_unit_test(a_switch_may_have_a_value_but_takes_no_other_word),
        cmocka_unit_test(a_value_may_be_attached),
        cmocka_unit_test(an_option_given_twice_takes_the_last_value),
        cmocka_unit_test(an_option_is_not_confused_with_a_longer_one),
        cmocka_unit_test(options_not_given_are_left_alone),
        cmocka_unit_test(arguments_that_are_not_options_are_words),
        cmocka_unit_test(each_mistake_is_named),
        cmocka_unit_test(help_lists_the_options),
        cmocka_unit_test(a_list_option_collects_every_occurrence),
        cmocka_unit_test(an_optional_value_may_be_left_out),
        cmocka_unit_test(a_group_is_read_into_its_own_struct),
        cmocka_unit_test(a_misspelt_option_of_a_group_gets_a_suggestion),
        cmocka_unit_test(help_shows_a_group_in_its_place),
        cmocka_unit_test(a_line_can_be_repeated_without_some_options),
        cmocka_unit_test(options_that_exclude_each_other_are_both_named),
        cmocka_unit_test(a_rule_may_be_about_one_value),
        cmocka_unit_test(an_option_may_need_one_of_several),
        cmocka_unit_test(an_option_may_allow_only_some_others),
        cmocka_unit_test(hidden_options_and_words_after_the_last_option_obey_no_rule),
        cmocka_unit_test(options_out_of_scope_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
