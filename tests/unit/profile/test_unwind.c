#include "profile/unwind/unwind.h"

#include <dwarf.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "profile/unwind/expression.h"
#include "profile/unwind/kernel.h"
#include "profile/unwind/symbols.h"
#include "unit.h"

static struct space own_space(struct images *images)
{
    struct space space = {.images = images};
    space_read(&space, getpid());
    return space;
}

// The registers of the caller, and a copy of the stack above them.
struct snapshot {
    struct unwind_state state;
    _Alignas(8) unsigned char stack[4096];
};

// Sanitizers do not want all of a stack to be read.
__attribute__((no_sanitize("address"))) static void copy_words(void *to, uint64_t from,
                                                               size_t bytes)
{
    const volatile uint64_t *words = (const uint64_t *)(uintptr_t)from;
    for (size_t i = 0; i < bytes / 8; i++)
        ((uint64_t *)to)[i] = words[i];
}

__attribute__((noinline)) static void take_snapshot(struct snapshot *out, size_t bytes)
{
    ucontext_t context;
    getcontext(&context);
    registers_of(&context, out->state.registers);
    copy_words(out->stack, out->state.registers[REGISTER_STACK], bytes);
    out->state.stack = out->stack;
    out->state.stack_bytes = bytes;
}

__attribute__((noinline)) static int inner_function(struct snapshot *out, size_t bytes)
{
    take_snapshot(out, bytes);
    return (int)out->stack[0];
}

__attribute__((noinline)) static int outer_function(struct snapshot *out, size_t bytes)
{
    return inner_function(out, bytes) + 1;
}

static const char *name_at(const struct space *space, uint64_t address)
{
    uint64_t in_file;
    struct image *image = space_image(space, address, &in_file);
    return image ? image_place(image, in_file)->names[0].name : "?";
}

static void a_stack_is_unwound_and_named(void **state)
{
    (void)state;
    AUTO(images) struct images *images = images_new();
    struct space space = own_space(images);
    struct unwind_step steps[64];
    static struct snapshot snapshot;
    bool complete;
    outer_function(&snapshot, sizeof snapshot.stack);
    size_t count = unwind(&space, &snapshot.state, steps, 64, &complete);
    assert_true(count >= 4);
    assert_string_equal(name_at(&space, steps[1].address), "inner_function");
    assert_string_equal(name_at(&space, steps[2].address), "outer_function");
    assert_string_equal(name_at(&space, steps[3].address), "a_stack_is_unwound_and_named");
    assert_true(steps[1].stack < steps[2].stack && steps[2].stack < steps[3].stack);
    space_done(&space);
}

static void a_stack_that_was_cut_is_not_complete(void **state)
{
    (void)state;
    AUTO(images) struct images *images = images_new();
    struct space space = own_space(images);
    struct unwind_step steps[64];
    static struct snapshot snapshot;
    bool complete = true;
    outer_function(&snapshot, 16);
    size_t count = unwind(&space, &snapshot.state, steps, 64, &complete);
    assert_false(complete);
    assert_true(count >= 1 && count < 4);
    space_done(&space);
}

static void nonsense_does_not_crash(void **state)
{
    (void)state;
    AUTO(images) struct images *images = images_new();
    struct space space = own_space(images);
    struct unwind_step steps[64];
    bool complete;
    unsigned char stack[256];
    for (unsigned seed = 0; seed < 2000; seed++) {
        struct unwind_state nonsense = {.stack = stack, .stack_bytes = seed % sizeof stack};
        uint64_t value = seed * 0x9E3779B97F4A7C15u;
        for (size_t i = 0; i < REGISTERS; i++, value = value * 6364136223846793005u + 1)
            nonsense.registers[i] = seed % 3 ? value : (uintptr_t)outer_function + seed % 64;
        memset(stack, (int)seed, sizeof stack);
        assert_true(unwind(&space, &nonsense, steps, 64, &complete) <= 64);
    }
    space_done(&space);
}

static void frame_pointers_lead_through_code_without_rules(void **state)
{
    (void)state;
    AUTO(images) struct images *images = images_new();
    struct space space = {.images = images};
    space_add(&space, 0x10000, 0x20000, 0, "");
    uint64_t stack[8] = {0, 0, 0x7040, 0x10200, 0, 0, 0, 0x10300};
    stack[6] = 0;  // the outermost frame has no frame pointer
    struct unwind_state start = {.stack = (unsigned char *)stack, .stack_bytes = sizeof stack};
    start.registers[REGISTER_PC] = 0x10100;
    start.registers[REGISTER_STACK] = 0x7010;
    start.registers[REGISTER_FRAME] = 0x7020;
    struct unwind_step steps[8];
    bool complete;
    assert_int_equal(unwind(&space, &start, steps, 8, &complete), 3);
    assert_int_equal(steps[1].address, 0x101ff);
    assert_int_equal(steps[2].address, 0x102ff);
    space_done(&space);
}

static void a_mapping_replaces_earlier_ones(void **state)
{
    (void)state;
    AUTO(images) struct images *images = images_new();
    struct space space = {.images = images};
    space_add(&space, 0x1000, 0x9000, 0, "");
    space_add(&space, 0x3000, 0x5000, 0x100, "");
    assert_int_equal(space.count, 3);
    assert_int_equal(space_find(&space, 0x2fff)->offset, 0);
    assert_int_equal(space_find(&space, 0x3000)->offset, 0x100);
    assert_int_equal(space_find(&space, 0x5000)->offset, 0x4000);
    space_add(&space, 0x2000, 0x8000, 0x200, "");
    assert_int_equal(space.count, 3);
    assert_int_equal(space_find(&space, 0x4000)->offset, 0x200);
    assert_null(space_find(&space, 0x9000));
    assert_null(space_find(&space, 0xfff));
    space_add(&space, 0, 0x10000, 0x300, "");
    assert_int_equal(space.count, 1);
    space_done(&space);
}

static bool read_nothing(void *context, uint64_t address, uint64_t *out)
{
    *out = address + *(uint64_t *)context;
    return address != 0;
}

static void expressions_are_evaluated(void **state)
{
    (void)state;
    uint64_t added = 1000, value = 0;
    struct expression_input input = {.cfa = 500, .read = read_nothing, .context = &added};
    input.values[REGISTER_STACK] = 64;
    input.values[REGISTER_PC] = 0x1234;
    memset(input.known, true, sizeof input.known);
    // What compilers write for entries of procedure linkage tables.
    const Dwarf_Op linkage[] = {{.atom = DW_OP_bregx, .number = REGISTER_STACK, .number2 = 8},
                                {.atom = DW_OP_bregx, .number = REGISTER_PC},
                                {.atom = DW_OP_lit15},
                                {.atom = DW_OP_and},
                                {.atom = DW_OP_lit4},
                                {.atom = DW_OP_ge},
                                {.atom = DW_OP_lit3},
                                {.atom = DW_OP_shl},
                                {.atom = DW_OP_plus}};
    assert_true(expression_value(&input, linkage, 9, &value));
    assert_int_equal(value, 64 + 8 + 8);
    const Dwarf_Op saved[] = {{.atom = DW_OP_call_frame_cfa},
                              {.atom = DW_OP_plus_uconst, .number = (Dwarf_Word)-16}};
    assert_true(expression_register(&input, 3, saved, 2, &value));
    assert_int_equal(value, 484 + 1000);
    const Dwarf_Op computed[] = {{.atom = DW_OP_call_frame_cfa}, {.atom = DW_OP_stack_value}};
    assert_true(expression_register(&input, 3, computed, 2, &value));
    assert_int_equal(value, 500);
}

static void a_register_saved_below_the_stack_has_its_value_again(void **state)
{
    (void)state;
    uint64_t added = 1000, value = 0;
    struct expression_input input = {.cfa = 500, .read = read_nothing, .context = &added};
    input.values[REGISTER_STACK] = 492;
    input.values[3] = 77;
    memset(input.known, true, sizeof input.known);
    const Dwarf_Op saved[] = {{.atom = DW_OP_call_frame_cfa},
                              {.atom = DW_OP_plus_uconst, .number = (Dwarf_Word)-16}};
    assert_true(expression_register(&input, 3, saved, 2, &value));
    assert_int_equal(value, 77);
}

static void expressions_that_make_no_sense_fail(void **state)
{
    (void)state;
    uint64_t value;
    struct expression_input input = {.read = read_nothing, .context = &(uint64_t){0}};
    const Dwarf_Op unknown[] = {{.atom = DW_OP_breg0}}, short_of[] = {{.atom = DW_OP_plus}},
                   strange[] = {{.atom = DW_OP_lit1}, {.atom = DW_OP_fbreg}};
    assert_false(expression_value(&input, unknown, 1, &value));
    assert_false(expression_value(&input, short_of, 1, &value));
    assert_false(expression_value(&input, strange, 2, &value));
    assert_false(expression_value(&input, NULL, 0, &value));
}

static void names_are_demangled_and_lose_their_version(void **state)
{
    (void)state;
    AUTO(demangler) struct demangler *demangler = demangler_new();
    AUTO(memory) char *version = demangle(demangler, "__libc_start_main@@GLIBC_2.34");
    AUTO(memory) char *plain = demangle(demangler, "main");
    assert_string_equal(version, "__libc_start_main");
    assert_string_equal(plain, "main");
}

static void a_symbol_is_found_by_any_address_in_it(void **state)
{
    (void)state;
    struct symbol items[] = {{100, 50, "first", 0}, {120, 0, "label", 0}, {200, 10, "second", 0}};
    struct symbols symbols = {.items = items, .count = 3};
    assert_string_equal(symbols_find(&symbols, 100)->name, "first");
    assert_string_equal(symbols_find(&symbols, 149)->name, "first");
    assert_string_equal(symbols_find(&symbols, 209)->name, "second");
    assert_null(symbols_find(&symbols, 210));
    assert_null(symbols_find(&symbols, 99));
    assert_string_equal(symbols_find(&symbols, 160)->name, "label");  // its size is unknown
}

static void the_kernel_has_names_or_hides_them(void **state)
{
    (void)state;
    AUTO(kernel) struct kernel *kernel = kernel_new();
    const char *module;
    assert_null(kernel_name(kernel, 1, &module));
    assert_null(module);
}

static void files_that_are_not_images_are_not_opened(void **state)
{
    (void)state;
    assert_null(image_open("/dev/null", NULL));
    assert_null(image_open("/etc/passwd", NULL));
    assert_null(image_open("/nonexistent", NULL));
    assert_null(image_open("/", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_unwound_and_named),
        cmocka_unit_test(a_stack_that_was_cut_is_not_complete),
        cmocka_unit_test(nonsense_does_not_crash),
        cmocka_unit_test(frame_pointers_lead_through_code_without_rules),
        cmocka_unit_test(a_mapping_replaces_earlier_ones),
        cmocka_unit_test(expressions_are_evaluated),
        cmocka_unit_test(a_register_saved_below_the_stack_has_its_value_again),
        cmocka_unit_test(expressions_that_make_no_sense_fail),
        cmocka_unit_test(names_are_demangled_and_lose_their_version),
        cmocka_unit_test(a_symbol_is_found_by_any_address_in_it),
        cmocka_unit_test(the_kernel_has_names_or_hides_them),
        cmocka_unit_test(files_that_are_not_images_are_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
