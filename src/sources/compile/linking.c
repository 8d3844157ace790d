// linking: links object files into the shared object that is measured.
#include "linking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "layouts.h"
#include "rules.h"

static const double AR_TIMEOUT_S = 60;

// One linker call.
struct link {
    const struct list *objects;
    const char *output, *exports;
    const char *trace;  // linker flag; NULL: none
    bool math;
};

static struct bilanx_error run_linker(const struct building *building, const struct link *link,
                                      struct text *output)
{
    AUTO(list) struct list argv = {0};
    toolchain_begin(building->toolchain, &argv);
    list_add(&argv, "-shared");
    list_add(&argv, "-Wl,-z,now,-z,defs");
    list_take(&argv, mem_format("-Wl,--dependency-file=%s/s.ld", building->workplace.path));
    list_take(&argv, mem_format("-Wl,--version-script=%s", link->exports));
    if (link->trace)
        list_add(&argv, link->trace);
    list_add(&argv, "-o");
    list_add(&argv, link->output);
    list_add_all(&argv, link->objects);
    toolchain_end(building->toolchain, link->math, &argv);
    return building_run(building, &argv, output);
}

static struct bilanx_error write_layout(const struct building *building,
                                        const struct layouts *layouts, unsigned layout,
                                        size_t count, struct list *out)
{
    for (size_t i = 0; i < count; i++) {
        AUTO(memory) char *name = mem_format("l%u.%s", layout, layouts->files[i].name);
        AUTO(memory) char *path = building_path(building, name);
        BILANX_TRY(layouts_write(layouts, i, layout, path));
        list_take(out, TAKE(path));
    }
    return BILANX_SUCCESS;
}

// Archive members are added to every layout but the first, for which the linker finds them.
static struct bilanx_error write_layouts(const struct building *building,
                                         const struct layouts *layouts, const struct list *compiled,
                                         struct list *out)
{
    if (layouts->constructs && building->layouts > 1)
        BILANX_TRY(write_layout(building, layouts, 0, compiled->count, out));
    else
        list_add_all(out, compiled);
    for (unsigned layout = 1; layout < building->layouts; layout++)
        BILANX_TRY(write_layout(building, layouts, layout, layouts->file_count, out));
    return BILANX_SUCCESS;
}

// Compiler runtime archives are excluded: statements spend no time in them.
static bool is_archive(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t size = strlen(name);
    return size > 2 && strcmp(name + size - 2, ".a") == 0 && !text_starts(name, "libgcc") &&
           !text_starts(name, "libc_nonshared") && !text_starts(name, "libclang_rt");
}

// Extracts the member named by a line "(/usr/lib/libz.a)adler32.o" of the linker's trace.
static struct bilanx_error extract(const struct building *building, const char *line,
                                   struct list *members)
{
    AUTO(memory) char *archive = mem_text_n(line + 1, strcspn(line + 1, ")"));
    if (line[0] != '(' || !line[strlen(archive) + 1] || !is_archive(archive))
        return BILANX_SUCCESS;
    const char *member = line + strlen(archive) + 2;
    const char *const argv[] = {"ar",    "x",    "--output", building->workplace.path,
                                archive, member, NULL};
    AUTO(text) struct text output = {0};
    int status = 0;
    BILANX_TRY(capture_run(&(struct capture_options){.argv = argv,
                                                     .directory = building->options->directory,
                                                     .timeout_s = AR_TIMEOUT_S},
                           &output, &status));
    AUTO(memory) char *extracted = building_path(building, member);
    AUTO(memory) char *name = mem_format("m%zu.o", members->count);
    AUTO(memory) char *path = building_path(building, name);
    if (status != 0 || rename(extracted, path) != 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot extract '%s' from '%s': %.*s", member,
                                 archive, (int)strcspn(text_get(&output), "\n"), text_get(&output));
    list_take(members, TAKE(path));
    return BILANX_SUCCESS;
}

static bool links_archives(const struct building *building)
{
    AUTO(list) struct list files = {0};
    AUTO(memory) char *rule = building_path(building, "s.ld");
    rules_read(rule, building->workplace.path, building->options->directory, &files);
    for (size_t i = 0; i < files.count; i++)
        if (is_archive(files.items[i]))
            return true;
    return false;
}

// Finds the members that the linker took from archives, and extracts them to files.
static struct bilanx_error find_members(const struct building *building, const struct link *link,
                                        struct list *members)
{
    AUTO(text) struct text output = {0};
    AUTO(list) struct list lines = {0};
    struct link traced = *link;
    traced.trace = "-Wl,-t,-t";
    BILANX_TRY(run_linker(building, &traced, &output));
    list_split_lines(&lines, text_get(&output));
    for (size_t i = 0; i < lines.count; i++)
        BILANX_TRY(extract(building, lines.items[i], members));
    return BILANX_SUCCESS;
}

// Reads the files, decides on the number of layouts, and links.
static struct bilanx_error link_sharing(struct building *building, const struct list *compiled,
                                        const struct list *members, size_t sharing,
                                        struct link *link, struct text *diagnostics)
{
    AUTO(layouts) struct layouts layouts = {0};
    AUTO(list) struct list files = {0}, linked = {0};
    AUTO(text) struct text exports = {0};
    list_add_all(&files, compiled);
    list_add_all(&files, members);
    struct bilanx_error error = layouts_read(&files, sharing, &layouts);
    if (error.status != BILANX_OK)  // LLVM bitcode, or an unknown machine
        layouts.fixed = "its objects hold no machine code (link-time optimisation?)";
    unsigned wanted = building->options->layouts;
    building->layouts = layouts_count(&layouts, wanted);
    free(building->fixed);
    building->fixed = layouts.fixed && wanted > 1 ? mem_text(layouts.fixed) : NULL;
    layouts_write_exports(&layouts, &exports);
    BILANX_TRY(file_write(link->exports, text_get(&exports), exports.size));
    BILANX_TRY(write_layouts(building, &layouts, compiled, &linked));
    link->objects = &linked;
    return run_linker(building, link, diagnostics);
}

// C++ data that a library may also define is shared with it, unless an archive forbids that.
static struct bilanx_error link_layouts(struct building *building, const struct list *compiled,
                                        const struct list *members, struct link *link,
                                        struct text *diagnostics)
{
    size_t sharing = building->toolchain->cplusplus ? compiled->count : 0;
    struct bilanx_error error =
        link_sharing(building, compiled, members, sharing, link, diagnostics);
    if (error.status != BILANX_E_COMPILE || sharing == 0)
        return error;
    return link_sharing(building, compiled, members, 0, link, diagnostics);
}

// Links the first layout only; its exports are fixed.
static struct bilanx_error link_unit(struct building *building, const struct list *unit,
                                     struct link *link, struct text *diagnostics)
{
    AUTO(list) struct list files = {0};
    AUTO(text) struct text exports = {0};
    layouts_write_exports(&(struct layouts){0}, &exports);
    BILANX_TRY(file_write(link->exports, text_get(&exports), exports.size));
    list_add_all(&files, unit);
    list_add_all(&files, &building->objects);
    link->objects = &files;
    building->layouts = 1;
    return run_linker(building, link, diagnostics);
}

struct bilanx_error linking_run(struct building *building, const struct list *unit, bool math,
                                struct text *diagnostics)
{
    AUTO(list) struct list compiled = {0}, members = {0};
    AUTO(memory) char *output = building_path(building, "s.so");
    AUTO(memory) char *exports = building_path(building, "s.exports");
    struct link link = {.output = output, .exports = exports, .math = math};
    if (unit->count)
        return link_unit(building, unit, &link, diagnostics);
    list_take(&compiled, building_path(building, "s.o"));
    list_add_all(&compiled, &building->objects);
    BILANX_TRY(link_layouts(building, &compiled, &members, &link, diagnostics));
    if (building->layouts < 2 || !links_archives(building))
        return BILANX_SUCCESS;
    link.objects = &compiled;
    struct bilanx_error error = find_members(building, &link, &members);
    if (error.status == BILANX_OK)
        error = link_layouts(building, &compiled, &members, &link, diagnostics);
    if (error.status == BILANX_OK || error.status == BILANX_E_INTERRUPTED)
        return error;
    list_done(&members);  // archive code then keeps the linker's layout
    return link_layouts(building, &compiled, &members, &link, diagnostics);
}
