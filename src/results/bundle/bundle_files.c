// bundle_files: the smaller files of a bundle: manifest, records, commands.
#include <math.h>
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "bilanx/version.h"
#include "bundle_parts.h"

void bundle_entries_done(struct bundle_entries *entries)
{
    free(entries->items);
}

static void add_file(struct json_writer *json, const struct bundle_graph *graph)
{
    const struct {
        const struct text *content;
        const char *suffix;
    } files[] = {{&graph->svg, "svg"}, {&graph->png, "png"}};
    for (size_t i = 0; i < 2; i++) {
        AUTO(memory) char *name =
            graph->file ? mem_format("%s.%s", graph->file, files[i].suffix) : NULL;
        if (files[i].content->size)
            writer_text(json, name);
    }
}

static void add_case(struct json_writer *json, const struct bundle *bundle,
                     const struct bundle_case *item, size_t side)
{
    const struct bilanx_record *record = &item->parts[side].slots[BUNDLE_VERDICT];
    writer_open(json, '{');
    writer_key_text(json, "name", item->name);
    writer_key_text(json, "side", bundle->sides[side].name);
    if (record->error)
        writer_key_text(json, "verdict", record->error->code);
    else if (record->verdict)
        writer_key_text(json, "verdict", record->verdict->verdict);
    if (record->verdict && isfinite(record->verdict->change))
        writer_key_number(json, "change", record->verdict->change);
    writer_key(json, "files");
    writer_open(json, '[');
    add_file(json, &item->parts[side].difference);
    add_file(json, &item->parts[0].own);
    add_file(json, &item->parts[side].own);
    writer_close(json, ']');
    writer_close(json, '}');
}

void bundle_add_manifest(const struct bundle *bundle, struct text *out)
{
    struct json_writer json = {.out = out};
    writer_open(&json, '{');
    writer_key_text(&json, "schema", "bilanx-bundle/1");
    writer_key_text(&json, "version", bilanx_version());
    writer_key_text(&json, "command", bundle->command);
    writer_key(&json, "sides");
    writer_open(&json, '[');
    for (size_t i = 0; i < bundle->side_count; i++) {
        writer_open(&json, '{');
        writer_key_text(&json, "name", bundle->sides[i].name);
        writer_key_text(&json, "spec", bundle->sides[i].spec);
        writer_key_text(&json, "title", bundle->sides[i].title);
        writer_close(&json, '}');
    }
    writer_close(&json, ']');
    writer_key(&json, "cases");
    writer_open(&json, '[');
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 1; side < bundle->side_count; side++)
            add_case(&json, bundle, &bundle->cases[i], side);
    writer_close(&json, ']');
    writer_key(&json, "missing");
    writer_open(&json, '[');
    for (size_t i = 0; i < bundle->missing.count; i++)
        writer_text(&json, bundle->missing.items[i]);
    writer_close(&json, ']');
    writer_close(&json, '}');
    text_add(out, "\n");
}

// Verdicts first, then counts, then stacks.
void bundle_add_records(const struct bundle *bundle, struct text *out)
{
    for (size_t slot = 0; slot < BUNDLE_SLOTS; slot++)
        for (size_t i = 0; i < bundle->case_count; i++)
            for (size_t side = 0; side < bundle->side_count; side++) {
                const struct bilanx_record *record = &bundle->cases[i].parts[side].slots[slot];
                AUTO(memory) char *json = record->kind ? bilanx_record_json(record) : NULL;
                if (json)
                    text_format(out, "%s\n", json);
            }
}

void bundle_add_commands(const struct bundle *bundle, struct text *out)
{
    text_add_harmless(out, bundle->command);
    text_format(out, "\n\nbilanx %s\n", bilanx_version());
    for (size_t i = 0; i < bundle->side_count; i++) {
        const struct bundle_side *side = &bundle->sides[i];
        text_add_harmless(out, side->name);
        text_add(out, ": ");
        text_add_harmless(out, side->spec);
        text_add(out, " (");
        text_add_harmless(out, side->title);
        text_add(out, ")\n");
    }
}
