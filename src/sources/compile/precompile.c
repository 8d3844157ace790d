// precompile: headers that take seconds to parse are compiled once per environment.
//
// The result is an ordinary cache entry, valid while all those headers are unchanged. gcc and clang
// look for it next to the included name, so links are placed there.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#include "base/file.h"
#include "base/mem.h"
#include "building.h"

static struct bilanx_error compile_header(const struct building *wanted, const struct text *prelude,
                                          const struct digest *key, struct cache_entry *out)
{
    AUTO(building) struct building building = {
        .toolchain = wanted->toolchain, .options = wanted->options, .cache = wanted->cache};
    BILANX_TRY(building_begin(&building));
    AUTO(memory) char *header = building_path(&building, "h.hpp");
    AUTO(memory) char *compiled = building_path(&building, "h.hpp.gch");
    AUTO(memory) char *rule = building_path(&building, "h.d");
    BILANX_TRY(file_write(header, text_get(prelude), prelude->size));
    AUTO(list) struct list argv = {0};
    toolchain_begin(building.toolchain, &argv);
    const char *const words[] = {"-c",         "-MD",  "-MF", rule,    "-x",
                                 "c++-header", header, "-o",  compiled};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list_add(&argv, words[i]);
    list_add(&argv, "-Wno-unused-command-line-argument");
    toolchain_end(building.toolchain, false, &argv);
    AUTO(text) struct text diagnostics = {0};
    BILANX_TRY(building_run(&building, &argv, &diagnostics));
    building_inputs(&building, "h.d");
    return cache_keep(building.cache, key, compiled, &building.inputs, building.started_ns, out);
}

static struct bilanx_error link_to(const struct building *building, const char *object)
{
    static const char *const names[] = {"h.hpp.gch", "h.hpp.pch"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        AUTO(memory) char *link = building_path(building, names[i]);
        if (symlink(object, link) != 0)
            return bilanx_error_make(BILANX_E_SYSTEM, "cannot make '%s': %s", link,
                                     strerror(errno));
    }
    return BILANX_SUCCESS;
}

// A process that arrives while another precompiles waits and then finds the result.
static int lock(const struct building *building)
{
    AUTO(memory) char *path = mem_format("%s/precompiling", building->cache->building);
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        flock(fd, LOCK_EX);
    return fd;
}

// Omits linker flags and the statement's includes, which do not affect the header.
static struct digest key_of(const struct building *building, const struct text *prelude)
{
    AUTO(list) struct list flags = {0};
    for (size_t i = 0; i < building->toolchain->flags.count; i++) {
        const char *flag = building->toolchain->flags.items[i];
        if (!text_starts(flag, "-Wl,") && !text_starts(flag, "-l") && !text_starts(flag, "-L"))
            list_add(&flags, flag);
    }
    struct toolchain compiling = *building->toolchain;
    compiling.flags = flags;
    struct compile_options options = *building->options;
    options.quoted = (struct list){0};
    return toolchain_key(&compiling, &options, prelude, false);
}

bool precompile_pays(const struct building *building, const struct text *prelude)
{
    static const char mark[] = "// needed before\n";
    AUTO(cache_entry) struct cache_entry entry = {0};
    AUTO(text) struct text marked = {0};
    text_add(&marked, text_get(prelude));
    text_add(&marked, mark);
    struct digest key = key_of(building, &marked);
    if (cache_find(building->cache, &key, &entry))
        return true;
    AUTO(memory) char *path = building_path(building, "mark");
    if (file_write(path, mark, sizeof mark - 1).status == BILANX_OK)
        (void)cache_keep(building->cache, &key, path, &(struct list){0}, building->started_ns,
                         &entry);
    return false;
}

struct bilanx_error precompile(struct building *building, const struct text *prelude, bool make)
{
    AUTO(cache_entry) struct cache_entry entry = {0};
    struct digest key = key_of(building, prelude);
    bool there = cache_find(building->cache, &key, &entry);
    if (!there && !make)
        return BILANX_SUCCESS;
    if (!there) {
        AUTO(fd) int locked = lock(building);
        (void)locked;
        if (!cache_find(building->cache, &key, &entry))
            BILANX_TRY(compile_header(building, prelude, &key, &entry));
    }
    // The text itself, for a compiler that cannot use the precompiled form.
    AUTO(memory) char *header = building_path(building, "h.hpp");
    BILANX_TRY(file_write(header, text_get(prelude), prelude->size));
    BILANX_TRY(link_to(building, entry.object));
    building->precompiled = true;
    return BILANX_SUCCESS;
}
