// Loads a backend as bilanx does, and runs relu with it.
//
//     backend_host BACKEND.so
#include <bilanx/backend_tools.h>
#include <dlfcn.h>
#include <stdlib.h>

static void *allocate(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static int fails(struct bilanx_error error)
{
    if (error.status != BILANX_OK)
        fprintf(stderr, "%s\n", error.text);
    return error.status != BILANX_OK;
}

static int agrees(const struct bilanx_backend *backend, void *state, DLTensor *x, float *data)
{
    struct bilanx_value value = {.kind = BILANX_TENSOR, .tensor = x}, out;
    struct bilanx_call call = {
        .name = "aten.relu.default", .arguments = &value, .argument_count = 1};
    struct bilanx_call other = {
        .name = "aten.svd.default", .arguments = &value, .argument_count = 1};
    void *prepared;
    if (!backend->supports(state, &other) || backend->supports(state, &call))
        return 0;
    x->data = data;
    if (fails(backend->prepare(state, &call, &prepared)))
        return 0;
    int good = !backend->run(prepared) && !backend->run(prepared) &&
               !fails(backend->outputs(prepared, &out)) && out.kind == BILANX_TENSOR;
    for (int i = 0; good && i < 6; i++)
        good = BILANX_DATA(float, out.tensor)[i] == (data[i] < 0 ? 0 : data[i]);
    backend->release(prepared);
    return good;
}

int main(int argc, char **argv)
{
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    const struct bilanx_backend *backend = library ? dlsym(library, BILANX_BACKEND_SYMBOL) : NULL;
    if (!backend || backend->version != BILANX_BACKEND_VERSION) {
        fprintf(stderr, "no backend: %s\n", dlerror());
        return 1;
    }
    struct bilanx_host host = {BILANX_BACKEND_VERSION, 1, allocate, free, 0};
    int64_t shape[] = {2, 3};
    float data[] = {1, -2, 3, -4, 5, -6};
    DLTensor x = {
        .device = {.device_type = kDLCPU}, .ndim = 2, .dtype = {kDLFloat, 32, 1}, .shape = shape};
    void *state = NULL;
    if (backend->open && fails(backend->open(&host, NULL, &state)))
        return 1;
    int good = agrees(backend, state, &x, data);
    if (backend->close)
        backend->close(state);
    printf("%s: %s\n", backend->name, good ? "relu is right" : "relu is wrong");
    return !good;
}
