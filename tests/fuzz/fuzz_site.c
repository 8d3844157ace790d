// The settings of a cluster that were found in a folder are read or refused with their position. In
// a folder that nobody trusts, none of them names a program.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cluster/site/site_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/dev/shm/bilanx-fuzz-XXXXXX";

static void remove_folder(void)
{
    file_remove_tree(folder);
}

// libFuzzer has relative paths of its own, so the caller goes back to `home`.
static void enter_folder(int *home)
{
    *home = open(".", O_RDONLY | O_CLOEXEC);
    if (strstr(folder, "XXXXXX")) {
        if (!mkdtemp(folder))
            abort();
        setenv("XDG_CONFIG_HOME", folder, 1);
        atexit(remove_folder);
    }
    if (*home < 0 || chdir(folder) != 0 || (mkdir(".bilanx", 0700) != 0 && errno != EEXIST))
        abort();
}

static void look_at(const uint8_t *data, size_t size)
{
    AUTO(site_settings) struct site_settings site = {0};
    if (file_write(SITE_FILE, data, size).status != BILANX_OK)
        abort();
    struct bilanx_error error = site_settings_read(&site);
    if (error.status != BILANX_OK && !strstr(error.text, SITE_FILE))
        abort();
    if (error.status == BILANX_OK && site_settings_check(&site).status == BILANX_OK &&
        (site.program || site.sbatch_options))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(fd) int home = -1;
    enter_folder(&home);
    look_at(data, size);
    if (fchdir(home) != 0)
        abort();
    return 0;
}
