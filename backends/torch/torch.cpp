// torch: any operator that PyTorch knows, called through its dispatcher.
//
// The operator is looked up by name, its arguments are converted by its schema, and `run` is one
// boxed call. Tensors share the host's memory, and results come from the host's allocator.
//
// As in the eager column of PyTorch's own operator benchmark, there is no inference mode and no
// guard: the tensors do not require gradients, so a call passes through autograd's kernels and on.
//
// The operator `bilanx.null.default` returns its argument: its time is the cost of the call.
//
// Exports two tables: "torch", and "torchscript", which runs the call as an optimised graph.
// Compiled for PyTorch 1.13 to 2.x by src/sources/torch_module.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/dlpack.h>
#include <bilanx/backend.h>
#include <c10/core/CPUAllocator.h>
#include <torch/csrc/api/include/torch/version.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/library.h>

#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jit = torch::jit;
using c10::IValue;
using c10::OperatorHandle;
using c10::TypeKind;
using jit::Stack;
using count_type = decltype(std::declval<c10::Argument>().N());  // optional<int32_t>

namespace
{

struct refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Errors

// PyTorch's messages can fill pages; the first sentences say what is wrong. In a graph, they come
// after a traceback.
std::string shorten(const std::string &message)
{
    constexpr size_t most = 240;
    static const char traced[] = "RuntimeError: ";
    size_t start = message.find(traced);
    start = start == std::string::npos ? 0 : start + std::strlen(traced);
    std::string line = message.substr(start, message.find('\n', start) - start);
    if (line.size() <= most)
        return line;
    size_t end = line.rfind(". ", most);
    return end != std::string::npos && end > 40 ? line.substr(0, end)
                                                : line.substr(0, most) + "...";
}

std::string message_of(const std::exception &error)
{
    auto torch = dynamic_cast<const c10::Error *>(&error);
    return shorten(torch ? torch->what_without_backtrace() : error.what());
}

bilanx_error error_of(bilanx_status status, const std::string &message)
{
    bilanx_error error{};
    error.status = status;
    message.copy(error.text, sizeof error.text - 1);
    return error;
}

// Memory

class host_allocator final : public c10::Allocator
{
  public:
    explicit host_allocator(const bilanx_host &host) : host_(host)
    {
    }

#if TORCH_VERSION_MAJOR < 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 2)
    c10::DataPtr allocate(size_t bytes) const override
    {
        return make(bytes);
    }
#else
    c10::DataPtr allocate(size_t bytes) override
    {
        return make(bytes);
    }
    void copy_data(void *to, const void *from, size_t bytes) const override
    {
        std::memcpy(to, from, bytes);
    }
#endif
    c10::DeleterFnPtr raw_deleter() const override
    {
        return host_.release;
    }

  private:
    c10::DataPtr make(size_t bytes) const
    {
        void *memory = bytes ? host_.allocate(bytes) : nullptr;
        return {memory, memory, host_.release, c10::Device(c10::kCPU)};
    }
    const bilanx_host host_;
};

// Types

struct dtype_row {
    const char *word, *name;  // in a log, and of PyTorch
    uint8_t code, bits;       // of DLPack
    c10::ScalarType type;
};
const dtype_row dtypes[] = {
    {"f16", "torch.float16", kDLFloat, 16, c10::kHalf},
    {"f16", "torch.half", kDLFloat, 16, c10::kHalf},
    {"bf16", "torch.bfloat16", kDLBfloat, 16, c10::kBFloat16},
    {"f32", "torch.float32", kDLFloat, 32, c10::kFloat},
    {"f32", "torch.float", kDLFloat, 32, c10::kFloat},
    {"f64", "torch.float64", kDLFloat, 64, c10::kDouble},
    {"f64", "torch.double", kDLFloat, 64, c10::kDouble},
    {"i8", "torch.int8", kDLInt, 8, c10::kChar},
    {"i16", "torch.int16", kDLInt, 16, c10::kShort},
    {"i32", "torch.int32", kDLInt, 32, c10::kInt},
    {"i32", "torch.int", kDLInt, 32, c10::kInt},
    {"i64", "torch.int64", kDLInt, 64, c10::kLong},
    {"i64", "torch.long", kDLInt, 64, c10::kLong},
    {"u8", "torch.uint8", kDLUInt, 8, c10::kByte},
    {"c32", "torch.complex32", kDLComplex, 32, c10::ScalarType::ComplexHalf},
    {"c64", "torch.complex64", kDLComplex, 64, c10::ScalarType::ComplexFloat},
    {"c128", "torch.complex128", kDLComplex, 128, c10::ScalarType::ComplexDouble},
    {"b8", "torch.bool", kDLUInt, 8, c10::kBool},
};

struct word_row {
    const char *word;
    int64_t value;
};
const word_row layouts[] = {
    {"torch.strided", int64_t(c10::kStrided)},
    {"torch.sparse_coo", int64_t(c10::kSparse)},
    {"torch.sparse_csr", int64_t(c10::kSparseCsr)},
};
const word_row formats[] = {
    {"torch.contiguous_format", int64_t(c10::MemoryFormat::Contiguous)},
    {"torch.preserve_format", int64_t(c10::MemoryFormat::Preserve)},
    {"torch.channels_last", int64_t(c10::MemoryFormat::ChannelsLast)},
    {"torch.channels_last_3d", int64_t(c10::MemoryFormat::ChannelsLast3d)},
};

template <size_t n> int64_t find_word(const word_row (&rows)[n], const char *word)
{
    for (const word_row &row : rows)
        if (std::strcmp(row.word, word) == 0)
            return row.value;
    throw refusal(std::string("unknown word '") + word + "'");
}

int64_t find_dtype(const char *word)
{
    for (const dtype_row &row : dtypes)
        if (std::strcmp(row.word, word) == 0 || std::strcmp(row.name, word) == 0)
            return int64_t(row.type);
    throw refusal(std::string("unknown type '") + word + "'");
}

c10::ScalarType type_of(const DLTensor &tensor, bool is_bool)
{
    if (is_bool)
        return c10::kBool;
    for (const dtype_row &row : dtypes)
        if (row.code == tensor.dtype.code && row.bits == tensor.dtype.bits)
            return row.type;
    throw refusal("elements of an unknown type");
}

// Arguments

// In `supports` there is no data, so an undefined tensor represents it.
at::Tensor dense(const DLTensor &tensor, bool is_bool)
{
    at::IntArrayRef shape(tensor.shape, size_t(tensor.ndim));
    auto options = at::TensorOptions(type_of(tensor, is_bool));
    int64_t count = 1;
    for (int64_t size : shape)
        count *= size;
    if (count == 0)
        return tensor.strides ? at::empty_strided(shape, {tensor.strides, shape.size()}, options)
                              : at::empty(shape, options);
    if (!tensor.data)
        return at::Tensor();
    void *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
    if (!tensor.strides)
        return at::from_blob(data, shape, options);
    return at::from_blob(data, shape, {tensor.strides, shape.size()}, options);
}

at::Tensor tensor_of(const bilanx_value &value)
{
    if (!value.sparse)
        return dense(*value.tensor, value.is_bool);
    at::Tensor indices = dense(*value.sparse->indices, false);
    at::Tensor values = dense(*value.sparse->values, value.is_bool);
    if (!indices.defined() || !values.defined())
        return at::Tensor();
    at::IntArrayRef shape(value.tensor->shape, size_t(value.tensor->ndim));
    at::Tensor made = at::_sparse_coo_tensor_unsafe(indices, values, shape,
                                                    values.options().layout(c10::kSparse));
    return made._coalesced_(value.sparse->is_coalesced);
}

bool is_number(const bilanx_value &value)
{
    return value.kind == BILANX_TRUTH || value.kind == BILANX_INTEGER || value.kind == BILANX_REAL;
}

IValue number_of(const bilanx_value &value)
{
    if (value.kind == BILANX_REAL)
        return value.real;
    return value.kind == BILANX_TRUTH ? IValue(value.integer != 0) : IValue(value.integer);
}

// A number where a tensor is expected, as in `x * 2`: it does not change the type of the result.
at::Tensor wrapped(const bilanx_value &value)
{
    at::Tensor tensor = at::scalar_to_tensor(number_of(value).toScalar());
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

const char *text_of(const bilanx_value &value)
{
    if (value.kind == BILANX_TEXT || value.kind == BILANX_WORD)
        return value.text;
    throw refusal("is no word");
}

IValue whole_of(const bilanx_value &value)
{
    if (value.kind == BILANX_INTEGER || value.kind == BILANX_TRUTH)
        return value.integer;
    throw refusal("is no integer");
}

IValue convert(const bilanx_value &value, const c10::Type &type, const c10::Type &real,
               count_type count);

// `int[2] stride` takes a single number, too.
IValue list_of(const bilanx_value &value, const c10::Type &type, const c10::Type &real,
               count_type count)
{
    auto element = type.castRaw<c10::ListType>()->getElementType();
    auto real_element = real.castRaw<c10::ListType>()->getElementType();
    c10::impl::GenericList list(element);
    bool many = value.kind == BILANX_LIST || value.kind == BILANX_TUPLE;
    if (!many && !is_number(value))
        throw refusal("is no list");
    size_t n = many ? value.count : size_t(count.value_or(1));
    for (size_t i = 0; i < n; i++)
        list.push_back(convert(many ? value.items[i] : value, *element, *real_element, {}));
    return list;
}

// The type of a schema says `int` for types and layouts of tensors; `real` tells them apart.
IValue convert_word(const bilanx_value &value, TypeKind kind)
{
    if (value.kind == BILANX_INTEGER)
        return value.integer;
    const char *word = text_of(value);
    switch (kind) {
    case TypeKind::ScalarTypeType:
        return find_dtype(word);
    case TypeKind::LayoutType:
        return find_word(layouts, word);
    default:
        return find_word(formats, word);
    }
}

IValue convert(const bilanx_value &value, const c10::Type &type, const c10::Type &real,
               count_type count)
{
    auto optional = type.castRaw<c10::OptionalType>();
    if (optional && value.kind == BILANX_NONE)
        return {};
    if (optional) {
        auto real_optional = real.castRaw<c10::OptionalType>();
        return convert(value, *optional->getElementType(),
                       real_optional ? *real_optional->getElementType() : real, count);
    }
    switch (real.kind()) {
    case TypeKind::TensorType:
        if (is_number(value))
            return wrapped(value);
        if (value.kind != BILANX_TENSOR)
            throw refusal("is no tensor");
        return tensor_of(value);
    case TypeKind::NumberType:
        if (!is_number(value))
            throw refusal("is no number");
        return number_of(value);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
        return whole_of(value);
    case TypeKind::FloatType:
        if (!is_number(value))
            throw refusal("is no number");
        return value.kind == BILANX_REAL ? value.real : double(value.integer);
    case TypeKind::BoolType:
        return whole_of(value).toInt() != 0;
    case TypeKind::StringType:
        return std::string(text_of(value));
    case TypeKind::DeviceObjType:
        return c10::Device(c10::kCPU);  // 'cuda' in a log, too
    case TypeKind::ListType:
        return list_of(value, type, real, count);
    case TypeKind::ScalarTypeType:
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
        return convert_word(value, real.kind());
    default:
        throw refusal("has type " + real.str() + ", for which logs have no value");
    }
}

const bilanx_value *find_argument(const bilanx_call &call, const c10::Argument &argument, size_t i)
{
    if (i < call.argument_count)
        return &call.arguments[i];
    for (size_t k = 0; k < call.keyword_count; k++)
        if (argument.name() == call.keywords[k].name)
            return &call.keywords[k].value;
    return nullptr;
}

void check_names(const bilanx_call &call, const c10::FunctionSchema &schema)
{
    if (call.argument_count > schema.arguments().size())
        throw refusal("too many arguments for " + c10::toString(schema));
    for (size_t k = 0; k < call.keyword_count; k++)
        if (!schema.argumentIndexWithName(call.keywords[k].name))
            throw refusal("unknown argument '" + std::string(call.keywords[k].name) + "' for " +
                          c10::toString(schema));
}

Stack convert_all(const bilanx_call &call, const c10::FunctionSchema &schema)
{
    Stack stack;
    check_names(call, schema);
    for (size_t i = 0; i < schema.arguments().size(); i++) {
        const c10::Argument &argument = schema.arguments()[i];
        const bilanx_value *value = find_argument(call, argument, i);
        try {
            if (!value && !argument.default_value())
                throw refusal("is missing");
            stack.push_back(
                value ? convert(*value, *argument.type(), *argument.real_type(), argument.N())
                      : *argument.default_value());
        } catch (const refusal &error) {
            throw refusal("argument '" + argument.name() + "' " + error.what());
        }
    }
    return stack;
}

// Operators

// Names in logs of older versions, for operators that now have another name and equal arguments.
const struct {
    const char *old, *name, *overload;
} renamed[] = {
    {"aten::sum.SymInt", "aten::sum", "dim_IntList"},
    {"aten::empty.SymInt", "aten::empty", "memory_format"},
    {"aten::im2col_backward", "aten::col2im", ""},
    {"aten::col2im_backward", "aten::im2col", ""},
};

c10::OperatorName name_of(const char *logged)
{
    std::string text(logged);
    size_t first = text.find('.');
    if (first == std::string::npos)
        throw refusal("'" + text + "' is no operator: a name such as aten.add.Tensor is expected");
    size_t last = text.find('.', first + 1);
    std::string overload = last == std::string::npos ? "" : text.substr(last + 1);
    std::string base = last == std::string::npos ? text.substr(first + 1)
                                                 : text.substr(first + 1, last - first - 1);
    return {text.substr(0, first) + "::" + base, overload == "default" ? "" : overload};
}

// PyTorch 1 had backward operators that take all scales as one list.
bool is_upsampling(const c10::OperatorName &name)
{
    return name.name.rfind("aten::upsample_", 0) == 0 && name.overload_name == "vec" &&
           name.name.find("_backward") != std::string::npos;
}

OperatorHandle find_operator(const char *logged)
{
    c10::OperatorName name = name_of(logged);
    auto &dispatcher = c10::Dispatcher::singleton();
    auto found = dispatcher.findSchema(name);
    for (const auto &row : renamed)
        if (!found && c10::toString(name) == row.old)
            found = dispatcher.findSchema({row.name, row.overload});
    if (!found && (name.overload_name == "SymInt" || is_upsampling(name)))
        found = dispatcher.findSchema({name.name, ""});
    if (!found)
        throw refusal("PyTorch " TORCH_VERSION " has no operator " + std::string(logged));
    return *found;
}

// Arguments (gradient, sizes or None, ..., scales or None) as (gradient, sizes, ..., scale, scale).
Stack spread_scales(const bilanx_call &call, const c10::FunctionSchema &schema)
{
    std::vector<bilanx_value> given(call.arguments, call.arguments + call.argument_count), sizes;
    if (given.size() < 4 || given[0].kind != BILANX_TENSOR || given[0].tensor->ndim < 3)
        throw refusal("too few arguments for " + c10::toString(schema));
    bilanx_value scales = given.back(), none{};
    given.pop_back();
    for (int i = 2; i < given[0].tensor->ndim; i++) {
        bilanx_value size{};
        size.kind = BILANX_INTEGER;
        size.integer = given[0].tensor->shape[i];
        sizes.push_back(size);
        given.push_back(scales.kind == BILANX_LIST && size_t(i - 2) < scales.count
                            ? scales.items[i - 2]
                            : none);
    }
    given[1].kind = BILANX_LIST;
    given[1].items = sizes.data();
    given[1].count = sizes.size();
    bilanx_call spread = call;
    spread.arguments = given.data();
    spread.argument_count = given.size();
    return convert_all(spread, schema);
}

Stack arguments_of(const bilanx_call &call, const OperatorHandle &op)
{
    bool spread = is_upsampling(name_of(call.name)) && op.schema().overload_name().empty();
    return spread ? spread_scales(call, op.schema()) : convert_all(call, op.schema());
}

bool has_sparse(const bilanx_value &value)
{
    if (value.sparse)
        return true;
    for (size_t i = 0; i < value.count; i++)
        if (has_sparse(value.items[i]))
            return true;
    return false;
}

void check_kernel(const OperatorHandle &op, const bilanx_call &call)
{
    bool sparse = false;
    for (size_t i = 0; i < call.argument_count; i++)
        sparse |= has_sparse(call.arguments[i]);
    auto key = sparse ? c10::DispatchKey::SparseCPU : c10::DispatchKey::CPU;
    if (!op.hasComputedKernelForDispatchKey(key) &&
        !op.hasKernelForDispatchKey(c10::DispatchKey::BackendSelect))
        throw refusal(std::string("PyTorch " TORCH_VERSION " has no ") + (sparse ? "sparse " : "") +
                      "CPU kernel for " + call.name);
}

// Results

// What a result points to. Deques, because their items stay where they are.
struct results {
    std::deque<DLTensor> tensors;
    std::deque<bilanx_sparse> sparse;
    std::deque<std::vector<bilanx_value>> lists;
    std::deque<at::Tensor> kept;
};

DLTensor *describe_tensor(const at::Tensor &tensor, results &results)
{
    results.kept.push_back(tensor);
    DLTensor made{};
    made.data = tensor.numel() ? tensor.data_ptr() : nullptr;
    made.device = {kDLCPU, 0};
    made.ndim = int32_t(tensor.dim());
    made.shape = const_cast<int64_t *>(results.kept.back().sizes().data());
    made.strides = const_cast<int64_t *>(results.kept.back().strides().data());
    made.dtype.lanes = 1;
    for (const dtype_row &row : dtypes)
        if (row.type == tensor.scalar_type()) {
            made.dtype.code = row.code;
            made.dtype.bits = row.bits;
        }
    if (!made.dtype.bits)
        throw refusal("a result of type " + std::string(c10::toString(tensor.scalar_type())));
    results.tensors.push_back(made);
    return &results.tensors.back();
}

bilanx_value export_sparse(const at::Tensor &tensor, results &results)
{
    bilanx_sparse sparse{};
    sparse.indices = describe_tensor(tensor._indices(), results);
    sparse.values = describe_tensor(tensor._values(), results);
    sparse.nonzeros = tensor._nnz();
    sparse.is_coalesced = tensor.is_coalesced();
    results.sparse.push_back(sparse);
    DLTensor shape = *sparse.values;
    results.kept.push_back(tensor);
    shape.data = nullptr;
    shape.ndim = int32_t(tensor.dim());
    shape.shape = const_cast<int64_t *>(results.kept.back().sizes().data());
    shape.strides = nullptr;
    results.tensors.push_back(shape);
    bilanx_value value{};
    value.tensor = &results.tensors.back();
    value.sparse = &results.sparse.back();
    return value;
}

bilanx_value export_tensor(const at::Tensor &tensor, results &results)
{
    bilanx_value value{};
    if (!tensor.defined())
        return value;
    if (tensor.layout() == c10::kSparse)
        value = export_sparse(tensor, results);
    else
        value.tensor =
            describe_tensor((tensor.layout() == c10::kStrided ? tensor : tensor.to_dense())
                                .resolve_conj()
                                .resolve_neg(),
                            results);
    value.kind = BILANX_TENSOR;
    value.is_bool = tensor.scalar_type() == c10::kBool;
    return value;
}

bilanx_value export_value(const IValue &result, results &results);

template <class items>
bilanx_value export_items(const items &list, bilanx_value_kind kind, results &results)
{
    std::vector<bilanx_value> values;
    for (const IValue &item : list)
        values.push_back(export_value(item, results));
    results.lists.push_back(std::move(values));
    bilanx_value value{};
    value.kind = kind;
    value.items = results.lists.back().data();
    value.count = results.lists.back().size();
    return value;
}

bilanx_value export_value(const IValue &result, results &results)
{
    bilanx_value value{};
    if (result.isTensor())
        return export_tensor(result.toTensor(), results);
    if (result.isList())
        return export_items(result.toListRef(), BILANX_LIST, results);
    if (result.isTuple())
        return export_items(result.toTupleRef().elements(), BILANX_TUPLE, results);
    if (result.isBool() || result.isInt()) {
        value.kind = result.isBool() ? BILANX_TRUTH : BILANX_INTEGER;
        value.integer = result.isBool() ? result.toBool() : result.toInt();
    } else if (result.isDouble()) {
        value.kind = BILANX_REAL;
        value.real = result.toDouble();
    } else if (!result.isNone()) {
        throw refusal("a result of type " + result.tagKind());
    }
    return value;
}

// Calls

struct state {
    bool script;
    std::string message;
    std::unique_ptr<host_allocator> allocator;
    c10::Allocator *before;
};

// Sizes and strides of an argument: operators such as t_ and as_strided_ change them.
struct geometry {
    at::Tensor tensor;
    std::vector<int64_t> sizes, strides;
    int64_t offset;
};

struct prepared {
    state *owner;
    OperatorHandle op;
    Stack arguments;
    Stack inputs;  // of the graph
    std::unique_ptr<jit::GraphExecutor> graph;
    std::vector<geometry> changing;
    Stack stack;  // results of the last run
    struct results results;
};

void remember_geometry(prepared &call)
{
    if (!call.op.hasTag(at::Tag::inplace_view))
        return;
    for (const IValue &argument : call.arguments)
        if (argument.isTensor() && argument.toTensor().defined()) {
            const at::Tensor &tensor = argument.toTensor();
            call.changing.push_back(
                {tensor, tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset()});
        }
}

void restore_geometry(const prepared &call)
{
    for (const geometry &was : call.changing)
        was.tensor.unsafeGetTensorImpl()->set_sizes_and_strides(was.sizes, was.strides, was.offset);
}

// Graphs

bool holds_tensors(const IValue &value)
{
    if (!value.isList() || value.isTensorList())
        return value.isTensor() || value.isTensorList();
    for (const IValue &item : value.toListRef())
        if (item.isTensor())
            return true;
    return false;
}

// Tensors become inputs of the graph, everything else constants.
jit::Value *place(jit::Graph &graph, const IValue &value, Stack &inputs)
{
    if (value.isTensor() && value.toTensor().defined()) {
        inputs.push_back(value);
        return graph.addInput()->setType(c10::TensorType::get());
    }
    if (!holds_tensors(value))
        return graph.insertConstant(value);
    std::vector<jit::Value *> items;
    for (const IValue &item : value.toListRef())
        items.push_back(place(graph, item, inputs));
    auto type = value.type()->castRaw<c10::ListType>()->getElementType();
    return graph.insertNode(graph.createList(type, items))->output();
}

std::shared_ptr<jit::Graph> script(const prepared &call, Stack &inputs)
{
    const c10::FunctionSchema &schema = call.op.schema();
    auto graph = std::make_shared<jit::Graph>();
    std::vector<jit::Value *> values;
    for (const IValue &argument : call.arguments)
        values.push_back(place(*graph, argument, inputs));
    auto name = c10::Symbol::fromQualString(schema.name());
    jit::Node *node = graph->insertNode(graph->create(name, values, schema.returns().size()));
    for (size_t i = 0; i < schema.returns().size(); i++) {
        node->output(i)->setType(schema.returns()[i].type());
        graph->registerOutput(node->output(i));
    }
    auto matched = node->maybeOperator();
    if (!matched || matched->schema().overload_name() != schema.overload_name())
        throw refusal("a graph has no " + c10::toString(schema.operator_name()));
    return graph;
}

IValue replace_tensors(const IValue &value, const Stack &inputs, size_t &next)
{
    if (value.isTensor() && value.toTensor().defined())
        return inputs.at(next++);
    if (!holds_tensors(value))
        return value;
    c10::impl::GenericList list(value.type()->castRaw<c10::ListType>()->getElementType());
    for (const IValue &item : value.toListRef())
        list.push_back(replace_tensors(item, inputs, next));
    return list;
}

// Runs the call once and records what it does.
std::shared_ptr<jit::Graph> trace(const prepared &call, const Stack &inputs)
{
    auto traced = [&call](Stack given) {
        Stack stack;
        size_t next = 0;
        for (const IValue &argument : call.arguments)
            stack.push_back(replace_tensors(argument, given, next));
        call.op.callBoxed(&stack);
        return stack;
    };
    auto state = jit::tracer::trace(inputs, traced, [](const at::Tensor &) { return ""; }).first;
    return state->graph;
}

// A tensor with the same strides in other memory, even if its elements overlap.
at::Tensor copy_tensor(const at::Tensor &tensor)
{
    if (tensor.layout() != c10::kStrided || tensor.numel() == 0)
        return tensor.clone();
    int64_t span = 1;
    for (int64_t i = 0; i < tensor.dim(); i++)
        span += (tensor.size(i) - 1) * tensor.stride(i);
    at::Tensor flat = tensor.as_strided({span}, {1}).clone();
    return flat.as_strided(tensor.sizes(), tensor.strides());
}

// Inputs for a run that must not change those of the call.
Stack copy_inputs(const Stack &inputs)
{
    Stack copies;
    for (const IValue &input : inputs)
        copies.push_back(copy_tensor(input.toTensor()));
    return copies;
}

// The executor observes types and shapes in a first run and optimises in the second.
void warm_up(const prepared &call)
{
    constexpr int runs = 3;
    bool writes = call.op.schema().is_mutable();
    for (int i = 0; i < runs; i++) {
        Stack stack = writes ? copy_inputs(call.inputs) : call.inputs;
        call.graph->run(stack);
    }
}

// There is nothing to freeze: all tensors are inputs.
void make_graph(prepared &call)
{
    std::shared_ptr<jit::Graph> graph;
    try {
        graph = script(call, call.inputs);
    } catch (const std::exception &) {
        call.inputs.clear();
        jit::Graph unused;
        for (const IValue &argument : call.arguments)
            if (holds_tensors(argument))
                place(unused, argument, call.inputs);
        graph = trace(call, call.inputs);
    }
    call.graph =
        std::make_unique<jit::GraphExecutor>(graph, c10::toString(call.op.operator_name()));
    warm_up(call);
}

void run_once(prepared &call)
{
    call.stack.clear();
    restore_geometry(call);
    if (call.graph) {
        call.stack.insert(call.stack.end(), call.inputs.begin(), call.inputs.end());
        call.graph->run(call.stack);
    } else {
        call.stack.insert(call.stack.end(), call.arguments.begin(), call.arguments.end());
        call.op.callBoxed(&call.stack);
    }
}

// The table

bilanx_error open_backend(const bilanx_host *host, const char *config, void **out, bool script)
{
    if (config)
        return error_of(BILANX_E_USAGE,
                        std::string("the backend takes no configuration: '") + config + "'");
    auto made = std::make_unique<state>();
    made->script = script;
    made->allocator = std::make_unique<host_allocator>(*host);
    made->before = c10::GetCPUAllocator();
    c10::SetCPUAllocator(made->allocator.get(), std::numeric_limits<uint8_t>::max());
    at::set_num_threads(host->threads > 0 ? host->threads : 1);
    *out = made.release();
    return error_of(BILANX_OK, "");
}

bilanx_error open_eager(const bilanx_host *host, const char *config, void **out)
{
    return open_backend(host, config, out, false);
}

bilanx_error open_script(const bilanx_host *host, const char *config, void **out)
{
    return open_backend(host, config, out, true);
}

const char *supports(void *opened, const bilanx_call *call)
{
    auto owner = static_cast<state *>(opened);
    try {
        OperatorHandle op = find_operator(call->name);
        check_kernel(op, *call);
        arguments_of(*call, op);
        return nullptr;
    } catch (const std::exception &error) {
        owner->message = message_of(error);
        return owner->message.c_str();
    }
}

bilanx_error prepare(void *opened, const bilanx_call *call, void **out)
{
    auto owner = static_cast<state *>(opened);
    try {
        OperatorHandle op = find_operator(call->name);
        check_kernel(op, *call);
        auto made = std::make_unique<prepared>(
            prepared{owner, op, arguments_of(*call, op), {}, nullptr, {}, {}, {}});
        remember_geometry(*made);
        if (owner->script)
            make_graph(*made);
        *out = made.release();
        return error_of(BILANX_OK, "");
    } catch (const refusal &error) {
        return error_of(BILANX_E_SKIPPED, message_of(error));
    } catch (const std::exception &error) {
        return error_of(BILANX_E_FAILED, message_of(error));
    }
}

const char *run(void *prepared_call)
{
    auto &call = *static_cast<prepared *>(prepared_call);
    try {
        run_once(call);
        return nullptr;
    } catch (const std::exception &error) {
        call.stack.clear();
        call.owner->message = message_of(error);
        return call.owner->message.c_str();
    }
}

bilanx_error outputs(void *prepared_call, bilanx_value *out)
{
    auto &call = *static_cast<prepared *>(prepared_call);
    try {
        call.results = {};
        bilanx_value value{};
        if (call.stack.size() == 1)
            value = export_value(call.stack[0], call.results);
        else if (!call.stack.empty())
            value = export_items(call.stack, BILANX_TUPLE, call.results);
        *out = value;
        return error_of(BILANX_OK, "");
    } catch (const std::exception &error) {
        return error_of(BILANX_E_FAILED, message_of(error));
    }
}

void release(void *prepared_call)
{
    delete static_cast<prepared *>(prepared_call);
}

// If another allocator has been set since, it will restore this one when it is closed, so this one
// stays.
void close(void *opened)
{
    auto owner = static_cast<state *>(opened);
    if (!owner)
        return;
    if (c10::GetCPUAllocator() == owner->allocator.get())
        c10::SetCPUAllocator(owner->before, std::numeric_limits<uint8_t>::max());
    else
        (void)owner->allocator.release();
    delete owner;
}

void describe(void *opened, char *out, size_t size)
{
    (void)opened;
    std::snprintf(out, size, "PyTorch %s", TORCH_VERSION);
}

}  // namespace

TORCH_LIBRARY(bilanx, library)
{
    library.def("null(Tensor self) -> Tensor", [](const at::Tensor &self) { return self; });
}

BILANX_BACKEND(.name = "torch", .about = "PyTorch's own kernels, called through its dispatcher",
               .open = open_eager, .supports = supports, .prepare = prepare, .run = run,
               .outputs = outputs, .release = release, .close = close, .describe = describe)

extern "C" BILANX_API const bilanx_backend bilanx_backend_table_torchscript;
const bilanx_backend bilanx_backend_table_torchscript = {
    BILANX_BACKEND_VERSION,
    "torchscript",
    "the call as an optimised graph of TorchScript",
    open_script,
    supports,
    prepare,
    run,
    outputs,
    release,
    close,
    describe};
