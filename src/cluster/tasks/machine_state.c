// machine_state: examines a task's machine before it measures.
#include "machine_state.h"

#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "bilanx/doctor.h"
#include "bilanx/record.h"
#include "cluster/campaign/fitness.h"
#include "core/record/facts.h"
#include "core/record/records.h"
#include "core/timer/reference.h"
#include "support/digest/digest.h"
#include "support/json/json.h"

char *machine_kind(void)
{
    AUTO(memory) char *facts = machine_facts("");
    AUTO(json) json_t *object = NULL;
    struct utsname system = {0};
    uname(&system);
    if (read_json(facts, strlen(facts), "machine", &object).status != BILANX_OK)
        return mem_text(system.machine);
    const char *cpu = json_string_value(json_object_get(object, "cpu"));
    return mem_text(cpu ? cpu : system.machine);
}

// Code compiled on one machine runs on another of the same processor, system and libc.
static char *build_name(const char *kind)
{
    struct utsname system = {0};
    AUTO(text) struct text release = {0};
    uname(&system);
    AUTO(digester) struct digester *digester = digester_new();
    digester_add_text(digester, kind);
    if (file_read("/etc/os-release", &release).status == BILANX_OK)
        digester_add_text(digester, text_get(&release));
    digester_add_text(digester, gnu_get_libc_version());
    struct digest digest = digester_get(digester);
    char text[DIGEST_TEXT];
    return mem_format("%s-%.12s", system.machine, digest_text(&digest, text));
}

// The minimum of several runs, because disturbances only make it slower.
static double kernel_ns(void)
{
    enum { TIMES = 20 };
    struct clock clock;
    clock_open(&clock);
    double least = 0;
    for (int i = 0; i < TIMES; i++) {
        double now = reference_measure(&clock).kernel_ns;
        least = least == 0 || now < least ? now : least;
    }
    return least;
}

static void examine(struct list *failing)
{
    struct bilanx_doctor doctor = {0};
    bilanx_doctor_examine(NULL, &doctor);
    for (size_t i = 0; i < doctor.finding_count; i++)
        if (doctor.findings[i].grade == BILANX_FIX &&
            strcmp(doctor.findings[i].group, "tools") != 0)
            list_add(failing, doctor.findings[i].name);
    bilanx_doctor_done(&doctor);
}

static void add_counts(const char *output, struct list *out)
{
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, output);
    for (size_t i = 0; i < lines.count; i++) {
        AUTO(bilanx_record) struct bilanx_record record = {0};
        if (lines.items[i][0] == '{' &&
            bilanx_record_read(lines.items[i], strlen(lines.items[i]), "counts", &record).status ==
                BILANX_OK &&
            record.counts)
            list_take(out, mem_format("%s: %.0f", record.task.stmt, record.counts->per_iteration));
    }
}

// Counts in the same way as the run.
static const char *hwcaps_of(const struct run_folder *folder)
{
    static const char OPTION[] = "--hwcaps";
    const char *hwcaps = "x86-64-v2";
    for (size_t i = 0; i < folder->words.count; i++) {
        const char *word = folder->words.items[i];
        if (strcmp(word, OPTION) == 0 && i + 1 < folder->words.count)
            hwcaps = folder->words.items[i + 1];
        else if (text_starts(word, OPTION) && word[strlen(OPTION)] == '=')
            hwcaps = word + strlen(OPTION) + 1;
    }
    return hwcaps;
}

// Functions of libc that come in variants for different processors.
static void count_variants(const struct run_folder *folder, struct list *out)
{
    const char *const argv[] = {
        folder->program,
        "count",
        "--hwcaps",
        hwcaps_of(folder),
        "strlen(a)",
        "memcpy(b, a, 300)",
        "memchr(a, 1, 300)",
        "strcmp(a, b)",
        "-s",
        "char a[300], b[300]; memset(a, 'x', 299); a[299] = 0; strcpy(b, a)",
        "--quiet",
        "-o",
        "-",
        NULL};
    AUTO(text) struct text output = {0};
    int status = 0;
    if (capture_run(&(struct capture_options){.argv = argv, .timeout_s = 120}, &output, &status)
            .status == BILANX_OK)
        add_counts(text_get(&output), out);
}

static void find_counts(const struct run_folder *folder, struct run_node *node)
{
    AUTO(run_nodes) struct run_nodes nodes = {0};
    run_nodes_read(folder->path, &nodes);
    for (size_t i = 0; i < nodes.count; i++)
        if (text_equal(nodes.items[i].build, node->build) && nodes.items[i].counts.count) {
            list_add_all(&node->counts, &nodes.items[i].counts);
            return;
        }
    count_variants(folder, &node->counts);
}

void machine_state(const struct run_folder *folder, const char *name, struct run_node *out)
{
    *out = (struct run_node){.name = mem_text(name), .kind = machine_kind()};
    out->build = build_name(out->kind);
    if (!folder->unchecked) {
        out->kernel_ns = kernel_ns();
        examine(&out->failing);
    }
    if (folder->counted)
        find_counts(folder, out);
}

bool machine_is_unfit(const struct run_nodes *nodes, size_t index, struct text *why)
{
    AUTO(memory) struct fitness *all = mem_array(struct fitness, nodes->count);
    for (size_t i = 0; i < nodes->count; i++)
        all[i] =
            (struct fitness){nodes->items[i].name, nodes->items[i].kind, nodes->items[i].kernel_ns,
                             (const char *const *)nodes->items[i].failing.items};
    return fitness_refuses(all, nodes->count, index, why);
}
