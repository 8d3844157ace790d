// Errors about a specification have file, line, column, cause and fix.
#include "inputs/fuzzer/spec.h"

#include "unit.h"

static struct bilanx_error read_text(const char *text)
{
    AUTO(spec) struct spec spec = {0};
    return spec_read_text(text, strlen(text), "s.yaml", &spec);
}

struct mistake {
    const char *text, *message;
};

static void check(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bilanx_error error = read_text(mistakes[i].text);
        if (error.status != BILANX_E_INPUT || !strstr(error.text, mistakes[i].message) ||
            strncmp(error.text, "s.yaml:", 7) != 0)
            fail_msg("%s\nsays '%s', not '%s'", mistakes[i].text, error.text, mistakes[i].message);
    }
}

#define CHECK(mistakes) check(mistakes, LENGTH(mistakes))
#define P "parameters:\n  k0: {uniform: [1, 9]}\n"
#define X(keys) P "tensors:\n  x: {size: [k0], " keys "}\n"

static void keys_and_values_have_a_form(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {"", "s.yaml: the file is empty"},
        {"{}", "neither 'parameters' nor 'tensors'"},
        {"[1, 2]", "s.yaml:1:1: a specification must be a mapping, not a list"},
        {"parametres: {}", "s.yaml:1:1: unknown key 'parametres' (did you mean 'parameters'?)"},
        {"parameters: [k0]", "'parameters' must be a mapping with a name for each, not a list"},
        {"parameters:\n  k0: {unifrom: [1, 2]}",
         "s.yaml:2:8: unknown key 'unifrom' (did you mean 'uniform'?)"},
        {"parameters:\n  k0: {}", "s.yaml:2:3: parameter 'k0' needs exactly one of 'uniform'"},
        {"parameters:\n  k0: {uniform: [1, 2], choices: [1]}", "needs exactly one of"},
        {"parameters:\n  k0: {uniform: 3}", "'uniform' must be two numbers, such as [16, 1024]"},
        {"parameters:\n  k0: {uniform: [1, 2, 3]}", "s.yaml:2:17: 'uniform' must be two numbers"},
        {"parameters:\n  k0: {uniform: [1, many]}",
         "s.yaml:2:21: 'uniform' must be a number such as 16, 64k, 0.5 or 1e6, not 'many'"},
        {"parameters:\n  k0: {uniform: [1, 99999999999999999999]}", "must be a number"},
        {"parameters:\n  k0: {choices: 3}", "'choices' must be values and their probabilities"},
        {"parameters:\n  k0: {choices: [[1]]}", "a choice must be a number or a parameter"},
        {P "seed: -1", "'seed' must be a whole number from 0 to 4294967295"},
        {P "seed: 4294967296", "s.yaml:3:7: a seed must be below 2^32"},
        {P "compat: numpy", "s.yaml:3:9: 'compat' must be torch or none, not 'numpy'"},
        {P "constraints: {k0: 1}", "'constraints' must be text"},
        {P "tensors: {x: {}}", "s.yaml:3:14: a tensor needs 'size': of each dimension"},
        {P "tensors: {x: {size: {k0: 1}}}", "'size' must be a parameter or a number, not a map"},
        {X("shape: [k0]"), "unknown key 'shape'"},
        {X("min_elements: none"), "'min_elements' must be a number"},
        {X("max_elements: 0"), "'max_elements' must be a whole number of at least 1, not 0"},
        {X("max_bytes: 1.5"), "'max_bytes' must be a whole number"},
    };
    CHECK(mistakes);
}

static void names_are_variables_and_used_once(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {"parameters:\n  k 0: 1", "s.yaml:2:3: 'k 0' cannot name a parameter"},
        {"parameters:\n  0k: 1", "cannot name a parameter"},
        {"parameters:\n  and: 1", "'and' cannot name a parameter: it is a word of expressions"},
        {"parameters:\n  k0: 1\n  k0: 2", "s.yaml:3:3: "},  // twice in a mapping
        {"parameters:\n  k0: 1\ntensors:\n  k0: {size: 2}",
         "s.yaml:4:3: 'k0' is a parameter and a tensor: rename one of them"},
        {"tensors:\n  x-y: {size: 2}", "s.yaml:2:3: 'x-y' cannot name a tensor"},
    };
    CHECK(mistakes);
}

static void bounds_are_in_order(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {"parameters:\n  k0: {uniform: [9, 1]}",
         "s.yaml:2:17: 'k0': the bounds [9, 1] are reversed: write the lower one first"},
        {"parameters:\n  k0: {uniform: [0.5, 0.25]}", "the bounds [0.5, 0.25] are reversed"},
        {"parameters:\n  k0: {loguniform: [64, 16]}", "the bounds [64, 16] are reversed"},
        {"parameters:\n  k0: {loguniform: [0, 16]}", "loguniform must start at 1 or above"},
        {"parameters:\n  k0: {loguniform: [0.5, 16]}", "loguniform draws integers"},
        {"parameters:\n  k0: {uniform: [-1e308, 1e308]}", "are too far apart"},
    };
    CHECK(mistakes);
    assert_ok(
        read_text("parameters:\n  k0: {uniform: [-9223372036854775808, 9223372036854775807]}"));
    assert_ok(read_text("parameters:\n  k0: {loguniform: [16, 1e6]}"));
    assert_ok(read_text("parameters:\n  k0: {uniform: [0, 0]}"));
}

static void probabilities_sum_to_one(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {"parameters:\n  k0: {choices: {1: 0.5, 2: 0.4}}",
         "s.yaml:2:17: 'k0': the probabilities sum to 0.9 instead of 1"},
        {"parameters:\n  k0: {choices: {1: 0.5, 2: 0.5001}}", "sum to 1.0001 instead of 1"},
        {"parameters:\n  k0: {choices: {1: 50, 2: 50}}", "the probability 50 is not between"},
        {"parameters:\n  k0: {choices: {1: -0.5, 2: 1.5}}",
         "s.yaml:2:18: 'k0': the probability -0.5 is not between 0 and 1"},
        {"parameters:\n  k0: {choices: {}}", "'k0' has 0 choices: give it 1 to 10000"},
        {"parameters:\n  k0: {choices: {1: often}}", "must be a number"},
    };
    CHECK(mistakes);
    assert_ok(read_text("parameters:\n  k0: {choices: {1: 0.5, 2: 0.500001}}"));
}

static void aliases_exist_and_end(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {"parameters:\n  k0: 1\n  k: {choices: {k1: 1}}",
         "s.yaml:3:17: there is no parameter 'k1' (did you mean 'k0'?)"},
        {"parameters:\n  k0: 1\n  k: {choices: [something]}",
         "s.yaml:3:17: there is no parameter 'something': add it to 'parameters'"},
        {"parameters:\n  a: {choices: {a: 0.5, 1: 0.5}}", "go in a circle: a -> a"},
        {"parameters:\n  a: {choices: [b, 1]}\n  b: {choices: [c]}\n  c: {choices: [2, a]}",
         "s.yaml:4:20: the aliases go in a circle: a -> b -> c -> a (let one of them be a number)"},
    };
    CHECK(mistakes);
    assert_ok(read_text("parameters:\n  a: {choices: [b, c]}\n  b: {choices: [c]}\n  c: 3"));
}

static void terms_of_tensors_are_known_integers(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {P "tensors:\n  x: {size: [k1]}",
         "s.yaml:4:14: there is no parameter 'k1' (did you mean 'k0'?)"},
        {X("steps: [k9]"), "there is no parameter 'k9'"},
        {X("dim: dims"), "there is no parameter 'dims'"},
        {X("roll: r"), "there is no parameter 'r'"},
        {P "tensors:\n  x: {size: [2.5]}", "the size '2.5' of tensor 'x' can be real"},
        {"parameters:\n  r: {uniform: [1.0, 2.0]}\n  a: {choices: [r, 1]}\ntensors:\n  x: {size: "
         "a}",
         "s.yaml:5:13: the size 'a' of tensor 'x' can be real: draw it from integers"},
        {X("steps: [1, 2]"), "tensor 'x' has 2 steps but only 1 sizes"},
        {X("steps: [0]"), "the step '0' of tensor 'x' is not possible: it must be at least 1"},
        {P "tensors:\n  x: {size: []}",
         "s.yaml:4:13: tensor 'x' has no dimensions: write 'size: [1]' for a single element"},
        {"parameters:\n  d: {uniform: [0, 2]}\ntensors:\n  x: {size: [4, 4], dim: d}",
         "s.yaml:4:26: the dim 'd' of tensor 'x' can be 0: it must be from 1 to 16"},
        {"parameters:\n  d: {uniform: [1, 17]}\ntensors:\n  x: {size: [4, 4], dim: d}",
         "can be 17: it must be from 1 to 16"},
        {P "tensors:\n  x: {size: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
         "'size' has 17 items; a tensor has up to 16 dimensions"},
        {"parameters:\n  n: {uniform: [0, 9]}\ntensors:\n  x: {size: [4, n]}",
         "the size 'n' of tensor 'x' can be 0, which leaves no elements: start at 1, or allow it "
         "with 'empty: true'"},
        {P "tensors:\n  x: {size: [0]}",
         "the size '0' of tensor 'x' is not possible, which leaves"},
        {P "tensors:\n  x: {size: [-1], empty: true}", "it must be at least 0"},
    };
    CHECK(mistakes);
    assert_ok(read_text("parameters:\n  n: {uniform: [0, 9]}\n"
                        "tensors:\n  x: {size: [4, n], empty: true}"));
    // A constraint may exclude values that the bounds allow.
    assert_ok(read_text("parameters:\n  n: {uniform: [0, 9]}\n"
                        "tensors:\n  x: {size: n}\nconstraints: [n > 0]"));
}

static void limits_and_shares_are_possible(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {X("probability_contiguous: 1.5"), "'probability_contiguous' of tensor 'x' is 1.5, not"},
        {X("min_elements: 10, max_elements: 5"),
         "tensor 'x' needs at least 10 and at most 5 elements: swap"},
        {X("dtype: float"), "unknown dtype 'float' (use one of f16, "},
        {X("dtype: f23"), "unknown dtype 'f23' (did you mean 'f32'?)"},
        {X("nan: 2"), "are shares of its elements"},
        {X("nan: 0.75, inf: 0.75"), "together at most 1"},
        {X("dtype: i32, nan: 0.1"), "tensor 'x' of dtype i32 cannot have NaN or infinity"},
    };
    CHECK(mistakes);
}

static void fills_fit_the_type(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {X("fill: random"),
         "'fill' must be {uniform: [0, 1]}, {normal: [0, 1]}, {indices: x.0} or "},
        {X("fill: {uniform: [0, 1], normal: [0, 1]}"), "'fill' must be"},
        {X("fill: {gaussian: [0, 1]}"), "unknown key 'gaussian'"},
        {X("fill: {uniform: [1, 0]}"), "cannot be filled with [1, 0]: write the lower bound first"},
        {X("fill: {normal: [0, -1]}"), "a standard deviation is not negative"},
        {X("dtype: i8, fill: {uniform: [0, 200]}"),
         "the values [0, 200] of tensor 'x' do not fit in"},
        {X("dtype: i8, fill: {uniform: [0, 1.5]}"), "are not integers, but its dtype is i8"},
        {X("dtype: i8, fill: {normal: [0, 1]}"), "cannot be filled with 'normal'"},
        {X("fill: permutation"), "of dtype f32 cannot be filled with 'permutation': use dtype i64"},
        {X("fill: {indices: x.0}"), "cannot be filled with 'indices': use dtype i64"},
        {X("dtype: i64, fill: {indices: y.0}"), "there is no tensor 'y' that 'x' could index"},
        {X("dtype: i64, fill: {indices: x.one}"), "'x.one' is not a dimension"},
        {X("dtype: i64, fill: {indices: x.16}"), "'x.16' is not a dimension"},
        {X("dtype: i64, fill: {indices: k1}"), "there is no parameter 'k1' (did you mean 'k0'?)"},
        {X("dtype: i64, fill: {indices: 0}"), "it must be at least 1"},
    };
    CHECK(mistakes);
    assert_ok(read_text(X("dtype: i64, fill: {indices: x.15}")));
    assert_ok(read_text(X("dtype: bool")));
}

static void sparse_tensors_say_how_sparse(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {X("sparse: {}"), "sparse tensor 'x' needs either 'density' or 'nnz'"},
        {X("sparse: {density: 0.1, nnz: 3}"), "needs either 'density' or 'nnz'"},
        {X("sparse: {density: 1.5}"), "the density '1.5' of tensor 'x' can be 1.5"},
        {X("sparse: {density: k0}"), "the density 'k0' of tensor 'x' can be 9"},
        {X("sparse: {density: 0.1, sparse_dim: 0}"), "must be from 1 to"},
        {X("sparse: {nnz: -1}"), "it must be at least 0"},
        {X("sparse: {nnz: 1}, steps: [2]"), "is sparse, so it cannot have 'steps' or 'roll'"},
        {X("sparse: {nnz: 1}, dtype: i64, fill: permutation"), "cannot be filled with 'perm"},
        {X("sparse: {densty: 0.1}"), "unknown key 'densty' (did you mean 'density'?)"},
    };
    CHECK(mistakes);
}

static void constraints_have_the_place_of_their_mistake(void **state)
{
    (void)state;
    const struct mistake mistakes[] = {
        {P "constraints:\n  - k0 > 3\n  - k0 >> 3",
         "s.yaml:5:9: constraint: a number, a parameter or '(' is missing"},
        {P "constraints:\n  - \"k0 > 3 and k5 < 2\"",
         "s.yaml:4:17: constraint: there is no parameter 'k5' (did you mean 'k0'?)"},
        {P "constraints: k0 <", "s.yaml:3:18: constraint: a number"},
    };
    CHECK(mistakes);
    assert_ok(read_text(P "constraints: 1 <= k0 < 8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_values_have_a_form),
        cmocka_unit_test(names_are_variables_and_used_once),
        cmocka_unit_test(bounds_are_in_order),
        cmocka_unit_test(probabilities_sum_to_one),
        cmocka_unit_test(aliases_exist_and_end),
        cmocka_unit_test(terms_of_tensors_are_known_integers),
        cmocka_unit_test(limits_and_shares_are_possible),
        cmocka_unit_test(fills_fit_the_type),
        cmocka_unit_test(sparse_tensors_say_how_sparse),
        cmocka_unit_test(constraints_have_the_place_of_their_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
