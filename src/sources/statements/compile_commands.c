// compile_commands: a project's flags for a file.
#include "compile_commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "harmless_flags.h"
#include "support/json/json.h"

static char *resolved(const struct surroundings *surroundings, const char *directory,
                      const char *file)
{
    AUTO(memory) char *path =
        file[0] == '/' ? mem_text(file) : mem_format("%s/%s", directory, file);
    AUTO(memory) char *joined = surroundings_path(surroundings, path);
    char *real = realpath(joined, NULL);
    return real ? real : TAKE(joined);
}

static struct bilanx_error words_of(const json_t *entry, const char *path, struct list *words)
{
    const json_t *arguments = json_object_get(entry, "arguments");
    const char *command = json_string_value(json_object_get(entry, "command"));
    if (command)
        return list_split(words, command);
    size_t index;
    json_t *word;
    json_array_foreach(arguments, index, word)
    {
        if (json_is_string(word))
            list_add(words, json_string_value(word));
    }
    if (words->count == 0)
        return bilanx_error_make(
            BILANX_E_INPUT, "%s: the file's entry has neither 'command' nor 'arguments'", path);
    return BILANX_SUCCESS;
}

// Flags that name inputs and outputs, and those that turn warnings into errors: the code around a
// statement may well cause warnings.
static bool is_left_out(const char *word, bool *takes_value)
{
    static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", NULL};
    static const char *const alone[] = {
        "-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-pedantic-errors", NULL};
    *takes_value = false;
    if (text_starts(word, "-Werror"))
        return true;
    for (const char *const *flag = alone; *flag; flag++)
        if (strcmp(word, *flag) == 0)
            return true;
    for (const char *const *flag = with_value; *flag; flag++)
        if (text_starts(word, *flag)) {
            *takes_value = strcmp(word, *flag) == 0;
            return true;
        }
    return false;
}

// A file compiled in a directory.
struct entry {
    const struct surroundings *surroundings;
    const char *directory;
    const char *source;  // resolved
    bool trusted;
};

// Adds the flag at `i`, with its value, to the kept ones or to those that were left out. Returns
// the index of its last word.
static size_t sort_flag(const struct list *words, size_t i, bool trusted, struct compile_flags *out)
{
    bool takes_value, harmless = flag_is_harmless(words->items[i], &takes_value);
    struct list *to = harmless || trusted ? &out->flags : &out->left_out;
    list_add(to, words->items[i]);
    if (!takes_value || i + 1 >= words->count)
        return i;
    list_add(to, words->items[i + 1]);
    return i + 1;
}

static void sort_flags(const struct list *words, const struct entry *entry,
                       struct compile_flags *out)
{
    for (size_t i = 1; i < words->count; i++) {
        bool takes_value;
        if (is_left_out(words->items[i], &takes_value)) {
            i += takes_value;
            continue;
        }
        AUTO(memory) char *file = resolved(entry->surroundings, entry->directory, words->items[i]);
        if (words->items[i][0] == '-' || strcmp(file, entry->source) != 0)
            i = sort_flag(words, i, entry->trusted, out);
    }
}

void compile_flags_done(struct compile_flags *flags)
{
    list_done(&flags->flags);
    list_done(&flags->left_out);
    free(flags->directory);
    *flags = (struct compile_flags){0};
}

struct bilanx_error compile_commands_read(const char *path, const char *source,
                                          const struct surroundings *surroundings, bool trusted,
                                          struct compile_flags *out)
{
    AUTO(text) struct text text = {0};
    AUTO(json) json_t *database = NULL;
    AUTO(memory) char *from_here = surroundings_path(surroundings, path);
    BILANX_TRY(file_read(from_here, &text));
    BILANX_TRY(read_json(text_get(&text), text.size, path, &database));
    if (!json_is_array(database))
        return bilanx_error_make(BILANX_E_INPUT,
                                 "%s: a compilation database must be an array, not %s", path,
                                 kind_of_json(database));
    AUTO(memory) char *wanted = resolved(surroundings, ".", source);
    size_t index;
    json_t *entry;
    json_array_foreach(database, index, entry)
    {
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        const char *file = json_string_value(json_object_get(entry, "file"));
        AUTO(memory) char *real = folder && file ? resolved(surroundings, folder, file) : NULL;
        if (!text_equal(real, wanted))
            continue;
        AUTO(list) struct list words = {0};
        BILANX_TRY(words_of(entry, path, &words));
        sort_flags(&words, &(struct entry){surroundings, folder, wanted, trusted}, out);
        out->directory = mem_text(folder);
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(BILANX_E_INPUT, "%s: no entry for '%s'", path, source);
}
