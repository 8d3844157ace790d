// bundle: keeps the records of a comparison by case and side.
#include "bundle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bundle_parts.h"

struct bundle *bundle_new(const struct bundle_options *options)
{
    struct bundle *bundle = mem_new(struct bundle);
    bundle->side_count = options->side_count;
    bundle->sides = mem_array(struct bundle_side, options->side_count);
    for (size_t i = 0; i < options->side_count; i++)
        bundle->sides[i] = (struct bundle_side){.name = mem_text(options->sides[i].name),
                                                .spec = mem_text(options->sides[i].spec),
                                                .title = mem_text(options->sides[i].title)};
    bundle->command = mem_text(options->command ? options->command : "");
    bundle->all = options->all;
    return bundle;
}

static void graph_done(struct bundle_graph *graph)
{
    free(graph->file);
    free(graph->remark);
    text_done(&graph->svg);
    text_done(&graph->png);
}

static void case_done(struct bundle_case *item, size_t side_count)
{
    for (size_t i = 0; i < side_count; i++) {
        for (size_t slot = 0; slot < BUNDLE_SLOTS; slot++)
            bilanx_record_done(&item->parts[i].slots[slot]);
        graph_done(&item->parts[i].own);
        graph_done(&item->parts[i].difference);
    }
    free(item->parts);
    free(item->name);
    free(item->stem);
}

void bundle_free(struct bundle *bundle)
{
    if (!bundle)
        return;
    for (size_t i = 0; i < bundle->case_count; i++)
        case_done(&bundle->cases[i], bundle->side_count);
    for (size_t i = 0; i < bundle->side_count; i++) {
        free((char *)bundle->sides[i].name);
        free((char *)bundle->sides[i].spec);
        free((char *)bundle->sides[i].title);
    }
    free(bundle->cases);
    free(bundle->sides);
    free(bundle->command);
    text_done(&bundle->text);
    text_done(&bundle->markdown);
    entry_names_done(&bundle->stems);
    index_done(&bundle->by_name);
    list_done(&bundle->missing);
    free(bundle);
}

static struct hash key_of(const char *name)
{
    struct hash key = hash_start();
    hash_add_text(&key, name);
    return key;
}

static struct bundle_case *find_or_add(struct bundle *bundle, const char *name)
{
    bool added = false;
    size_t place = index_find_or_add(&bundle->by_name, key_of(name), bundle->case_count, &added);
    if (!added)
        return &bundle->cases[place];
    AUTO(memory) char *plain = entry_name(name);
    mem_grow(bundle->cases, bundle->case_count, &bundle->case_room);
    struct bundle_case *item = &bundle->cases[bundle->case_count++];
    *item = (struct bundle_case){.name = mem_text(name),
                                 .stem = entry_names_add(&bundle->stems, plain),
                                 .parts = mem_array(struct bundle_part, bundle->side_count)};
    return item;
}

void bundle_take(struct bundle *bundle, const char *name, size_t side, enum bundle_slot slot,
                 struct bilanx_record *record)
{
    if (!record->kind || side >= bundle->side_count)
        return;
    struct bilanx_record *place = &find_or_add(bundle, name)->parts[side].slots[slot];
    bilanx_record_done(place);
    *place = *record;
    *record = (struct bilanx_record){0};
}

void bundle_add_tables(struct bundle *bundle, const char *text, const char *markdown)
{
    text_format(&bundle->text, "%s%s", bundle->text.size ? "\n" : "", text);
    text_format(&bundle->markdown, "%s%s", bundle->markdown.size ? "\n" : "", markdown);
}

const struct bilanx_verdict *part_verdict(const struct bundle_part *part)
{
    return part->slots[BUNDLE_VERDICT].verdict;
}

bool part_is_slower(const struct bundle_part *part)
{
    const struct bilanx_verdict *verdict = part_verdict(part);
    return verdict &&
           (text_equal(verdict->verdict, "slower") || text_equal(verdict->verdict, "seems-slower"));
}

bool bundle_is_examined(const struct bundle *bundle, const struct bundle_case *item)
{
    for (size_t i = 1; i < bundle->side_count; i++)
        if (part_is_slower(&item->parts[i]) || (bundle->all && part_verdict(&item->parts[i])))
            return true;
    return false;
}

bool bundle_examines(const struct bundle *bundle, const char *name)
{
    size_t place = index_find(&bundle->by_name, key_of(name));
    return place != SIZE_MAX && bundle_is_examined(bundle, &bundle->cases[place]);
}

bool bundle_has(const struct bundle *bundle, const char *name)
{
    return index_find(&bundle->by_name, key_of(name)) != SIZE_MAX;
}

bool bundle_examines_any(const struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        if (bundle_is_examined(bundle, &bundle->cases[i]))
            return true;
    return false;
}

bool bundle_is_empty(const struct bundle *bundle)
{
    return bundle->case_count == 0;
}

void bundle_miss(struct bundle *bundle, const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < bundle->missing.count; i++)
        if (strcmp(bundle->missing.items[i], line) == 0)
            return;
    list_add(&bundle->missing, line);
}

const struct list *bundle_missing(const struct bundle *bundle)
{
    return &bundle->missing;
}

char *bundle_role(const struct bundle *bundle, size_t side)
{
    if (side == 0)
        return mem_text("base");
    AUTO(memory) char *name = entry_name(bundle->sides[side].name);
    return bundle->side_count == 2 ? mem_text("branch") : mem_format("branch-%s", name);
}

const char *bundle_machine(const struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->case_count; i++)
        for (size_t side = 0; side < bundle->side_count; side++)
            for (size_t slot = 0; slot < BUNDLE_SLOTS; slot++)
                if (bundle->cases[i].parts[side].slots[slot].machine)
                    return bundle->cases[i].parts[side].slots[slot].machine;
    return NULL;
}
