// Compiler output in several layouts, linked and loaded.
#include "sources/compile/layouts.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "unit.h"

enum { LAYOUTS = 12 };
static char folder[] = "/tmp/bilanx-layouts-XXXXXX";
static const char *const compilers[] = {"gcc", "clang"};

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    AUTO(memory) char *command = mem_format("/bin/rm -r '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void run(const char *command)
{
    AUTO(text) struct text output = {0};
    int status = -1;
    const char *argv[] = {"/bin/sh", "-c", command, NULL};
    assert_ok(
        capture_run(&(struct capture_options){.argv = argv, .timeout_s = 60}, &output, &status));
    if (status != 0)
        fail_msg("%s: %s", command, text_get(&output));
}

static void compile(const char *cc, const char *name, const char *code)
{
    AUTO(memory) char *source = mem_format("%s.%s", name, strstr(cc, "++") ? "cpp" : "c");
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fputs(code, file);
    fclose(file);
    AUTO(memory) char *command = mem_format(
        "%s -O2 -fPIC -fvisibility=hidden -ffunction-sections -c %s -o %s.o", cc, source, name);
    run(command);
}

static struct layouts read_objects(const char *const *names)
{
    AUTO(list) struct list objects = {0};
    struct layouts layouts = {0};
    for (; *names; names++)
        list_take(&objects, mem_format("%s/%s.o", folder, *names));
    assert_ok(layouts_read(&objects, objects.count, &layouts));
    return layouts;
}

// Links all layouts of the objects into a library, and loads it.
static void *link_all(const char *cc, const struct layouts *layouts, const char *library)
{
    AUTO(text) struct text command = {0}, exports = {0};
    layouts_write_exports(layouts, &exports);
    FILE *file = fopen("exports", "w");
    const char *names = strstr(text_get(&exports), "global:") + strlen("global:");
    fprintf(file, "{ global: bilanx_*; %s", names);  // also those of the tests
    fclose(file);
    text_format(&command, "%s -shared -Wl,-z,defs -Wl,--version-script=exports -o %s", cc, library);
    for (unsigned layout = 0; layout < LAYOUTS; layout++)
        for (size_t i = 0; i < layouts->file_count; i++) {
            AUTO(memory) char *path = mem_format("l%u.%s", layout, layouts->files[i].name);
            assert_ok(layouts_write(layouts, i, layout, path));
            text_format(&command, " %s", path);
        }
    run(text_get(&command));
    AUTO(memory) char *path = mem_format("%s/%s", folder, library);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    return handle;
}

static void *find(void *handle, const char *name, unsigned layout)
{
    AUTO(memory) char *whole = layout ? mem_format("%s.%u", name, layout) : mem_text(name);
    void *found = dlsym(handle, whole);
    assert_non_null(found);
    return found;
}

// Calls a function in it.
static int call(void *handle, const char *name, unsigned layout, int argument)
{
    int (*function)(int);
    *(void **)&function = find(handle, name, layout);
    return function(argument);
}

#define EXPORTED "__attribute__((visibility(\"default\"))) "

static void every_layout_calls_its_own_functions_in_all_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(compilers); i++) {
        compile(compilers[i], "a",
                "int counter; int other(int); static int twice(int x) { return 2 * x; }\n"
                "int (*chosen)(int) = twice;\n" EXPORTED
                "int bilanx_entry(int x) { counter++; return other(chosen(x)); }\n" EXPORTED
                "int *bilanx_counter(void) { return &counter; }\n" EXPORTED
                "void *bilanx_other(void) { return (void *)other; }\n");
        compile(compilers[i], "b",
                "extern int counter; __attribute__((noinline)) int random(void) { return 7; }\n"
                "int other(int x) { return x + 100 * counter + random(); }\n");
        AUTO(layouts) struct layouts layouts = read_objects((const char *[]){"a", "b", NULL});
        assert_null(layouts.fixed);
        AUTO(memory) char *library = mem_format("all-%s.so", compilers[i]);
        void *handle = link_all(compilers[i], &layouts, library);
        for (unsigned layout = 0; layout < LAYOUTS; layout++) {
            // Its counter was 0, and random() is ours.
            assert_int_equal(call(handle, "bilanx_entry", layout, 5), 10 + 100 + 7);
            assert_int_equal(call(handle, "bilanx_entry", layout, 5), 10 + 200 + 7);
        }
        dlclose(handle);
    }
}

// The names of functions in address order.
static void order_of(void *handle, unsigned layout, char out[5])
{
    struct {
        const char *name;
        char *address;
    } functions[] = {{"bilanx_a", 0}, {"bilanx_b", 0}, {"bilanx_c", 0}, {"bilanx_d", 0}};
    for (size_t i = 0; i < 4; i++)
        functions[i].address = find(handle, functions[i].name, layout);
    for (size_t i = 0; i < 4; i++) {
        size_t rank = 0;
        for (size_t j = 0; j < 4; j++)
            rank += functions[j].address < functions[i].address;
        out[rank] = functions[i].name[7];
    }
    out[4] = '\0';
}

static const char four[] = EXPORTED "int bilanx_a(int x) { return x + 1; }\n" EXPORTED
                                    "int bilanx_b(int x) { return x + 2; }\n" EXPORTED
                                    "int bilanx_c(int x) { return x + 3; }\n" EXPORTED
                                    "int bilanx_d(int x) { return x + 4; }\n";

static void functions_appear_in_many_orders_at_multiples_of_16_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(compilers); i++) {
        AUTO(memory) char *library = mem_format("order-%s.so", compilers[i]);
        compile(compilers[i], "four", four);
        AUTO(layouts) struct layouts layouts = read_objects((const char *[]){"four", NULL});
        void *handle = link_all(compilers[i], &layouts, library);
        AUTO(list) struct list seen = {0};
        bool offsets[4] = {false};
        for (unsigned layout = 0; layout < LAYOUTS; layout++) {
            char order[5];
            bool known = false;
            uintptr_t address = (uintptr_t)find(handle, "bilanx_a", layout);
            assert_int_equal(address % 16, 0);
            offsets[address / 16 % 4] = true;
            order_of(handle, layout, order);
            for (size_t j = 0; j < seen.count; j++)
                known |= strcmp(seen.items[j], order) == 0;
            if (!known)
                list_add(&seen, order);
        }
        assert_true(seen.count >= 6);
        assert_true(offsets[0] && offsets[1] && offsets[2] && offsets[3]);
        dlclose(handle);
    }
}

static void versions_share_the_order_of_common_functions(void **state)
{
    (void)state;
    AUTO(memory) char *more =
        mem_format("%s%s", four, EXPORTED "int bilanx_more(int x) { return 5 * x; }\n");
    compile("gcc", "four", four);
    compile("gcc", "five", more);
    AUTO(layouts) struct layouts one = read_objects((const char *[]){"four", NULL});
    AUTO(layouts) struct layouts other = read_objects((const char *[]){"five", NULL});
    void *handles[] = {link_all("gcc", &one, "one.so"), link_all("gcc", &other, "other.so")};
    for (unsigned layout = 1; layout < LAYOUTS; layout++) {
        char a[5], b[5];
        order_of(handles[0], layout, a);
        order_of(handles[1], layout, b);
        assert_string_equal(a, b);
    }
    dlclose(handles[0]);
    dlclose(handles[1]);
}

static void only_the_constructors_of_the_chosen_layout_run(void **state)
{
    (void)state;
    compile("gcc", "constructed",
            "extern void (*const __start_bilanx_init[])(void) __attribute__((weak));\n"
            "extern void (*const __stop_bilanx_init[])(void) __attribute__((weak));\n"
            "static int value; __attribute__((constructor)) static void make(void) { value += 3; "
            "}\n" EXPORTED "int bilanx_value(int unused) { return value; }\n" EXPORTED
            "int bilanx_begin(int unused) { void (*const *at)(void) = __start_bilanx_init;\n"
            "for (; at != __stop_bilanx_init; at++) (*at)(); return 0; }\n");
    AUTO(layouts) struct layouts layouts = read_objects((const char *[]){"constructed", NULL});
    assert_null(layouts.fixed);
    void *handle = link_all("gcc", &layouts, "constructed.so");
    call(handle, "bilanx_begin", 5, 0);
    for (unsigned layout = 0; layout < LAYOUTS; layout++)
        assert_int_equal(call(handle, "bilanx_value", layout, 0), layout == 5 ? 3 : 0);
    dlclose(handle);
}

static void templates_and_exceptions_work_in_every_layout(void **state)
{
    (void)state;
    static const char *const compilers_of_cplusplus[] = {"g++", "clang++"};
    for (size_t i = 0; i < LENGTH(compilers_of_cplusplus); i++) {
        compile(compilers_of_cplusplus[i], "templates",
                "#include <algorithm>\n#include <map>\n#include <stdexcept>\n#include <string>\n"
                "#include <vector>\n"
                "struct shape { virtual ~shape() = default; virtual int sides() const = 0; };\n"
                "struct square : shape { int sides() const override { return 4; } };\n"
                "extern \"C\" " EXPORTED "int bilanx_entry(int n) {\n"
                "    std::vector<std::string> words;\n    std::map<std::string, int> found;\n"
                "    for (int i = 0; i < n; i++) words.push_back(std::to_string(n - i));\n"
                "    std::sort(words.begin(), words.end());\n"
                "    for (auto &word : words) found[word]++;\n"
                "    try { words.at(1000); } catch (const std::out_of_range &) { n += 1000; }\n"
                "    square s; shape *p = &s; __asm__ volatile(\"\" : \"+r\"(p));\n"
                "    return n + (int)found.size() + p->sides();\n}\n");
        AUTO(layouts) struct layouts layouts = read_objects((const char *[]){"templates", NULL});
        assert_null(layouts.fixed);
        AUTO(memory) char *library = mem_format("cpp-%s.so", compilers_of_cplusplus[i]);
        void *handle = link_all(compilers_of_cplusplus[i], &layouts, library);
        for (unsigned layout = 0; layout < LAYOUTS; layout++) {
            assert_int_equal(call(handle, "bilanx_entry", layout, 9), 9 + 1000 + 9 + 4);
        }
        dlclose(handle);
    }
}

static void code_that_cannot_be_moved_says_why(void **state)
{
    (void)state;
    static const struct {
        const char *cc, *code, *reason;
    } cases[] = {
        {"gcc -flto", "int f(void) { return 1; }", "link-time optimisation"},
        {"gcc", "int x; __attribute__((constructor(200))) static void f(void) { x = 1; }",
         "priorities"},
        {"gcc", "int x; __attribute__((destructor)) static void f(void) { x = 1; }", "destructors"},
        {"gcc", "extern int __start_parts[]; int *f(void) { return __start_parts; }",
         "its own section"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        compile(cases[i].cc, "fixed", cases[i].code);
        AUTO(layouts) struct layouts layouts = read_objects((const char *[]){"fixed", NULL});
        assert_non_null(layouts.fixed);
        assert_non_null(strstr(layouts.fixed, cases[i].reason));
        assert_int_equal(layouts_count(&layouts, 32), 1);
    }
}

static void large_code_has_fewer_layouts(void **state)
{
    (void)state;
    struct layouts small = {.code_bytes = 1000}, large = {.code_bytes = 2 << 20};
    assert_int_equal(layouts_count(&small, 32), 32);
    assert_in_range(layouts_count(&large, 32), 12, 16);
}

static void damaged_files_are_errors(void **state)
{
    (void)state;
    compile("gcc", "whole", four);
    AUTO(text) struct text bytes = {0};
    assert_ok(file_read("whole.o", &bytes));
    for (size_t size = 0; size < bytes.size; size += size < 200 ? 1 : 37) {
        FILE *file = fopen("cut.o", "w");
        assert_int_equal(fwrite(text_get(&bytes), 1, size, file), size);
        fclose(file);
        AUTO(relocatable) struct relocatable object = {0};
        assert_int_not_equal(relocatable_read("cut.o", &object).status, BILANX_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_calls_its_own_functions_in_all_files),
        cmocka_unit_test(functions_appear_in_many_orders_at_multiples_of_16_bytes),
        cmocka_unit_test(versions_share_the_order_of_common_functions),
        cmocka_unit_test(only_the_constructors_of_the_chosen_layout_run),
        cmocka_unit_test(templates_and_exceptions_work_in_every_layout),
        cmocka_unit_test(code_that_cannot_be_moved_says_why),
        cmocka_unit_test(large_code_has_fewer_layouts),
        cmocka_unit_test(damaged_files_are_errors),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
