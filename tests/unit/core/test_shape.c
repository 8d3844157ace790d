#include "core/record/shape.h"

#include "base/mem.h"
#include "records.h"

// Every key of the format; stats match those recomputed.
static const char everything[] =
    "'kind':'measurement',"
    "'task':{'stmt':'f()','setup':'s','global_setup':'g','language':'c','label':'l',"
    "'sub_label':'u','description':'d','env':'e','num_threads':2,"
    "'compile':{'cc':'gcc','flags':'-O2','in compile':1},'parameters':{'n':64,'m':[1,null]},"
    "'in task':true},"
    "'side':'A','method':'blocked','number_per_run':4,'raw_times':[4,4],'raw_cpu_times':[2,2],"
    "'overhead':1e-09,'reference':2e-08,"
    "'epochs':[{'time':1,'min':0,'p25':0.5,'p75':2,'p99':3,'batches':7,'disturbed':0,"
    "'in epoch':'x'}],"
    "'latency':{'p50':0,'p90':1,'p99':2,'p999':3,'max':4,'clock_cost':5e-09,'samples':6,"
    "'in latency':{}},"
    "'core':'free','neighbour':{'free':0.75,'time':0,'change':0,'interval':[-0.5,0],'epochs':3,"
    "'in neighbour':1},"
    "'stats':{'estimate':1,'median':1,'mean':1,'stddev':0,'min':1,'p25':1,'p75':1,'iqr':0,"
    "'significant_figures':4,'within':1.5,'marginal':0,'in stats':-1.5},"
    "'rates':{'bytes':1,'items':2,'in rates':[]},"
    "'stacks':{'unit':'u','title':'t','note':'n','calls':2,'seconds':3,'lost':4,"
    "'overhead':0.5,'time':5,'epoch_calls':[1,1],'epoch_seconds':[0,3],"
    "'frames':[{'name':'f','file':'c','object':'o','kind':'python','in frame':1}],"
    "'node_frames':[0,0],'node_parents':[0,1],'node_weights':[1,0.5],'node_before':[0,2],"
    "'in stacks':1},"
    "'counters':{'misses':1.5},'max_rss':4096,"
    "'elapsed':0.25,'attempts':3,"
    "'warnings':[{'code':'odd','text':'very','in warning':null}],"
    "'machine':{'cpu':'z80'},'git':{'commit':'abc'},"
    "'error':{'code':'failed','phase':'stmt','text':'t','output':'o','in error':'y'},"
    "'in record':[{'deep':[1e+300,-0.1]}]";

static char *with_schema(const char *members)
{
    return mem_format("{'schema':'bilanx/1',%s}", members);
}

static void every_key_is_read_and_written_and_unknown_ones_are_kept(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = record_of(everything);
    AUTO(memory) char *expected = with_schema(everything);
    assert_json(&record, expected);
}

static void a_copy_has_everything_and_shares_nothing(void **state)
{
    (void)state;
    struct bilanx_record record = record_of(everything), copy;
    shape_copy(&shape_record, &record, &copy);
    bilanx_record_done(&record);
    AUTO(memory) char *expected = with_schema(everything);
    assert_json(&copy, expected);
    bilanx_record_done(&copy);
    assert_json(&copy, "{'schema':'bilanx/1'}");
}

static void absent_keys_stay_absent(void **state)
{
    (void)state;
    static const char *const sparse[] = {
        "'kind':'failure','error':{'code':'crashed'}",
        "'kind':'failure','stats':{'median':1},'error':{'text':''}",
        "'kind':'counts','task':{'compile':{'cc':'gcc'}}",
        "'kind':'odd','latency':{'p99':0},'rates':{'items':1}",
        "'kind':'verdict','stats':{'marginal':0},'verdict':'same','change':0,'interval':[0,0]",
        "'kind':'verdict','verdict':'same','changes':[0,0.5]",
        "'kind':'verdict','core':'shared','neighbour':{'free':0},'verdict':'same'",
        ("'kind':'verdict','core':'unknown','neighbour':{'free':1,'time':2,'epochs':4},"
         "'verdict':'same'"),
    };
    for (size_t i = 0; i < LENGTH(sparse); i++) {
        AUTO(bilanx_record) struct bilanx_record record = record_of(sparse[i]);
        AUTO(memory) char *expected = with_schema(sparse[i]);
        assert_json(&record, expected);
    }
}

static void an_empty_record_has_only_its_schema(void **state)
{
    (void)state;
    struct bilanx_record record = {0};
    assert_json(&record, "{'schema':'bilanx/1'}");
    bilanx_record_done(&record);
}

static void null_and_empty_objects_are_absent(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record =
        record_of("'kind':'counts','side':null,'task':{'stmt':null,"
                  "'compile':{}},'rates':null,'raw_times':[]");
    assert_null(record.rates);
    assert_null(record.task.compile);
    assert_json(&record, "{'schema':'bilanx/1','kind':'counts'}");
}

struct sample {
    char *text;
    double number, pair[2];
    double *numbers;
    size_t count;
    char *extra;
};

// For a field without a count, count_offset is meaningless: here it points outside all memory.
#define NOWHERE (SIZE_MAX / 4)
static void a_count_is_read_only_for_fields_that_have_one(void **state)
{
    (void)state;
    static const struct field fields[] = {
        {"text", FIELD_TEXT, offsetof(struct sample, text), NOWHERE},
        {"number", FIELD_NUMBER, offsetof(struct sample, number), NOWHERE},
        {"pair", FIELD_PAIR, offsetof(struct sample, pair), NOWHERE},
        {"numbers", FIELD_NUMBERS, offsetof(struct sample, numbers),
         offsetof(struct sample, count)},
        {0},
    };
    static const struct shape shape = {fields, sizeof(struct sample),
                                       offsetof(struct sample, extra)};
    struct sample sample = {.text = mem_text("t"), .number = 2, .count = 1};
    sample.numbers = mem_array(double, 1);
    sample.numbers[0] = 3;
    struct sample copy;
    shape_copy(&shape, &sample, &copy);
    assert_string_equal(copy.text, "t");
    assert_near(copy.numbers[0], 3, 0);
    struct hash hashes[2] = {0};
    shape_hash(&shape, &sample, &hashes[0]);
    shape_hash(&shape, &copy, &hashes[1]);
    assert_memory_equal(&hashes[0], &hashes[1], sizeof *hashes);
    shape_done(&shape, &sample);
    shape_done(&shape, &copy);
}

static void special_characters_in_texts_are_escaped(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = {
        .kind = mem_text("odd"), .side = mem_text("\"\\\n\033\x7f\xff\u00e4%s")};
    AUTO(memory) char *json = bilanx_record_json(&record);
    assert_null(strchr(json, '\n'));
    AUTO(bilanx_record) struct bilanx_record again;
    assert_ok(bilanx_record_read(json, strlen(json), "x", &again));
    assert_string_equal(again.side, "\"\\\n\033\x7f\ufffd\u00e4%s");  // invalid UTF-8 is replaced
}

// Keys that the text above lacks, because a record of one kind does not have them.
static const char others[] =
    "'kind':'verdict','task':{'stmt':'f()','compile':{'cc':'gcc','flags':'-O2','launder':'off'},"
    "'command':{'a':[1,'b']}},"
    "'ratio':{'to':'first','estimate':2,'ci95':[1.5,2.5],'pairs':6},"
    "'overhead_of':{'to':'o','estimate':0,'ci95':[0,0],'epochs':4},"
    "'expected':{'says':'zero','of':'overhead','low':0,'high':0,'met':'yes'},"
    "'counts':{'counter':'callgrind','hwcaps':'x86-64-v2','number':3,'instructions':0,"
    "'per_iteration':7.5,'baseline':2,'repeats':[1,2.5],'events':{'Dr':1},"
    "'functions':[{'file':'f.c','function':'f','object':'o','self':5,'inclusive':6},"
    "{'function':'g','self':1}],"
    "'allocations':{'count':0,'bytes':1,'peak':2}},"
    "'verdict':'slower','reason':'why','baseline':'old','change':0,'interval':[0,0.5],'p':0.01,"
    "'detectable':0.25,'times':[1,2],'changes':[0.5,0],'layouts':[0.25],"
    "'remark':'r','unit':'ms','place':2,'pages':3,'redrawn':4,'setups':5,'forks':6,'zygotes':7,"
    "'facts':{'k':'v'}";

static void keys_of_counts_and_verdicts_are_read_and_written(void **state)
{
    (void)state;
    AUTO(bilanx_record) struct bilanx_record record = record_of(others);
    AUTO(memory) char *expected = with_schema(others);
    assert_json(&record, expected);
    struct bilanx_record copy;
    shape_copy(&shape_record, &record, &copy);
    bilanx_record_done(&record);
    assert_json(&copy, expected);
    bilanx_record_done(&copy);
}

static struct hash hash_of(const char *members)
{
    AUTO(bilanx_record) struct bilanx_record record = record_of(members);
    struct hash hash = hash_start();
    shape_hash(&shape_record, &record, &hash);
    return hash;
}

static bool same_hash(struct hash a, struct hash b)
{
    return a.a == b.a && a.b == b.b;
}

static void equal_records_have_equal_hashes_and_others_have_not(void **state)
{
    (void)state;
    static const char *const different[] = {
        "'kind':'k'",
        "'kind':'other'",
        "'kind':'k','side':'A'",
        "'kind':'k','place':1",
        "'kind':'k','place':2",
        "'kind':'k','elapsed':1",
        "'kind':'k','verdict':'same','change':0,'interval':[1,2]",
        "'kind':'k','verdict':'same','change':0,'interval':[1,3]",
        "'kind':'k','verdict':'same','change':0,'interval':[0,2]",
        "'kind':'k','verdict':'same','change':0,'interval':[1,2],'changes':[1]",
        "'kind':'k','verdict':'same','change':0,'interval':[1,2],'changes':[1,2]",
        "'kind':'k','verdict':'same','change':0,'interval':[1,2],'changes':[1,3]",
        "'kind':'k','stacks':{'unit':'u','frames':[{'name':'f'},{'name':'g'}],'node_frames':[0,0],"
        "'node_parents':[0,1],'node_weights':[1,1]}",
        "'kind':'k','stacks':{'unit':'u','frames':[{'name':'f'},{'name':'g'}],'node_frames':[0,1],"
        "'node_parents':[0,1],'node_weights':[1,1]}",
        "'kind':'k','task':{'stmt':'a'}",
        "'kind':'k','task':{'stmt':'b'}",
        "'kind':'k','task':{'setup':'a'}",
        "'kind':'k','task':{'parameters':{'n':1}}",
        "'kind':'k','task':{'parameters':{'n':2}}",
        "'kind':'k','warnings':[{'code':'a','text':'t'}]",
        "'kind':'k','warnings':[{'code':'b','text':'t'}]",
        "'kind':'k','warnings':[{'code':'a','text':'t'},{'code':'b','text':'t'}]",
        "'kind':'k','error':{'code':'a'}",
        "'kind':'k','unknown':1",
        "'kind':'k','unknown':2",
    };
    struct hash hashes[LENGTH(different)];
    for (size_t i = 0; i < LENGTH(different); i++) {
        hashes[i] = hash_of(different[i]);
        assert_true(same_hash(hashes[i], hash_of(different[i])));
        for (size_t j = 0; j < i; j++)
            if (same_hash(hashes[i], hashes[j]))
                fail_msg("%s has the hash of %s", different[i], different[j]);
    }
    assert_true(same_hash(hash_of(everything), hash_of(everything)));
    assert_true(same_hash(hash_of(others), hash_of(others)));
}

static void an_empty_list_counts_for_a_hash(void **state)
{
    (void)state;
    double number = 1;
    struct bilanx_timing wall = {.raw_times = &number, .raw_count = 1};
    struct bilanx_timing cpu = {.raw_cpu_times = &number, .raw_cpu_count = 1};
    struct bilanx_record records[] = {{.timing = wall}, {.timing = cpu}};
    struct hash hashes[] = {hash_start(), hash_start()};
    for (size_t i = 0; i < 2; i++)
        shape_hash(&shape_record, &records[i], &hashes[i]);
    assert_false(same_hash(hashes[0], hashes[1]));
}

static void a_struct_that_would_be_empty_says_nothing(void **state)
{
    (void)state;
    struct bilanx_task task = {0};
    assert_true(shape_says_nothing(&shape_task, &task));
    task.num_threads = 1;
    assert_false(shape_says_nothing(&shape_task, &task));
    struct bilanx_task named = {.command = (char *)"[]"}, odd = {.extra = (char *)"{\"x\":1}"};
    assert_false(shape_says_nothing(&shape_task, &named));
    assert_false(shape_says_nothing(&shape_task, &odd));
}

static void what_is_not_finite_is_left_out(void **state)
{
    (void)state;
    struct bilanx_verdict verdict = {.verdict = (char *)"undecided",
                                     .change = NAN,
                                     .interval = {-1, INFINITY},
                                     .p = INFINITY,
                                     .times = {NAN, 1}};
    struct bilanx_record record = {.verdict = &verdict};
    assert_json(&record, "{'schema':'bilanx/1','verdict':'undecided'}");
    verdict.interval[0] = -INFINITY, verdict.interval[1] = 1;
    verdict.times[0] = 0;
    assert_json(&record, "{'schema':'bilanx/1','verdict':'undecided','times':[0,1]}");
    verdict.times[0] = 1, verdict.times[1] = 0;
    verdict.interval[0] = 0, verdict.interval[1] = 0;
    assert_json(&record,
                "{'schema':'bilanx/1','verdict':'undecided','interval':[0,0],'times':[1,0]}");
}

static void an_empty_struct_between_others_leaves_no_trace(void **state)
{
    (void)state;
    struct bilanx_rates none = {0}, some = {.items = 2};
    struct bilanx_record record = {.kind = (char *)"k", .rates = &none, .elapsed = 1};
    assert_json(&record, "{'schema':'bilanx/1','kind':'k','elapsed':1}");
    record.rates = &some;
    assert_json(&record, "{'schema':'bilanx/1','kind':'k','rates':{'items':2},'elapsed':1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read_and_written_and_unknown_ones_are_kept),
        cmocka_unit_test(a_copy_has_everything_and_shares_nothing),
        cmocka_unit_test(absent_keys_stay_absent),
        cmocka_unit_test(an_empty_record_has_only_its_schema),
        cmocka_unit_test(null_and_empty_objects_are_absent),
        cmocka_unit_test(a_count_is_read_only_for_fields_that_have_one),
        cmocka_unit_test(special_characters_in_texts_are_escaped),
        cmocka_unit_test(keys_of_counts_and_verdicts_are_read_and_written),
        cmocka_unit_test(equal_records_have_equal_hashes_and_others_have_not),
        cmocka_unit_test(an_empty_list_counts_for_a_hash),
        cmocka_unit_test(a_struct_that_would_be_empty_says_nothing),
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(an_empty_struct_between_others_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
