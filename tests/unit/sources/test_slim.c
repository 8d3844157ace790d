// Which headers of PyTorch a text needs.
#include "sources/compile/slim.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "../unit.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/temporary.h"

// A PyTorch that has the operators mm and ones.
static int install(void **state)
{
    static struct temporary root;
    static const char *const folders[] = {"include", "include/ATen", "include/ATen/ops"};
    static const char *const operators[] = {"mm", "ones"};
    assert_ok(temporary_init(&root, "/tmp"));
    for (size_t i = 0; i < LENGTH(folders); i++) {
        AUTO(memory) char *path = mem_format("%s/%s", root.path, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < LENGTH(operators); i++) {
        AUTO(memory) char *path = mem_format("%s/%s/%s.h", root.path, folders[2], operators[i]);
        assert_ok(file_write(path, "", 0));
    }
    *state = &root;
    return 0;
}

static int uninstall(void **state)
{
    temporary_done(*state);
    return 0;
}

static bool includes(void **state, const char *text, struct text *out)
{
    const struct temporary *root = *state;
    return slim_includes(&slim_torch, root->path, text, out);
}

static void each_operator_has_its_header_once(void **state)
{
    AUTO(text) struct text out = {0};
    assert_true(includes(state, "auto x = torch::ones({2}); at::mm(x, torch::ones(x));", &out));
    assert_string_equal(text_get(&out), "#include <ATen/ops/ones.h>\n#include <ATen/ops/mm.h>\n");
}

static void types_need_only_the_headers_that_are_always_included(void **state)
{
    AUTO(text) struct text out = {0};
    assert_true(includes(state, "torch::Tensor y = x.to(torch::kFloat64) + 1; tat::nn();", &out));
    assert_string_equal(text_get(&out), "");
}

static void a_known_name_has_its_header(void **state)
{
    AUTO(text) struct text out = {0};
    assert_true(includes(state, "x.index({torch::indexing::Slice(0, 2)})", &out));
    assert_string_equal(text_get(&out), "#include <ATen/TensorIndexing.h>\n");
}

static void other_names_need_the_whole_library(void **state)
{
    static const char *const texts[] = {
        "torch::nn::Linear(1, 2)",
        "c10::IValue v;",
        "using namespace torch;",
        "namespace at {\n}",
        "#include <torch/extension.h>",
        "#include <ATen/ATen.h>",
        "torch::",
        "torch::ones({2}) + torch::absent()",
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        AUTO(text) struct text out = {0};
        if (includes(state, texts[i], &out))
            fail_msg("%s", texts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_has_its_header_once),
        cmocka_unit_test(types_need_only_the_headers_that_are_always_included),
        cmocka_unit_test(a_known_name_has_its_header),
        cmocka_unit_test(other_names_need_the_whole_library),
    };
    return cmocka_run_group_tests(tests, install, uninstall);
}
