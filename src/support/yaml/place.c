// place: finds where in the source a text of the tree came from.
#include "tree.h"

#include <string.h>

static const struct tree_node *find_text(const struct tree_node *node, const char *text)
{
    if (node->kind == YAML_TEXT)
        return node->text == text ? node : NULL;
    for (size_t i = 0; i < node->count; i++) {
        const struct tree_node *found = NULL;
        if (node->kind == YAML_LIST)
            found = find_text(&node->items[i], text);
        else if (node->pairs[i].key.text == text)
            found = &node->pairs[i].key;
        else
            found = find_text(&node->pairs[i].value, text);
        if (found)
            return found;
    }
    return NULL;
}

// Counts how often the character at `offset` occurs before it. Quoting and folding may move
// ordinary characters of the source, but neither add nor drop any.
static size_t count_before(const char *text, size_t offset)
{
    size_t count = 0;
    for (size_t i = 0; i < offset; i++)
        count += text[i] == text[offset];
    return count;
}

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

// A block text starts at its '|', followed by the end of the line.
static bool find_in_source(const struct yaml *yaml, const struct tree_node *node, char wanted,
                           size_t nth, unsigned *line, unsigned *column)
{
    size_t at = 0;  // in characters
    unsigned here_line = 1, here_column = 1;
    for (const char *c = yaml->source; *c && at < node->end; c++) {
        if (starts_character(*c) && at >= node->start && *c == wanted && nth-- == 0) {
            *line = here_line;
            *column = here_column;
            return true;
        }
        if (*c == '\n') {
            here_line++;
            here_column = 1;
        } else if (starts_character(*c)) {
            here_column++;
        }
        at += starts_character(*c);
    }
    return false;
}

bool tree_find_place(const struct yaml *yaml, const char *text, size_t offset, unsigned *line,
                     unsigned *column)
{
    const struct tree_node *node = find_text(&yaml->root, text);
    if (!node)
        return false;
    *line = node->line;
    *column = node->column;
    if (offset < strlen(text))
        find_in_source(yaml, node, text[offset], count_before(text, offset), line, column);
    return true;
}
