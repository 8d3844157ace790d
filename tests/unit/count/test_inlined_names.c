// Functions that were inlined into a loop are named by line; everything else stays as it is.
#include "count/counting/inlined_names.h"

#include <string.h>

#include "base/mem.h"
#include "unit.h"

// As if the object had been read: line 7 of a.h is in f(), line 8 in g().
static struct inlined_names known_names(void)
{
    struct inlined_names names = {.object = mem_text("/x/s.so"),
                                  .function = mem_text("bilanx_at3_copies1")};
    names.lines.items = mem_array(struct inlined_line, 2);
    names.lines.count = names.lines.room = 2;
    names.lines.items[0] = (struct inlined_line){
        mem_text("a.h"), 7, {mem_text("f"), mem_text("/x/a.h")}, false, {NULL, NULL}, 0};
    names.lines.items[1] = (struct inlined_line){
        mem_text("a.h"), 8, {mem_text("f"), NULL}, true, {mem_text("g"), NULL}, 2};
    return names;
}

static void expect(const char *written, const char *named)
{
    AUTO(inlined_names) struct inlined_names names = known_names();
    AUTO(text) struct text out = {0};
    inlined_names_add(&names, written, &out);
    assert_string_equal(text_get(&out), named);
}

static void lines_that_were_inlined_change_the_function(void **state)
{
    (void)state;
    expect("ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\nfi=/x/a.h\n7 10\n+1 20\n* "
           "30\nfe=s.c\n-5 4\n"
           "totals: 65\n",
           "ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\n"
           "fl=/x/a.h\nfn=f (inlined, a.h)\n7 10\n"
           "fl=???\nfn=g (inlined)\n+1 20\n* 30\n"
           "fl=s.c\nfn=bilanx_at3_copies1\n-5 4\ntotals: 65\n");
}

static void a_call_belongs_to_the_function_whose_line_it_is_on(void **state)
{
    (void)state;
    expect("ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\nfi=/x/a.h\n"
           "cob=libc.so\ncfn=memcpy\ncalls=1 90\n7 100\nfe=s.c\n3 4\n",
           "ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\n"
           "fl=/x/a.h\nfn=f (inlined, a.h)\ncob=libc.so\ncfn=memcpy\ncalls=1 90\n7 100\n"
           "fl=s.c\nfn=bilanx_at3_copies1\n3 4\n");
}

// The format names a file only where it changes.
static void a_function_after_the_loop_keeps_its_file(void **state)
{
    (void)state;
    expect(
        "ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\nfi=/x/a.h\n7 10\nfe=s.c\nfn=other\n9 1\n",
        "ob=/x/s.so\nfl=s.c\nfn=bilanx_at3_copies1\n2 1\n"
        "fl=/x/a.h\nfn=f (inlined, a.h)\n7 10\nfl=s.c\nfn=other\n9 1\n");
}

static void other_functions_stay_as_they_are(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "ob=/x/s.so\nfl=/x/a.h\nfn=twice\n7 10\nfi=b.h\n8 1\ncfn=g\ncalls=1 1\n* 2\n",
        "ob=/x/s.so\nfl=a.h\nfn=bilanx_copiesX\n7 10\nfn=bilanx_atom\nfn=bilanx_copies1'f\n7 1\n",
        "fn=bilanx_copies1\nfi=a.h\n7 10\n",  // no object
        "",
        "cfn=x\ncalls=1 1",
        "nonsense",
    };
    for (size_t i = 0; i < LENGTH(texts); i++)
        expect(texts[i], texts[i]);
}

static void an_object_that_is_gone_has_no_names(void **state)
{
    (void)state;
    expect("ob=/nowhere/s.so\nfl=/x/a.h\nfn=bilanx_copies1\n7 10\nfi=b.h\n7 1\n",
           "ob=/nowhere/s.so\nfl=/x/a.h\nfn=bilanx_copies1\n7 10\n"
           "fl=b.h\nfn=bilanx_copies1\n7 1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_were_inlined_change_the_function),
        cmocka_unit_test(a_call_belongs_to_the_function_whose_line_it_is_on),
        cmocka_unit_test(a_function_after_the_loop_keeps_its_file),
        cmocka_unit_test(other_functions_stay_as_they_are),
        cmocka_unit_test(an_object_that_is_gone_has_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
