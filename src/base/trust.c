// trust: folders in which bilanx may use files that name programs, although the user did not name
// these files.
#include "trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "mem.h"
#include "owner.h"

// NULL: there is no place for it.
static char *folder_of_list(void)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (xdg && xdg[0] == '/')
        return mem_format("%s/bilanx", xdg);
    return home && home[0] == '/' ? mem_format("%s/.config/bilanx", home) : NULL;
}

static char *path_of_list(void)
{
    AUTO(memory) char *folder = folder_of_list();
    return folder ? mem_format("%s/trusted", folder) : NULL;
}

static bool is_private(const char *path, struct text *why)
{
    struct stat status;
    AUTO(memory) char *folder = folder_of_list();
    AUTO(memory) char *real = folder ? realpath(folder, NULL) : NULL;
    if (!real || !owner_is_only_one(real, why))
        return false;
    if (lstat(path, &status) != 0)
        return false;
    bool ours = S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                !(status.st_mode & (S_IWGRP | S_IWOTH));
    if (!ours)
        text_format(why, "others may have written '%s'", path);
    return ours;
}

// Reads the list. Without a file, it is empty; one that others can write to is an error.
static struct bilanx_error read_list(struct list *out)
{
    AUTO(memory) char *path = path_of_list();
    AUTO(text) struct text text = {0}, why = {0};
    if (!path || access(path, F_OK) != 0)
        return BILANX_SUCCESS;
    if (!is_private(path, &why))
        return bilanx_error_make(BILANX_E_SYSTEM, "the list of trusted folders is not used: %s",
                                 text_get(&why));
    BILANX_TRY(file_read(path, &text));
    list_split_lines(out, text_get(&text));
    return BILANX_SUCCESS;
}

static struct bilanx_error write_list(const struct list *folders)
{
    AUTO(memory) char *folder = folder_of_list();
    AUTO(memory) char *path = path_of_list();
    AUTO(text) struct text text = {0};
    if (!path)
        return bilanx_error_make(BILANX_E_SYSTEM, "no folder for settings: set HOME");
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(folder, 0700);
        *slash = '/';
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return bilanx_error_make(BILANX_E_SYSTEM, "cannot create '%s': %s", folder,
                                 strerror(errno));
    for (size_t i = 0; i < folders->count; i++)
        text_format(&text, "%s\n", folders->items[i]);
    AUTO(memory) char *aside = mem_format("%s.%d", path, (int)getpid());
    BILANX_TRY(file_write(aside, text_get(&text), text.size));
    if (rename(aside, path) == 0)
        return BILANX_SUCCESS;
    struct bilanx_error error =
        bilanx_error_make(BILANX_E_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    unlink(aside);
    return error;
}

// The caller frees the path, which has no links.
static struct bilanx_error resolve(const char *folder, char **out)
{
    struct stat status;
    AUTO(memory) char *real = realpath(folder, NULL);
    if (!real)
        return bilanx_error_make(BILANX_E_INPUT, "cannot find '%s': %s", folder, strerror(errno));
    if (stat(real, &status) != 0 || !S_ISDIR(status.st_mode))
        return bilanx_error_make(BILANX_E_INPUT, "'%s' is not a folder", folder);
    if (strchr(real, '\n'))
        return bilanx_error_make(BILANX_E_INPUT, "a folder with a line break in its name cannot "
                                                 "be trusted");
    *out = TAKE(real);
    return BILANX_SUCCESS;
}

static size_t find(const struct list *folders, const char *real)
{
    for (size_t i = 0; i < folders->count; i++)
        if (strcmp(folders->items[i], real) == 0)
            return i;
    return folders->count;
}

bool trust_has(const char *folder, struct text *why)
{
    AUTO(list) struct list folders = {0};
    AUTO(memory) char *real = NULL;
    struct bilanx_error error = resolve(folder, &real);
    if (error.status == BILANX_OK)
        error = read_list(&folders);
    if (error.status != BILANX_OK && why)
        text_add(why, error.text);
    return error.status == BILANX_OK && find(&folders, real) < folders.count;
}

struct bilanx_error trust_add(const char *folder, bool *changed)
{
    AUTO(list) struct list folders = {0};
    AUTO(memory) char *real = NULL;
    BILANX_TRY(resolve(folder, &real));
    BILANX_TRY(read_list(&folders));
    *changed = find(&folders, real) == folders.count;
    if (!*changed)
        return BILANX_SUCCESS;
    list_add(&folders, real);
    return write_list(&folders);
}

// A folder that is gone can still be removed, by the path it had.
struct bilanx_error trust_remove(const char *folder, bool *changed)
{
    AUTO(list) struct list folders = {0}, rest = {0};
    AUTO(memory) char *real = NULL;
    if (resolve(folder, &real).status != BILANX_OK)
        real = mem_text(folder);
    BILANX_TRY(read_list(&folders));
    size_t at = find(&folders, real);
    *changed = at < folders.count;
    for (size_t i = 0; i < folders.count; i++)
        if (i != at)
            list_add(&rest, folders.items[i]);
    return *changed ? write_list(&rest) : BILANX_SUCCESS;
}

struct bilanx_error trust_list(struct list *out)
{
    return read_list(out);
}
