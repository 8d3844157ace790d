// derive: generates the code of one case from its entry.
//
// Eager mode uses the statement as it is; for a module, a call of the constructed object.
// TorchScript calls a model that Python scripted (or traced) and saved; both languages load it, so
// both measure the same model. Its path comes from the environment, not from the code, because it
// is not a property of what is measured. "As a call" wraps the statement in a function that the
// optimiser cannot see into.
#include "derive.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code.h"
#include "support/digest/digest.h"

void derived_done(struct derived *derived)
{
    free(derived->stmt);
    free(derived->setup);
    free(derived->global_setup);
    if (derived->model) {
        free(derived->model->name);
        free(derived->model->signature);
        free(derived->model->program);
        free(derived->model);
    }
    *derived = (struct derived){0};
}

bool suite_derivable(const struct suite_language *language, enum bilanx_suite_mode mode,
                     enum bilanx_suite_autograd autograd)
{
    switch (mode) {
    case BILANX_SUITE_EAGER:
        return language->torch || autograd == BILANX_SUITE_FORWARD;
    case BILANX_SUITE_TORCHSCRIPT:
        return language->torch;
    case BILANX_SUITE_CALL:
        return language->compiled && autograd == BILANX_SUITE_FORWARD;
    }
    return false;
}

static bool is_python(const struct suite_language *language)
{
    return !language->compiled;
}

static void add_arguments(struct text *out, const struct signature *signature)
{
    for (size_t i = 0; i < signature->count; i++)
        text_format(out, "%s%s", i ? ", " : "", signature->parameters[i].name);
}

// "y = model(x)", "auto y = model->forward(x);".
static void add_module_call(struct text *out, const struct signature *signature,
                            const struct suite_language *language)
{
    bool python = is_python(language);
    if (signature->result.name)
        text_format(out, "%s%s = ", python ? "" : "auto ", signature->result.name);
    text_add(out, python ? "model(" : "model->forward(");
    add_arguments(out, signature);
    text_add(out, python ? ")" : ");");
}

static void add_model_call(struct text *out, const struct signature *signature,
                           const struct suite_language *language)
{
    bool python = is_python(language);
    const char *result = signature->result.name;
    if (!python) {
        text_add(out, "std::vector<torch::jit::IValue> ivalue_inputs{");
        add_arguments(out, signature);
        text_add(out, "};\n");
    }
    if (result)
        text_format(out, "%s%s = ", python ? "" : "auto ", result);
    text_add(out, python ? "jit_model(" : "jit_model.forward(ivalue_inputs)");
    if (python) {
        add_arguments(out, signature);
        text_add(out, ")");
    } else {
        text_add(out, result ? ".toTensor();" : ";");
    }
}

// Loads the model and warms it up, because the first calls compile it.
static void add_model_setup(struct text *out, const struct signature *signature,
                            const struct suite_language *language, const char *name)
{
    AUTO(text) struct text arguments = {0};
    add_arguments(&arguments, signature);
    // Uses no import statement, which would make the names local to the whole setup.
    const char *python = "jit_model = __import__(\"torch\").jit.load(\n"
                         "    __import__(\"os\").environ[\"BILANX_MODELS\"] + \"/%s.pt\")\n"
                         "for _ in range(3):\n"
                         "    jit_model(%s)";
    const char *cplusplus =
        "auto jit_model = torch::jit::load(std::string(std::getenv(\"BILANX_MODELS\")) + "
        "\"/%s.pt\");\n"
        "for (int warm_up = 0; warm_up < 3; warm_up++)\n"
        "    jit_model.forward(std::vector<torch::jit::IValue>{%s});";
    AUTO(memory) char *piece =
        mem_format(is_python(language) ? python : cplusplus, name, text_get(&arguments));
    code_add(out, piece);
}

static void add_model_function(struct text *out, const struct signature *signature,
                               const char *stmt)
{
    text_format(out, "\n\n\ndef %s(", signature->name);
    for (size_t i = 0; i < signature->count; i++) {
        const struct parameter *parameter = &signature->parameters[i];
        text_format(out, "%s%s%s%s", i ? ", " : "", parameter->name,
                    parameter->python_type ? ": " : "",
                    parameter->python_type ? parameter->python_type : "");
    }
    text_add(out, "):\n");
    AUTO(memory) char *body = code_tidy(stmt);
    code_add_indented(out, body, "    ");
    if (signature->result.name)
        text_format(out, "    return %s\n", signature->result.name);
    text_add(out, "\n");
}

// A complete program, because scripting a function needs its source file.
static void add_model_program(struct text *out, const struct derivation *from)
{
    code_add(out, "import sys\nimport torch");
    code_add(out, from->suite_setup->python);
    code_add(out, from->global_setup->python);
    code_add(out, from->setup->python);
    const char *name = from->signature->name;
    if (from->module->python) {
        AUTO(memory) char *constructor = code_tidy(from->module->python);
        text_format(out, "\nmodel = %s", constructor);
        name = "model";
    } else {
        add_model_function(out, from->signature, from->stmt->python);
    }
    AUTO(text) struct text arguments = {0};
    add_arguments(&arguments, from->signature);
    text_format(out,
                "\ntry:\n"
                "    bilanx_model = torch.jit.script(%s)\n"
                "except Exception:\n"
                "    bilanx_model = torch.jit.trace(%s, (%s%s))\n"
                "torch.jit.save(bilanx_model, sys.argv[1])\n",
                name, name, text_get(&arguments), from->signature->count == 1 ? "," : "");
}

static struct bilanx_suite_model *make_model(const struct derivation *from)
{
    struct text program = {0};
    add_model_program(&program, from);
    AUTO(digester) struct digester *digester = digester_new();
    digester_add_text(digester, text_get(&program));
    struct digest digest = digester_get(digester);
    char digits[DIGEST_TEXT];
    struct bilanx_suite_model *model = mem_new(struct bilanx_suite_model);
    model->name = mem_format("%s-%.16s", from->signature->name, digest_text(&digest, digits));
    model->signature = mem_text(from->signature_text);
    model->program = text_take(&program);
    return model;
}

// In C the user must give the types; at file scope nobody else knows them. In C++ a parameter
// without a type accepts anything by reference.
static struct bilanx_error check_types(const struct signature *signature,
                                       const struct suite_language *language)
{
    if (strcmp(language->name, "c") != 0)
        return BILANX_SUCCESS;
    const struct parameter *untyped = NULL;
    for (size_t i = 0; i < signature->count && !untyped; i++)
        if (!signature->parameters[i].c_type)
            untyped = &signature->parameters[i];
    if (!untyped && signature->result.name && !signature->result.c_type)
        untyped = &signature->result;
    if (untyped)
        return bilanx_error_make(BILANX_E_INPUT,
                                 "in C 'call' needs the type of '%s' in the signature, as in "
                                 "'f(const char *s, size_t n) -> int y'",
                                 untyped->name);
    return BILANX_SUCCESS;
}

static bool ends_open(const char *stmt)
{
    size_t size = strlen(stmt);
    return size > 0 && stmt[size - 1] != ';' && stmt[size - 1] != '}';
}

static void add_parameters(struct text *out, const struct signature *signature)
{
    for (size_t i = 0; i < signature->count; i++) {
        const struct parameter *parameter = &signature->parameters[i];
        text_add(out, i ? ", " : "");
        if (parameter->c_type)
            text_format(out, "%s%s%s", parameter->c_type,
                        parameter->c_type[strlen(parameter->c_type) - 1] == '*' ? "" : " ",
                        parameter->name);
        else
            text_format(out, "T%zu &%s", i, parameter->name);
    }
    if (signature->count == 0)
        text_add(out, "void");
}

static void add_template(struct text *out, const struct signature *signature)
{
    size_t untyped = 0;
    for (size_t i = 0; i < signature->count; i++)
        if (!signature->parameters[i].c_type)
            text_format(out, "%sclass T%zu", untyped++ ? ", " : "template <", i);
    text_add(out, untyped ? ">\n" : "");
}

// The empty asm keeps the compiler from merging two calls.
static void add_function(struct text *out, const struct signature *signature, const char *stmt)
{
    const char *result = signature->result.name;
    AUTO(memory) char *body = code_tidy(stmt);
    AUTO(text) struct text function = {0};
    text_add(&function, "#ifdef __clang__\n"
                        "#define BILANX_APART __attribute__((noinline))\n"
                        "#else\n"
                        "#define BILANX_APART __attribute__((noipa))\n"
                        "#endif\n");
    add_template(&function, signature);
    text_format(&function, "BILANX_APART static %s %s(",
                !result                    ? "void"
                : signature->result.c_type ? signature->result.c_type
                                           : "auto",
                signature->name);
    add_parameters(&function, signature);
    text_add(&function, ")\n{\n    __asm__ volatile(\"\");\n");
    AUTO(text) struct text lines = {0};
    text_format(&lines, "%s%s\n", body, ends_open(body) ? ";" : "");
    if (result)
        text_format(&lines, "return %s;\n", result);
    code_add_indented(&function, text_get(&lines), "    ");
    text_add(&function, "}");
    code_add(out, text_get(&function));
}

static void add_eager(struct text *stmt, struct text *setup, const struct derivation *from,
                      const struct suite_language *language)
{
    const char *constructor = code_in(from->module, language);
    if (!constructor) {
        code_add(stmt, code_in(from->stmt, language));
        return;
    }
    AUTO(memory) char *tidy = code_tidy(constructor);
    AUTO(memory) char *made =
        is_python(language) ? mem_format("model = %s", tidy)
                            : mem_format("auto model = %s%s", tidy, ends_open(tidy) ? ";" : "");
    code_add(setup, made);
    AUTO(text) struct text call = {0};
    add_module_call(&call, from->signature, language);
    code_add(stmt, text_get(&call));
}

static void add_torchscript(struct text *stmt, struct text *setup, struct text *global,
                            const struct derivation *from, const struct suite_language *language,
                            const char *model)
{
    if (!is_python(language))
        code_add(global, "#include <cstdlib>\n#include <string>\n#include <vector>\n"
                         "#include <torch/script.h>");
    add_model_setup(setup, from->signature, language, model);
    AUTO(text) struct text call = {0};
    add_model_call(&call, from->signature, language);
    code_add(stmt, text_get(&call));
}

static void add_backward(struct text *stmt, const char *result,
                         const struct suite_language *language)
{
    bool open = !is_python(language) && ends_open(text_get(stmt));
    text_format(stmt, "%s\n%s.backward()%s", open ? ";" : "", result,
                is_python(language) ? "" : ";");
}

struct bilanx_error suite_derive(const struct derivation *from,
                                 const struct suite_language *language, enum bilanx_suite_mode mode,
                                 enum bilanx_suite_autograd autograd, struct derived *out)
{
    AUTO(text) struct text stmt = {0}, setup = {0}, global = {0};
    struct bilanx_suite_model *model = NULL;
    if (mode == BILANX_SUITE_CALL)
        BILANX_TRY(check_types(from->signature, language));
    code_add(&global, code_in(from->suite_setup, language));
    code_add(&global, code_in(from->global_setup, language));
    code_add(&setup, code_in(from->setup, language));
    switch (mode) {
    case BILANX_SUITE_EAGER:
        add_eager(&stmt, &setup, from, language);
        break;
    case BILANX_SUITE_TORCHSCRIPT:
        model = make_model(from);
        add_torchscript(&stmt, &setup, &global, from, language, model->name);
        break;
    case BILANX_SUITE_CALL:
        add_function(&global, from->signature, code_in(from->stmt, language));
        text_format(&stmt, "%s(", from->signature->name);
        add_arguments(&stmt, from->signature);
        text_add(&stmt, ")");
        break;
    }
    if (autograd == BILANX_SUITE_FORWARD_BACKWARD)
        add_backward(&stmt, from->signature->result.name, language);
    // An empty statement is one, too; an empty setup is none.
    *out = (struct derived){text_take(&stmt), code_take(&setup), code_take(&global), model};
    return BILANX_SUCCESS;
}
