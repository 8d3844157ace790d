// Whatever a case, a side or a command is called: its files stay in their folder, and in the page
// it is text.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "results/bundle/bundle_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *name)
{
    AUTO(memory) char *entry = entry_name(name);
    size_t size = strlen(entry);
    assert(size > 0 && size <= ENTRY_NAME_LONGEST && !strstr(entry, ".."));
    assert(!strpbrk(entry, "/\\<>\"'&:|?*%#` \t\n") && !strchr("-._=+", entry[0]));
    for (size_t at = 0; at < size;) {
        size_t step = text_character((const unsigned char *)entry + at, NULL);
        assert(step > 0);
        at += step;
    }
    AUTO(memory) char *again = entry_name(entry);
    assert(strcmp(entry, again) == 0);
}

static struct text page_about(const char *name)
{
    const struct bundle_side sides[] = {{name, name, name}, {name, name, name}};
    AUTO(bundle) struct bundle *bundle =
        bundle_new(&(struct bundle_options){.sides = sides, .side_count = 2, .command = name});
    struct bilanx_record record = {.kind = mem_text("verdict"),
                                   .verdict = mem_new(struct bilanx_verdict)};
    record.verdict->verdict = mem_text("slower");
    record.verdict->change = .5;
    bundle_take(bundle, name, 1, BUNDLE_VERDICT, &record);
    bundle_miss(bundle, "graphs: %s", name);
    struct text page = {0};
    bundle_add_page(bundle, &(struct bundle_entries){0}, &page);
    return page;
}

static size_t count(const struct text *text, char c)
{
    size_t found = 0;
    for (size_t i = 0; i < text->size; i++)
        found += text->data[i] == c;
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(memory) char *name = mem_text_n((const char *)data, size);
    check_name(name);
    AUTO(text) struct text page = page_about(name), plain = page_about("x");
    assert(count(&page, '<') == count(&plain, '<'));
    assert(count(&page, '>') == count(&plain, '>'));
    assert(count(&page, '"') == count(&plain, '"'));
    return 0;
}
