// records: bilanx's own records, one per line; read one at a time.
#include "document.h"
#include "format.h"

static bool recognises(const char *bytes, size_t size)
{
    return document_begins_with(bytes, size, 1, "schema");
}

static void write_records(const struct bilanx_record *records, size_t count, FILE *out,
                          struct losses *losses)
{
    (void)losses;
    for (size_t i = 0; i < count; i++) {
        AUTO(memory) char *line = bilanx_record_json(&records[i]);
        fprintf(out, "%s\n", line);
    }
}

const struct format format_bilanx = {
    .face = {.name = "bilanx",
             .summary = "bilanx records, one JSON object per line",
             .extensions = " .jsonl .ndjson "},
    .recognises = recognises,
    .read = reader_each,
    .write = write_records,
};
