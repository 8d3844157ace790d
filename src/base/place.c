// place: finds the cache folder and checks that it is safe to use.
#include "base/place.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/temporary.h"
#include "base/text.h"

enum verdict {
    OURS,
    UNUSABLE,  // cannot be created or written: try the next place
    FOREIGN,   // exists, but others can change it
};

// The temporary folder used instead of an unsafe one, and the process that created it.
static struct {
    struct temporary folder;
    pid_t maker;
    void (*tell)(const char *text);
} instead;

static bool swept;  // leftovers of earlier runs were removed

void place_tell_by(void (*tell)(const char *text))
{
    instead.tell = tell;
}

// Whether another user could replace something in this folder. The owner of the root folder is
// trusted, even if it is the overflow uid, as in some containers.
static bool others_can_replace_in(const struct stat *folder)
{
    struct stat top = {0};
    stat("/", &top);
    bool trusted =
        folder->st_uid == 0 || folder->st_uid == geteuid() || folder->st_uid == top.st_uid;
    bool by_group =
        (folder->st_mode & S_IWGRP) && folder->st_gid != 0 && folder->st_gid != getegid();
    bool by_all = folder->st_mode & S_IWOTH;
    return !trusted || ((by_group || by_all) && !(folder->st_mode & S_ISVTX));
}

// `real` contains no links.
static enum verdict judge_way_to(const char *real, struct text *why)
{
    AUTO(memory) char *part = mem_text(real);
    for (char *end = part + strlen(part); end; end = strrchr(part, '/')) {
        struct stat status;
        *end = '\0';
        if (lstat(*part ? part : "/", &status) != 0 || !S_ISDIR(status.st_mode))
            return UNUSABLE;
        if (others_can_replace_in(&status)) {
            text_format(why, "other users can change the contents of '%s'", *part ? part : "/");
            return FOREIGN;
        }
    }
    return OURS;
}

static enum verdict judge(const char *path, struct text *why)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return UNUSABLE;
    if (S_ISLNK(status.st_mode))
        text_format(why, "'%s' is a link", path);
    else if (S_ISDIR(status.st_mode) && status.st_uid != geteuid())
        text_format(why, "'%s' belongs to user %u", path, (unsigned)status.st_uid);
    else if (S_ISDIR(status.st_mode) && (status.st_mode & (S_IWGRP | S_IWOTH)))
        text_format(why, "other users can write to '%s' (mode %04o)", path,
                    (unsigned)status.st_mode & 07777);
    if (why->size)
        return FOREIGN;
    return S_ISDIR(status.st_mode) && access(path, W_OK | X_OK) == 0 ? OURS : UNUSABLE;
}

static enum verdict make(const char *path, struct text *why)
{
    if (mkdir(path, 0700) == 0)
        chmod(path, 0700);  // undo the umask
    enum verdict verdict = judge(path, why);
    struct stat status;
    if (verdict == OURS && lstat(path, &status) == 0 && (status.st_mode & 0077))
        chmod(path, 0700);
    return verdict;
}

static const char *const parts[] = {PLACE_OBJECTS, PLACE_BUILDING, PLACE_REVISIONS};

static enum verdict make_whole(const char *path, struct text *why)
{
    enum verdict verdict = make(path, why);
    for (size_t i = 0; verdict == OURS && i < sizeof parts / sizeof *parts; i++) {
        AUTO(memory) char *part = mem_format("%s/%s", path, parts[i]);
        verdict = make(part, why);
    }
    return verdict;
}

struct bilanx_error place_check(const char *path)
{
    AUTO(text) struct text why = {0};
    enum verdict verdict = make_whole(path, &why);
    if (verdict == OURS)
        return BILANX_SUCCESS;
    return bilanx_error_make(BILANX_E_SYSTEM, "the cache '%s' cannot be used: %s", path,
                             verdict == FOREIGN ? text_get(&why) : strerror(errno));
}

static void remove_instead(void)
{
    if (instead.maker == getpid())  // not in a fork
        temporary_done(&instead.folder);
}

static struct bilanx_error stand_in(const char *path, const struct text *why, char **out)
{
    if (!instead.folder.path) {
        BILANX_TRY(temporary_init(&instead.folder, NULL));
        instead.maker = getpid();
        atexit(remove_instead);
        AUTO(memory) char *told =
            mem_format("not using the cache '%s': %s; compiling in a temporary folder instead (set "
                       "XDG_CACHE_HOME to a folder of your own)",
                       path, text_get(why));
        if (instead.tell)
            instead.tell(told);
    }
    BILANX_TRY(place_check(instead.folder.path));
    *out = mem_text(instead.folder.path);
    return BILANX_SUCCESS;
}

static enum verdict make_way_to(const char *path, struct text *why, char **out);

// Creates nothing where others could replace it.
static enum verdict make_missing(const char *path, struct text *why)
{
    const char *slash = strrchr(path, '/');
    AUTO(memory) char *above =
        slash > path ? mem_text_n(path, (size_t)(slash - path)) : mem_text("/");
    AUTO(memory) char *way = NULL;
    enum verdict verdict = make_way_to(above, why, &way);
    if (verdict != OURS)
        return verdict;
    if (mkdir(path, 0700) != 0)
        return errno == EEXIST ? OURS : UNUSABLE;
    return chmod(path, 0700) == 0 ? OURS : UNUSABLE;
}

// Creates missing folders that lead to a path. *out is the path without links.
static enum verdict make_way_to(const char *path, struct text *why, char **out)
{
    AUTO(memory) char *real = realpath(path, NULL);
    if (!real && errno == ENOENT && strcmp(path, "/") != 0) {
        enum verdict made = make_missing(path, why);
        if (made != OURS)
            return made;
        real = realpath(path, NULL);
    }
    enum verdict verdict = real ? judge_way_to(real, why) : UNUSABLE;
    if (verdict == OURS)
        *out = TAKE(real);
    return verdict;
}

// Tries one candidate: the folder `name` in `above`.
static enum verdict try_place(const char *above, const char *name, struct text *why, char **out)
{
    AUTO(memory) char *way = NULL;
    enum verdict verdict = make_way_to(above, why, &way);
    if (verdict != OURS)
        return verdict;
    AUTO(memory) char *path = mem_format("%s/%s", way, name);
    verdict = make_whole(path, why);
    if (verdict == OURS)
        *out = TAKE(path);
    return verdict;
}

static void sweep(const char *place)
{
    AUTO(memory) char *building = mem_format("%s/%s", place, PLACE_BUILDING);
    if (!swept) {
        temporary_sweep(building);
        temporary_sweep(NULL);
    }
    swept = true;
}

struct bilanx_error place_find(const struct surroundings *surroundings, char **out)
{
    const char *xdg = surroundings_variable(surroundings, "XDG_CACHE_HOME");
    const char *home = surroundings_variable(surroundings, "HOME");
    AUTO(memory) char *at_home = mem_format("%s/.cache", home ? home : "");
    AUTO(memory) char *of_user = mem_format("bilanx-%u", (unsigned)geteuid());
    const struct {
        const char *told, *above, *name;
    } places[] = {{xdg, xdg, "bilanx"}, {home, at_home, "bilanx"}, {"/", "/tmp", of_user}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        AUTO(text) struct text why = {0};
        if (!places[i].told || places[i].told[0] != '/')
            continue;
        enum verdict verdict = try_place(places[i].above, places[i].name, &why, out);
        AUTO(memory) char *path = mem_format("%s/%s", places[i].above, places[i].name);
        if (verdict == FOREIGN)
            return stand_in(path, &why, out);
        if (verdict == UNUSABLE)
            continue;
        sweep(*out);
        return BILANX_SUCCESS;
    }
    return bilanx_error_make(
        BILANX_E_SYSTEM, "no folder for compiled code: set XDG_CACHE_HOME to a writable folder");
}
