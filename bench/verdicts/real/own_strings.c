// own_strings: strings with a length, as many programs implement them.
#include <string.h>

#include "work.h"

struct string {
    char *text;
    size_t length, room;
};

static void reserve(struct string *string, size_t length);
static void append(struct string *string, const char *text, size_t length);
static void append_number(struct string *string, long number);
static void trim(struct string *string, const char *letters);
static void to_upper(struct string *string);
static size_t count_fields(const struct string *string, char separator);
static size_t make_line(struct string *string, long number);

// Definitions, in any order.

static void reserve(struct string *string, size_t length)
{
    if (length < string->room)
        return;
    string->room = 2 * length + 1;
    string->text = realloc(string->text, string->room);
    EXPECT(string->text);
}

static void append(struct string *string, const char *text, size_t length)
{
    reserve(string, string->length + length);
    memcpy(string->text + string->length, text, length);
    string->length += length;
    string->text[string->length] = '\0';
}

static void append_number(struct string *string, long number)
{
    char digits[24], *at = digits + sizeof digits;
    unsigned long rest = number < 0 ? 0 - (unsigned long)number : (unsigned long)number;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--at = '-';
    append(string, at, (size_t)(digits + sizeof digits - at));
}

static void trim(struct string *string, const char *letters)
{
    size_t start = 0, end = string->length;
    while (start < end && strchr(letters, string->text[start]))
        start++;
    while (end > start && strchr(letters, string->text[end - 1]))
        end--;
    memmove(string->text, string->text + start, end - start);
    string->length = end - start;
    string->text[string->length] = '\0';
}

static void to_upper(struct string *string)
{
    for (size_t i = 0; i < string->length; i++)
        if (string->text[i] >= 'a' && string->text[i] <= 'z')
            string->text[i] = (char)(string->text[i] - 'a' + 'A');
}

static size_t count_fields(const struct string *string, char separator)
{
    size_t count = 1;
    for (size_t i = 0; i < string->length; i++)
        count += string->text[i] == separator;
    return count;
}

static size_t make_line(struct string *string, long number)
{
    string->length = 0;
    append(string, "  \tname,", 8);
    append_number(string, number);
    append(string, ",some text,", 11);
    append_number(string, -number * 17);
    append(string, "  \n", 3);
    trim(string, " \t\n");
    to_upper(string);
    return count_fields(string, ',');
}

void prepare(void)
{
    struct string string = {0};
    EXPECT(make_line(&string, 42) == 4 && strcmp(string.text, "NAME,42,SOME TEXT,-714") == 0);
    free(string.text);
}

void work(unsigned long times)
{
    struct string string = {0};
    for (; times > 0; times--)
        KEEP(make_line(&string, 123456));
    free(string.text);
}
