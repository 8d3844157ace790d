// own_tree: parses JSON into a tree of allocated nodes, and frees it.
#include <string.h>

#include "work.h"

enum kind { NOTHING, TRUTH, NUMBER, STRING, ARRAY, OBJECT };
struct node {
    struct node *next, *child;
    enum kind kind;
    char *text, *name;
    double number;
};
static const char document[] =
    "{\"name\": \"Jack (\\\"Bee\\\") Nimble\", \"format\": {\"type\": \"rect\", \"width\": 1920,"
    " \"height\": 1080, \"interlace\": false, \"frame rate\": 24.5}, \"tags\": [\"a\", null, "
    "true]}";

static const char *skip_blanks(const char *at);
static struct node *new_node(enum kind kind);
static void free_nodes(struct node *node);
static const char *parse_text(char **text, const char *at);
static const char *parse_word(struct node *node, const char *at);
static const char *parse_members(struct node *node, const char *at);
static const char *parse_value(struct node *node, const char *at);
static struct node *parse(const char *text);

// Definitions, in any order.

static const char *skip_blanks(const char *at)
{
    while (*at && (unsigned char)*at <= ' ')
        at++;
    return at;
}

static struct node *new_node(enum kind kind)
{
    struct node *node = calloc(1, sizeof *node);
    EXPECT(node);
    node->kind = kind;
    return node;
}

static void free_nodes(struct node *node)
{
    while (node) {
        struct node *next = node->next;
        free_nodes(node->child);
        free(node->text);
        free(node->name);
        free(node);
        node = next;
    }
}

static const char *parse_text(char **text, const char *at)
{
    const char *end = at + 1;
    while (*end && *end != '"')
        end += *end == '\\' && end[1] ? 2 : 1;
    char *to = *text = malloc((size_t)(end - at));
    EXPECT(to);
    for (at++; at < end; at++)
        *to++ = *at == '\\' ? *++at : *at;
    *to = '\0';
    return *end ? end + 1 : NULL;
}

static const char *parse_word(struct node *node, const char *at)
{
    static const struct {
        const char *text;
        enum kind kind;
        int value;
    } words[] = {{"null", NOTHING, 0}, {"false", TRUTH, 0}, {"true", TRUTH, 1}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].text);
        if (strncmp(at, words[i].text, length) == 0) {
            node->kind = words[i].kind;
            node->number = words[i].value;
            return at + length;
        }
    }
    char *end;
    node->kind = NUMBER;
    node->number = strtod(at, &end);
    return end > at ? end : NULL;
}

static const char *parse_members(struct node *node, const char *at)
{
    char last = node->kind == OBJECT ? '}' : ']';
    struct node **place = &node->child;
    at = skip_blanks(at + 1);
    while (*at != last) {
        struct node *member = *place = new_node(NOTHING);
        place = &member->next;
        if (node->kind == OBJECT) {
            if (*at != '"' || !(at = parse_text(&member->name, at)))
                return NULL;
            at = skip_blanks(at);
            if (*at++ != ':')
                return NULL;
        }
        if (!(at = parse_value(member, at)))
            return NULL;
        at = skip_blanks(at);
        if (*at == ',')
            at = skip_blanks(at + 1);
        else if (*at != last)
            return NULL;
    }
    return at + 1;
}

static const char *parse_value(struct node *node, const char *at)
{
    at = skip_blanks(at);
    if (*at == '{' || *at == '[') {
        node->kind = *at == '{' ? OBJECT : ARRAY;
        return parse_members(node, at);
    }
    if (*at == '"') {
        node->kind = STRING;
        return parse_text(&node->text, at);
    }
    return parse_word(node, at);
}

static struct node *parse(const char *text)
{
    struct node *node = new_node(NOTHING);
    if (parse_value(node, text))
        return node;
    free_nodes(node);
    return NULL;
}

void prepare(void)
{
    struct node *node = parse(document);
    EXPECT(node && node->kind == OBJECT && node->child->next->child->next->number == 1920);
    EXPECT(strcmp(node->child->text, "Jack (\"Bee\") Nimble") == 0);
    EXPECT(!parse("{\"a\": [1, 2}"));
    free_nodes(node);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        free_nodes(parse(document));
}
