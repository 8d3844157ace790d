// owner: checks whether other users could replace the file at a path.
#include "owner.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mem.h"

// The owner of the root folder is trusted, even if it is the overflow uid, as in some containers.
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

bool owner_is_only_one(const char *real, struct text *why)
{
    AUTO(memory) char *part = mem_text(real);
    for (char *end = part + strlen(part); end; end = strrchr(part, '/')) {
        struct stat status;
        *end = '\0';
        if (lstat(*part ? part : "/", &status) != 0 || !S_ISDIR(status.st_mode))
            return false;
        if (others_can_replace_in(&status)) {
            text_format(why, "other users can change the contents of '%s'", *part ? part : "/");
            return false;
        }
    }
    return true;
}
