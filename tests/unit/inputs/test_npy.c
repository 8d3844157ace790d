#include "inputs/tensors/npy.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"
#include "tensors.h"
#include "unit.h"

struct folder {
    struct temporary temporary;
    char *path;
};

static int enter(void **state)
{
    struct folder *folder = mem_new(struct folder);
    assert_ok(temporary_init(&folder->temporary, NULL));
    folder->path = mem_format("%s/x.npy", folder->temporary.path);
    *state = folder;
    return 0;
}

static int leave(void **state)
{
    struct folder *folder = *state;
    temporary_done(&folder->temporary);
    free(folder->path);
    free(folder);
    return 0;
}

static void save(struct folder *folder, const struct tensor_description *description,
                 struct text *out)
{
    AUTO(DLManagedTensor) DLManagedTensor *tensor = NULL;
    assert_ok(tensor_make(description, &tensor));
    assert_ok(npy_save(&tensor->dl_tensor, description->is_bool, folder->path));
    assert_ok(file_read(folder->path, out));
}

static void a_header_describes_the_data(void **state)
{
    struct folder *folder = *state;
    const struct {
        struct tensor_description description;
        const char *header;
        size_t bytes;
    } cases[] = {
        {tensor_shaped("f32", 2, 3), "'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,), }",
         24},
        {tensor_shaped("bool", 5), "'descr': '|b1', 'fortran_order': False, 'shape': (5,), }", 5},
        {tensor_described("c128", 0, NULL),
         "'descr': '<c16', 'fortran_order': False, 'shape': (), }", 16},
        {tensor_shaped("bf16", 7), "'descr': '<f4', 'fortran_order': False, 'shape': (7,), }", 28},
        {tensor_shaped("i64", 0, 4), "'descr': '<i8', 'fortran_order': False, 'shape': (0, 4,), }",
         0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        AUTO(text) struct text file = {0};
        save(folder, &cases[i].description, &file);
        assert_memory_equal(file.data, "\x93NUMPY\x01\x00", 8);
        size_t header = (size_t)(unsigned char)file.data[8] + 256u * (unsigned char)file.data[9];
        assert_int_equal((10 + header) % 64, 0);
        assert_int_equal(file.data[10 + header - 1], '\n');
        assert_non_null(memmem(file.data, 10 + header, cases[i].header, strlen(cases[i].header)));
        assert_int_equal(file.size, 10 + header + cases[i].bytes);
    }
}

static void elements_are_in_c_order(void **state)
{
    struct folder *folder = *state;
    struct tensor_description description = tensor_shaped("i32", 100, 90);
    description.fill = TENSOR_PERMUTATION;
    description.order[0] = 1, description.order[1] = 0;
    description.steps[1] = 3;
    tensor_lay_out(&description);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = NULL;
    AUTO(text) struct text file = {0};
    assert_ok(tensor_make(&description, &tensor));
    save(folder, &description, &file);
    const char *elements = file.data + file.size - 4 * 9000;
    for (int64_t i = 0; i < 100; i++)
        for (int64_t j = 0; j < 90; j++) {
            int32_t saved;
            memcpy(&saved, elements + 4 * (i * 90 + j), 4);
            int64_t position = i * description.strides[0] + j * description.strides[1];
            assert_int_equal(saved, ((int32_t *)tensor->dl_tensor.data)[position]);
        }
}

static void other_files_are_not_replaced(void **state)
{
    struct folder *folder = *state;
    struct tensor_description description = tensor_shaped("f32", 2);
    AUTO(DLManagedTensor) DLManagedTensor *tensor = NULL;
    assert_ok(tensor_make(&description, &tensor));
    assert_ok(file_write(folder->path, "int main", 8));
    assert_error(npy_save(&tensor->dl_tensor, false, folder->path), BILANX_E_USAGE,
                 "does not contain an array of numpy");
    assert_error(npy_save(&tensor->dl_tensor, false, "/nowhere/x.npy"), BILANX_E_SYSTEM,
                 "/nowhere/x.npy");
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 100000};  // noticed at the end, and before
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct tensor_description description = tensor_shaped("f32", sizes[i]);
        AUTO(DLManagedTensor) DLManagedTensor *tensor = NULL;
        assert_ok(tensor_make(&description, &tensor));
        assert_error(npy_save(&tensor->dl_tensor, false, "/dev/full"), BILANX_E_SYSTEM,
                     "cannot write '/dev/full'");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_header_describes_the_data, enter, leave),
        cmocka_unit_test_setup_teardown(elements_are_in_c_order, enter, leave),
        cmocka_unit_test_setup_teardown(other_files_are_not_replaced, enter, leave),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
