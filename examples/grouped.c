// grouped: one definition, sixteen benchmarks. For programs that generate suites; to write one by
// hand, use YAML: docs/formats/suite.md. Prints the same as `bilanx run SUITE --expand`.
#include <bilanx/suite.h>
#include <stdio.h>
#include <stdlib.h>

// y has one element, so y.backward() needs no argument.
static struct bilanx_error define(struct bilanx_suite *suite)
{
    return bilanx_suite_add(
        suite,  //
        .label = "multiply", .stmt = {.python = "y = x * w", .cxx = "auto y = x * w;"},
        .setup = {.python = "x = torch.ones((1, 1))\n"
                            "w = torch.ones((1, 1), requires_grad=True)",
                  .cxx = "auto x = torch::ones({1, 1});\n"
                         "auto w = torch::ones({1, 1});\n"
                         "w.set_requires_grad(true);"},
        .signature = "f(x, w) -> y",  // all variants are derived from this
        .torchscript = true, .autograd = true, .threads = (const uint64_t[]){1, 2, 0},
        .with = (const char *const[]){"torch", NULL});
}

static struct bilanx_error print(const struct bilanx_suite *suite)
{
    struct bilanx_suite_case **cases;
    size_t count;
    BILANX_TRY(bilanx_suite_materialize(suite, NULL, &cases, &count));
    for (size_t i = 0; i < count; i++) {
        char *json = bilanx_suite_case_json(cases[i]);
        puts(json);
        free(json);
    }
    free(cases);
    return BILANX_SUCCESS;
}

int main(void)
{
    struct bilanx_suite *suite = bilanx_suite_new(&(struct bilanx_suite_traits){
        .name = "grouped",
        .global_setup = {.python = "import torch", .cxx = "#include <torch/torch.h>"}});
    struct bilanx_error error = define(suite);
    if (error.status == BILANX_OK)
        error = print(suite);
    if (error.status != BILANX_OK)
        fprintf(stderr, "grouped: %s\n", error.text);
    bilanx_suite_free(suite);
    return error.status != BILANX_OK;
}
