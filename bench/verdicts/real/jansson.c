// jansson: parses a small document. Its archive links only into programs.
#include <jansson.h>

#include "work.h"

static const char text[] =
    "{\"name\": \"Anna\", \"tags\": [\"a\", null, true], \"at\": {\"x\": 1.5}}";

static size_t parse(void);

// Definitions, in any order.

static size_t parse(void)
{
    json_t *document = json_loads(text, 0, NULL);
    size_t count = json_object_size(document);
    json_decref(document);
    return count;
}

void prepare(void)
{
    json_object_seed(1);  // otherwise hashes differ in every process
    EXPECT(parse() == 3);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(parse());
}
