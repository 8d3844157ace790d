// uthash: looks up words in a table of 500.
#include <string.h>
#include <uthash.h>

#include "work.h"

enum { WORDS = 500 };
struct word {
    char text[12];
    UT_hash_handle hh;
};
static struct word words[WORDS], *table;

static struct word *find(const char *text);

// Definitions, in any order.

static struct word *find(const char *text)
{
    struct word *found;
    HASH_FIND_STR(table, text, found);
    return found;
}

void prepare(void)
{
    for (int i = 0; i < WORDS; i++) {
        struct word *word = &words[i];
        snprintf(word->text, sizeof word->text, "word %d", i * 7);
        HASH_ADD_STR(table, text, word);
    }
    EXPECT(find("word 70") == &words[10] && !find("word 71"));
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(find(words[times % 8 * 31].text));
}
