// tree: converts libyaml's document to ours: expands aliases, within limits, and checks every key.
#include "tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/lines.h"
#include "base/mem.h"

struct tree_memory {
    struct tree_memory *next;
    max_align_t content[];
};

void *tree_keep(struct yaml *yaml, size_t count, size_t size)
{
    struct tree_memory *memory = mem_zeroed(1, sizeof *memory + count * size);
    memory->next = yaml->memory;
    yaml->memory = memory;
    return memory->content;
}

void tree_done(struct yaml *yaml)
{
    while (yaml->memory) {
        struct tree_memory *next = yaml->memory->next;
        free(yaml->memory);
        yaml->memory = next;
    }
    free(yaml->name);
    free(yaml->source);
    *yaml = (struct yaml){0};
}

const struct tree_node *tree_get(const struct tree_node *map, const char *key)
{
    for (size_t i = 0; map->kind == YAML_MAP && i < map->count; i++)
        if (strcmp(map->pairs[i].key.text, key) == 0)
            return &map->pairs[i].value;
    return NULL;
}

const char *tree_kind_word(const struct tree_node *node)
{
    static const char *const words[] = {"text", "a list", "a mapping"};
    return node->nothing ? "nothing" : words[node->kind];
}

struct bilanx_error tree_error(const struct yaml *yaml, const struct tree_node *at,
                               const char *format, ...)
{
    char text[sizeof((struct bilanx_error *)0)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bilanx_error_make(BILANX_E_INPUT, "%s:%u:%u: %s", yaml->name, at->line, at->column,
                             text);
}

// Suggests what usually causes a libyaml error.
static const char *cure_of(const char *problem)
{
    static const struct {
        const char *problem, *cure;
    } cures[] = {
        {"mapping values are not allowed",
         "is the indentation right? Quote a text that contains ': '"},
        {"did not find expected key", "is the indentation right?"},
        {"could not find expected ':'", "a key ends in ': '"},
        {"cannot start any token",
         "indent with spaces, not tabs; quote a text that starts with one of @ ` % & *"},
        {"found undefined alias", "an alias '*name' needs an anchor '&name' before it; quote a "
                                  "text that starts with '*'"},
        {"unknown escape", "double the backslash inside double quotes"},
    };
    for (size_t i = 0; i < sizeof cures / sizeof *cures; i++)
        if (strstr(problem, cures[i].problem))
            return cures[i].cure;
    return NULL;
}

static struct bilanx_error parser_error(const struct yaml *yaml, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "out of memory";
    const char *cure = cure_of(problem);
    // libyaml's byte reader sets an offset, not a mark.
    bool reader = parser->error == YAML_READER_ERROR;
    yaml_mark_t mark = reader ? parser->mark : parser->problem_mark;
    return bilanx_error_make(BILANX_E_INPUT, "%s:%zu:%zu: %s%s%s%s", yaml->name, mark.line + 1,
                             mark.column + 1, problem, cure ? " (" : "", cure ? cure : "",
                             cure ? ")" : "");
}

static struct tree_node node_at(yaml_mark_t mark)
{
    return (struct tree_node){
        .line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1, .start = mark.index};
}

// Counts one event towards the limits of a file.
static struct bilanx_error count_event(const struct yaml *yaml, const yaml_event_t *event,
                                       unsigned *depth, unsigned *anchors)
{
    const unsigned char *anchor = NULL;
    if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) {
        bool list = event->type == YAML_SEQUENCE_START_EVENT;
        anchor = list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor;
        ++*depth;
    } else if (event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT) {
        --*depth;
    } else if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
    }
    *anchors += anchor != NULL;
    struct tree_node at = node_at(event->start_mark);
    if (*depth > YAML_DEEPEST)
        return tree_error(yaml, &at, "nested over %d deep", YAML_DEEPEST);
    if (*anchors > YAML_MOST_ANCHORS)
        return tree_error(yaml, &at, "the file has over %d anchors", YAML_MOST_ANCHORS);
    return BILANX_SUCCESS;
}

// libyaml takes quadratic time for deep nesting and for many anchors: minutes for a megabyte.
// Counting its events lets us stop early enough.
static struct bilanx_error check_limits(const struct yaml *yaml, yaml_parser_t *parser)
{
    unsigned depth = 0, anchors = 0;
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return parser_error(yaml, parser);
        struct bilanx_error error = count_event(yaml, &event, &depth, &anchors);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        BILANX_TRY(error);
    }
    return BILANX_SUCCESS;
}

struct growth {  // state while building the tree
    struct yaml *yaml;
    yaml_document_t *document;
    size_t nodes;
    unsigned depth;
};

static struct bilanx_error grow(struct growth *growth, int id, struct tree_node *out);

static struct bilanx_error grow_text(struct growth *growth, const yaml_node_t *from,
                                     struct tree_node *out)
{
    size_t size = from->data.scalar.length;
    if (memchr(from->data.scalar.value, 0, size))
        return tree_error(growth->yaml, out, "text cannot contain a NUL character");
    char *text = tree_keep(growth->yaml, size + 1, 1);
    memcpy(text, from->data.scalar.value, size);
    out->kind = YAML_TEXT;
    out->text = text;
    out->nothing = size == 0 && from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return BILANX_SUCCESS;
}

static struct bilanx_error grow_list(struct growth *growth, const yaml_node_t *from,
                                     struct tree_node *out)
{
    const yaml_node_item_t *start = from->data.sequence.items.start;
    size_t count = (size_t)(from->data.sequence.items.top - start);
    struct tree_node *items = tree_keep(growth->yaml, count, sizeof *items);
    out->kind = YAML_LIST;
    out->items = items;
    for (; out->count < count; out->count++)
        BILANX_TRY(grow(growth, start[out->count], &items[out->count]));
    return BILANX_SUCCESS;
}

static struct bilanx_error check_key(struct growth *growth, const struct tree_pair *pairs,
                                     size_t at, struct index *seen)
{
    const struct tree_node *key = &pairs[at].key;
    if (key->kind != YAML_TEXT || key->nothing)
        return tree_error(growth->yaml, key, "a key must be text, not %s", tree_kind_word(key));
    struct hash hash = hash_start();
    hash_add_text(&hash, key->text);
    bool added = false;
    size_t first = index_find_or_add(seen, hash, at, &added);
    if (!added)
        return tree_error(growth->yaml, key, "'%s' appears twice, first on line %u", key->text,
                          pairs[first].key.line);
    return BILANX_SUCCESS;
}

static struct bilanx_error grow_map(struct growth *growth, const yaml_node_t *from,
                                    struct tree_node *out)
{
    const yaml_node_pair_t *start = from->data.mapping.pairs.start;
    size_t count = (size_t)(from->data.mapping.pairs.top - start);
    struct tree_pair *pairs = tree_keep(growth->yaml, count, sizeof *pairs);
    AUTO(index) struct index seen = {0};
    out->kind = YAML_MAP;
    out->pairs = pairs;
    for (; out->count < count; out->count++) {
        BILANX_TRY(grow(growth, start[out->count].key, &pairs[out->count].key));
        BILANX_TRY(check_key(growth, pairs, out->count, &seen));
        BILANX_TRY(grow(growth, start[out->count].value, &pairs[out->count].value));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error grow(struct growth *growth, int id, struct tree_node *out)
{
    const yaml_node_t *from = yaml_document_get_node(growth->document, id);
    *out = node_at(from->start_mark);
    out->end = from->end_mark.index;
    if (++growth->nodes > YAML_MOST_NODES)
        return tree_error(growth->yaml, out, "the file has over %d nodes with its aliases expanded",
                          YAML_MOST_NODES);
    if (growth->depth > YAML_DEEPEST)
        return tree_error(
            growth->yaml, out,
            "nested over %d deep with its aliases expanded: does an alias contain itself?",
            YAML_DEEPEST);
    growth->depth++;
    if (from->type == YAML_SCALAR_NODE)
        BILANX_TRY(grow_text(growth, from, out));
    else if (from->type == YAML_SEQUENCE_NODE)
        BILANX_TRY(grow_list(growth, from, out));
    else
        BILANX_TRY(grow_map(growth, from, out));
    growth->depth--;
    return BILANX_SUCCESS;
}

static struct bilanx_error only_document(const struct yaml *yaml, yaml_parser_t *parser)
{
    yaml_document_t second;
    if (!yaml_parser_load(parser, &second))
        return parser_error(yaml, parser);
    yaml_node_t *root = yaml_document_get_root_node(&second);
    struct bilanx_error error = BILANX_SUCCESS;
    if (root) {
        struct tree_node at = node_at(root->start_mark);
        error = tree_error(yaml, &at, "a second document begins here; a file can have only one");
    }
    yaml_document_delete(&second);
    return error;
}

static struct bilanx_error load(struct yaml *yaml, yaml_parser_t *parser)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return parser_error(yaml, parser);
    struct growth growth = {.yaml = yaml, .document = &document};
    struct bilanx_error error =
        yaml_document_get_root_node(&document)
            ? grow(&growth, 1, &yaml->root)
            : bilanx_error_make(BILANX_E_INPUT, "%s: the file is empty", yaml->name);
    yaml_document_delete(&document);
    if (error.status == BILANX_OK)
        error = only_document(yaml, parser);
    return error;
}

// Runs libyaml over the source once.
static struct bilanx_error pass(struct yaml *yaml, size_t size, bool checking)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        abort();  // out of memory
    yaml_parser_set_input_string(&parser, (const unsigned char *)yaml->source, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    struct bilanx_error error = checking ? check_limits(yaml, &parser) : load(yaml, &parser);
    yaml_parser_delete(&parser);
    return error;
}

struct bilanx_error tree_load_text(const char *text, size_t size, const char *name,
                                   struct yaml *out)
{
    if (size > YAML_LARGEST)
        return bilanx_error_make(BILANX_E_INPUT, "%s: the file is over %d megabytes", name,
                                 YAML_LARGEST >> 20);
    AUTO(yaml) struct yaml yaml = {.name = mem_text(name), .source = mem_text_n(text, size)};
    BILANX_TRY(pass(&yaml, size, true));
    BILANX_TRY(pass(&yaml, size, false));
    *out = yaml;
    yaml = (struct yaml){0};
    return BILANX_SUCCESS;
}

struct bilanx_error tree_load_file(const char *path, struct yaml *out)
{
    AUTO(lines) struct lines lines = {0};
    BILANX_TRY(lines_open(path, &lines));
    const char *bytes;
    size_t size;
    BILANX_TRY(lines_peek(&lines, YAML_LARGEST + 1, &bytes, &size));
    return tree_load_text(bytes, size, lines.name, out);
}
