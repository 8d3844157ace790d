// torch_module: compiles the backends for PyTorch, or finds them in the cache.
#include "torch_module.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "backend_text.h"
#include "base/file.h"
#include "base/mem.h"
#include "sources/compile/building.h"
#include "torch_text.h"

// The text is self-contained: our headers come first, and lines that include them are left out.
// DLPack's header is part of PyTorch.
static void add_text(struct text *out, const unsigned char *bytes, size_t size)
{
    AUTO(text) struct text whole = {0};
    AUTO(list) struct list lines = {0};
    text_add_n(&whole, (const char *)bytes, size);
    list_split_lines(&lines, text_get(&whole));
    for (size_t i = 0; i < lines.count; i++) {
        const char *line = lines.items[i];
        bool ours = text_starts(line, "#include \"bilanx/") ||
                    text_starts(line, "#include <bilanx/") ||
                    text_starts(line, "#include <dlpack/");
        text_format(out, "%s\n", ours ? "" : line);
    }
}

static void write_source(struct text *out)
{
    text_add(out, "#include <ATen/dlpack.h>\n");
    add_text(out, backend_text, sizeof backend_text);
    add_text(out, torch_text, sizeof torch_text);
}

static void add_flags(const struct torch_place *place, struct list *flags)
{
    list_add(flags, "-std=gnu++17");
    list_add(flags, "-w");  // PyTorch's headers
    if (place->is_old_abi)
        list_add(flags, "-D_GLIBCXX_USE_CXX11_ABI=0");
    if (strcmp(place->root, "/usr") != 0) {
        list_add(flags, "-isystem");
        list_take(flags, mem_format("%s/include", place->root));
        list_take(flags, mem_format("-L%s/lib", place->root));
        list_take(flags, mem_format("-Wl,-rpath,%s/lib", place->root));
    }
    list_add(flags, "-ltorch_cpu");
    list_add(flags, "-lc10");
}

static struct bilanx_error compile(const struct building *wanted, const struct text *source,
                                   const struct digest *key, struct cache_entry *out)
{
    AUTO(building) struct building building = *wanted;
    BILANX_TRY(building_begin(&building));
    AUTO(memory) char *code = building_path(&building, "torch.cpp");
    AUTO(memory) char *object = building_path(&building, "torch.so");
    AUTO(memory) char *rule = building_path(&building, "torch.d");
    BILANX_TRY(file_write(code, text_get(source), source->size));
    AUTO(list) struct list argv = {0};
    toolchain_begin(building.toolchain, &argv);
    const char *const words[] = {"-shared", "-MD", "-MF", rule, "-o", object, code};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list_add(&argv, words[i]);
    toolchain_end(building.toolchain, false, &argv);
    AUTO(text) struct text diagnostics = {0};
    BILANX_TRY(building_run(&building, &argv, &diagnostics));
    building_inputs(&building, "torch.d");
    return cache_keep(building.cache, key, object, &building.inputs, building.started_ns, out);
}

// A process that arrives while another compiles waits and then finds the result.
static int lock(const struct cache *cache)
{
    AUTO(memory) char *path = mem_format("%s/torch-backend", cache->building);
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

struct bilanx_error torch_module_find(const struct torch_module_options *options, char **path)
{
    AUTO(torch_place) struct torch_place place = {0};
    AUTO(list) struct list flags = {0};
    AUTO(text) struct text source = {0};
    BILANX_TRY(torch_place_find(options, &place));
    add_flags(&place, &flags);
    write_source(&source);
    struct compile_options how = {.flags = flags, .directory = "/"};
    AUTO(toolchain) struct toolchain toolchain = {0};
    AUTO(cache) struct cache cache = {0};
    AUTO(cache_entry) struct cache_entry entry = {0};
    BILANX_TRY(toolchain_find(true, &how, &toolchain));
    BILANX_TRY(cache_open(options->cache, &cache));
    struct building building = {.toolchain = &toolchain, .options = &how, .cache = &cache};
    struct digest key = toolchain_key(&toolchain, &how, &source, false);
    if (!cache_find(&cache, &key, &entry)) {
        AUTO(fd) int locked = lock(&cache);
        (void)locked;
        if (!cache_find(&cache, &key, &entry)) {
            tell_line(
                &options->tell,
                "compiling the PyTorch backend, which takes about twenty seconds the first time");
            BILANX_TRY(compile(&building, &source, &key, &entry));
        }
    }
    *path = TAKE(entry.object);
    return BILANX_SUCCESS;
}
