// bundle_save: writes the files of a bundle into a ZIP file.
//
// The file is written next to its place and renamed when it is complete, so no reader sees an
// incomplete one, and an earlier bundle survives a failure.
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "bundle_parts.h"
#include "support/archive/zip_file.h"

// The name of the first entry, at the start of the file, distinguishes a bundle from other ZIP
// files.
#define MANIFEST "bilanx-bundle.json"
static const struct output_kind output_bundle = {
    .name = "a bundle", .starts = "PK\3\4", .holds = MANIFEST, .whole = true};

static char *folder_of(const char *path)
{
    AUTO(memory) char *copy = mem_text(path);
    return mem_text(dirname(copy));
}

static struct bilanx_error cannot_write(const char *path, const char *why)
{
    return bilanx_error_make(BILANX_E_SYSTEM, "cannot write the bundle '%s': %s", path, why);
}

// If it is a link, its target is meant.
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : mem_text(path);
}

struct bilanx_error bundle_check(const char *path, enum output_mode mode)
{
    struct stat facts;
    if (!*path || strcmp(path, "-") == 0)
        return bilanx_error_make(BILANX_E_USAGE,
                                 "--bundle needs the name of a file, such as out.zip");
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return bilanx_error_make(BILANX_E_USAGE, "cannot write the bundle '%s': not a regular file",
                                 path);
    AUTO(memory) char *real = real_path(path);
    AUTO(memory) char *folder = folder_of(real);
    if (access(folder, W_OK | X_OK) != 0)
        return cannot_write(path, strerror(errno));
    BILANX_TRY(output_check(path, &output_bundle, mode));
    return zip_file_check();
}

// ---- Contents

static void add(struct bundle_entries *entries, const char *name, const char *what,
                const struct text *content)
{
    if (!content->size)
        return;
    mem_grow(entries->items, entries->count, &entries->room);
    entries->items[entries->count++] = (struct bundle_entry){name, what, content};
}

static void add_graph(struct bundle_entries *entries, struct list *names,
                      const struct bundle_graph *graph, const char *what)
{
    if (!graph->file)
        return;
    list_take(names, mem_format("%s.svg", graph->file));
    add(entries, names->items[names->count - 1], what, &graph->svg);
    list_take(names, mem_format("%s.png", graph->file));
    add(entries, names->items[names->count - 1], "the same as a picture", &graph->png);
}

static void add_graphs(const struct bundle *bundle, struct bundle_entries *entries,
                       struct list *names)
{
    for (size_t i = 0; i < bundle->case_count; i++) {
        const struct bundle_case *item = &bundle->cases[i];
        for (size_t side = 1; side < bundle->side_count; side++)
            add_graph(entries, names, &item->parts[side].difference, "flame graph, the difference");
        for (size_t side = 0; side < bundle->side_count; side++)
            add_graph(entries, names, &item->parts[side].own, "flame graph");
    }
}

static struct bilanx_error write_entries(const struct bundle *bundle, struct zip_file *zip)
{
    AUTO(bundle_entries) struct bundle_entries entries = {0};
    AUTO(list) struct list names = {0};
    AUTO(text) struct text manifest = {0}, page = {0}, summary = {0}, counts = {0};
    AUTO(text) struct text counts_markdown = {0}, records = {0}, machine = {0}, commands = {0};
    bundle_add_manifest(bundle, &manifest);
    bundle_add_summary(bundle, &summary);
    bundle_add_counts(bundle, BILANX_TABLE, &counts);
    bundle_add_counts(bundle, BILANX_MARKDOWN, &counts_markdown);
    bundle_add_records(bundle, &records);
    bundle_add_commands(bundle, &commands);
    if (bundle_machine(bundle))
        text_format(&machine, "%s\n", bundle_machine(bundle));
    add(&entries, "summary.md", "to paste into a pull request", &summary);
    add(&entries, "verdicts.txt", "the table of verdicts", &bundle->text);
    add(&entries, "verdicts.md", "the same in Markdown", &bundle->markdown);
    add(&entries, "counts.txt", "instructions per call, by function", &counts);
    add(&entries, "counts.md", "the same in Markdown", &counts_markdown);
    add(&entries, "records.jsonl", "all records, for bilanx compare and flame", &records);
    add(&entries, "machine.json", "where it was measured", &machine);
    add(&entries, "commands.txt", "how it was made", &commands);
    add_graphs(bundle, &entries, &names);
    bundle_add_page(bundle, &entries, &page);
    BILANX_TRY(zip_file_add(zip, MANIFEST, manifest.data, manifest.size));
    BILANX_TRY(zip_file_add(zip, "index.html", page.data, page.size));
    for (size_t i = 0; i < entries.count; i++)
        BILANX_TRY(zip_file_add(zip, entries.items[i].name, entries.items[i].content->data,
                                entries.items[i].content->size));
    return zip_file_end(zip);
}

// ---- Files

// For builds that must be reproducible: https://reproducible-builds.org/specs/source-date-epoch/
static time_t time_of_entries(void)
{
    static const time_t EARLIEST = 315532800;  // 1980, as far back as a ZIP file can say
    const char *chosen = getenv("SOURCE_DATE_EPOCH");
    double seconds = 0;
    time_t made = chosen && number_read(chosen, &seconds) ? (time_t)seconds : time(NULL);
    return made < EARLIEST ? EARLIEST : made;
}

static struct bilanx_error write_zip(const struct bundle *bundle, int fd)
{
    AUTO(zip_file) struct zip_file *zip = NULL;
    BILANX_TRY(zip_file_begin(fd, time_of_entries(), &zip));
    BILANX_TRY(write_entries(bundle, zip));
    if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
        return bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(errno));
    return BILANX_SUCCESS;
}

// The mode that open() would give a new file.
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// A file that came into being since bundle_check() is not replaced either.
static struct bilanx_error put_in_place(const char *aside, const char *path, enum output_mode mode)
{
    bool fresh = mode == OUTPUT_NEW && access(path, F_OK) != 0;
    BILANX_TRY(output_check(path, &output_bundle, mode));
    if (renameat2(AT_FDCWD, aside, AT_FDCWD, path, fresh ? RENAME_NOREPLACE : 0) == 0)
        return BILANX_SUCCESS;
    // Some file systems cannot do that.
    if (errno == EINVAL && rename(aside, path) == 0)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(errno));
}

static struct bilanx_error save_at(const struct bundle *bundle, const char *path,
                                   enum output_mode mode)
{
    AUTO(memory) char *real = real_path(path);
    AUTO(memory) char *aside = mem_format("%s.XXXXXX", real);
    AUTO(fd) int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(errno));
    struct bilanx_error error = write_zip(bundle, fd);
    if (error.status == BILANX_OK && fchmod(fd, usual_mode()) != 0)
        error = bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(errno));
    if (error.status == BILANX_OK)
        error = put_in_place(aside, real, mode);
    if (error.status != BILANX_OK)
        unlink(aside);
    return error;
}

static void drop_graphs(struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 0; side < bundle->side_count; side++) {
            struct bundle_part *part = &bundle->cases[i].parts[side];
            struct bundle_graph *graphs[] = {&part->own, &part->difference};
            for (size_t g = 0; g < 2; g++) {
                text_done(&graphs[g]->svg);
                text_done(&graphs[g]->png);
                graphs[g]->svg = graphs[g]->png = (struct text){0};
            }
        }
}

// Where nothing is ever replaced.
static struct bilanx_error save_elsewhere(const struct bundle *bundle, char **out)
{
    const char *folder = getenv("TMPDIR");
    AUTO(memory) char *path =
        mem_format("%s/bilanx-bundle-XXXXXX.zip", folder && *folder ? folder : "/tmp");
    AUTO(fd) int fd = mkostemps(path, (int)strlen(".zip"), O_CLOEXEC);
    if (fd < 0)
        return bilanx_error_make(BILANX_E_SYSTEM, "%s", strerror(errno));
    struct bilanx_error error = write_zip(bundle, fd);
    if (error.status != BILANX_OK)
        unlink(path);
    else
        *out = TAKE(path);
    return error;
}

struct bilanx_error bundle_save(struct bundle *bundle, const char *path, enum output_mode mode)
{
    struct bilanx_error error = save_at(bundle, path, mode), first = error;
    if (error.status == BILANX_OK)
        return error;
    AUTO(memory) char *elsewhere = NULL;
    if (save_elsewhere(bundle, &elsewhere).status == BILANX_OK)
        return bilanx_error_make(first.status,
                                 "cannot write the bundle '%s': %s (it was saved as '%s')", path,
                                 first.text, elsewhere);
    drop_graphs(bundle);
    bundle_miss(bundle, "graphs: %s", first.text);
    error = save_at(bundle, path, mode);
    if (error.status == BILANX_OK)
        return bilanx_error_make(first.status, "the bundle '%s' has no graphs: %s", path,
                                 first.text);
    return cannot_write(path, first.text);
}
