// slim: the few headers of a large library that a text needs.
#include "slim.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "headers.h"

// The macro makes torch's headers include those of single operators instead of all. What follows
// them are the names that <torch/types.h> adds to those of `at`.
static const char torch_always[] =
    "#define AT_PER_OPERATOR_HEADERS\n"
    "#include <ATen/core/Tensor.h>\n"
    "#include <ATen/TensorOperators.h>\n"
    "#include <torch/csrc/autograd/generated/variable_factories.h>\n"
    "namespace torch {\n"
    "using namespace at;\n"
    "using Dtype = at::ScalarType;\n"
    "constexpr auto kUInt8 = at::kByte, kInt8 = at::kChar, kInt16 = at::kShort,\n"
    "    kInt32 = at::kInt, kInt64 = at::kLong, kFloat16 = at::kHalf, kFloat32 = at::kFloat,\n"
    "    kFloat64 = at::kDouble;\n"
    "}\n";

static const struct slim_names torch_known[] = {
    {"ArrayRef Device DeviceType Dtype IntArrayRef Layout MemoryFormat Scalar ScalarType Tensor "
     "TensorList TensorOptions device dtype layout memory_format pinned_memory requires_grad",
     NULL},
    {"kBFloat16 kBool kByte kChar kComplexDouble kComplexFloat kDouble kFloat kFloat16 kFloat32 "
     "kFloat64 kHalf kInt kInt16 kInt32 kInt64 kInt8 kLong kShort kUInt8 kCPU kStrided kSparse",
     NULL},
    {"indexing", "ATen/TensorIndexing.h"},
    {"NoGradGuard AutoGradMode GradMode", "ATen/core/grad_mode.h"},
    {"manual_seed", "ATen/Context.h"},
    {"get_num_threads set_num_threads", "ATen/Parallel.h"},
    {0},
};

const struct slim slim_torch = {
    .spaces = "torch at c10",
    .folders = "torch ATen c10",
    .always = torch_always,
    .functions = "ATen/ops",
    .known = torch_known,
};

static void include(const char *header, struct text *out)
{
    AUTO(memory) char *line = mem_format("#include <%s>\n", header);
    if (!strstr(text_get(out), line))
        text_add(out, line);
}

static bool declare(const struct slim *slim, const char *root, const char *name, size_t size,
                    struct text *out)
{
    for (const struct slim_names *known = slim->known; known->names; known++)
        if (headers_among(known->names, name, size)) {
            if (known->header)
                include(known->header, out);
            return true;
        }
    AUTO(memory) char *header = mem_format("%s/%.*s.h", slim->functions, (int)size, name);
    AUTO(memory) char *path = mem_format("%s/include/%s", root, header);
    if (access(path, R_OK) != 0)
        return false;
    include(header, out);
    return true;
}

static bool follows(const char *text, const char *word, const char *what)
{
    size_t size = strlen(what);
    return (size_t)(word - text) >= size && strncmp(word - size, what, size) == 0;
}

bool slim_includes(const struct slim *slim, const char *root, const char *text, struct text *out)
{
    for (const char *at = text; *at;) {
        const char *word = at;
        size_t size = headers_word(word);
        at += size ? size : 1;
        bool is_space = headers_among(slim->spaces, word, size);
        if (size == 0 || (!is_space && !headers_among(slim->folders, word, size)))
            continue;
        if (*at == '/' || follows(text, word, "namespace "))
            return false;
        if (!is_space || strncmp(at, "::", 2) != 0)
            continue;
        at += 2;
        if (!declare(slim, root, at, headers_word(at), out))
            return false;
    }
    return true;
}
