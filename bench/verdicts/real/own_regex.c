// own_regex: a recursive matcher for . * ^ $ and classes such as [a-z].
#include "work.h"

static int match_class(const char *pattern, const char *end, char letter);
static int match_one(const char *pattern, const char *end, char letter);
static const char *skip_one(const char *pattern);
static int match_star(const char *one, const char *end, const char *rest, const char *text);
static int match_here(const char *pattern, const char *text);
static int search(const char *pattern, const char *text);

// Definitions, in any order.

static int match_class(const char *pattern, const char *end, char letter)
{
    for (; pattern < end; pattern++) {
        if (pattern + 2 < end && pattern[1] == '-') {
            if (pattern[0] <= letter && letter <= pattern[2])
                return 1;
            pattern += 2;
        } else if (*pattern == letter) {
            return 1;
        }
    }
    return 0;
}

static int match_one(const char *pattern, const char *end, char letter)
{
    if (!letter)
        return 0;
    if (*pattern == '[')
        return match_class(pattern + 1, end - 1, letter);
    return *pattern == '.' || *pattern == letter;
}

static const char *skip_one(const char *pattern)
{
    if (*pattern == '[')
        while (*pattern != ']')
            pattern++;
    return pattern + 1;
}

static int match_star(const char *one, const char *end, const char *rest, const char *text)
{
    do {
        if (match_here(rest, text))
            return 1;
    } while (match_one(one, end, *text++));
    return 0;
}

static int match_here(const char *pattern, const char *text)
{
    if (!*pattern)
        return 1;
    if (*pattern == '$' && !pattern[1])
        return !*text;
    const char *end = skip_one(pattern);
    if (*end == '*')
        return match_star(pattern, end, end + 1, text);
    return match_one(pattern, end, *text) && match_here(end, text + 1);
}

static int search(const char *pattern, const char *text)
{
    if (*pattern == '^')
        return match_here(pattern + 1, text);
    do {
        if (match_here(pattern, text))
            return 1;
    } while (*text++);
    return 0;
}

void prepare(void)
{
    EXPECT(search("^a[b-d]*e$", "abcdbe") && !search("^a[b-d]*e$", "abxe"));
}

void work(unsigned long times)
{
    for (; times > 0; times--) {
        KEEP(search("n[a-z]*l [a-z]*al$", "Nothing is as natural as an interval"));
        KEEP(search("[0-9][0-9]*-[0-9]", "restarted after 17 tries on 2026-11"));
    }
}
