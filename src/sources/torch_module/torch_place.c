// torch_place: where PyTorch is installed, and with which ABI.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/file.h"
#include "base/mem.h"
#include "torch_module.h"

static const double ASK_TIMEOUT_S = 60;
static const char install[] = "apt-get install libtorch-dev, or pip install torch";

void torch_place_done(struct torch_place *place)
{
    free(place->root);
}

// Finds torch without importing it, which would take seconds.
static struct bilanx_error ask_python(const struct torch_module_options *options,
                                      const char *python, char **root)
{
    static const char question[] = "import importlib.util as u, os, sys\n"
                                   "spec = u.find_spec('torch')\n"
                                   "spec and spec.origin or sys.exit(3)\n"
                                   "print(os.path.dirname(spec.origin))\n";
    const char *const argv[] = {python, "-c", question, NULL};
    AUTO(text) struct text output = {0};
    int status = 0;
    BILANX_TRY(capture_run(&(struct capture_options){.argv = argv,
                                                     .surroundings = options->surroundings,
                                                     .timeout_s = ASK_TIMEOUT_S},
                           &output, &status));
    if (status != 0)
        return bilanx_error_make(BILANX_E_SKIPPED, "'%s' has no PyTorch: %s", python, install);
    AUTO(list) struct list lines = {0};
    list_split_lines(&lines, text_get(&output));
    if (lines.count == 0)
        return bilanx_error_make(BILANX_E_SKIPPED, "'%s' does not say where PyTorch is", python);
    *root = mem_text(lines.items[lines.count - 1]);  // after any output of a site's start-up
    return BILANX_SUCCESS;
}

static bool has_headers(const char *root)
{
    AUTO(memory) char *probe = mem_format("%s/include/ATen/ATen.h", root);
    return access(probe, R_OK) == 0;
}

// Names of the old ABI do not contain __cxx11. Debian's library is elsewhere, and always has the
// new ABI.
static bool is_old_abi(const char *root)
{
    static const char mark[] = "__cxx11";
    AUTO(memory) char *path = mem_format("%s/lib/libc10.so", root);
    AUTO(text) struct text library = {0};
    if (file_read(path, &library).status != BILANX_OK)
        return false;
    return !memmem(library.data, library.size, mark, sizeof mark - 1);
}

static struct bilanx_error find_root(const struct torch_module_options *options, char **root)
{
    const char *given = surroundings_variable(options->surroundings, "TORCH_ROOT");
    if (options->python)
        return ask_python(options, options->python, root);
    if (given && *given)
        *root = mem_text(given);
    else if (has_headers("/usr"))
        *root = mem_text("/usr");
    else
        return ask_python(options, "python3", root);
    return BILANX_SUCCESS;
}

struct bilanx_error torch_place_find(const struct torch_module_options *options,
                                     struct torch_place *out)
{
    AUTO(memory) char *root = NULL;
    struct bilanx_error error = find_root(options, &root);
    if (error.status == BILANX_E_SYSTEM)  // no python3
        return bilanx_error_make(BILANX_E_SKIPPED, "PyTorch is not installed: %s", install);
    BILANX_TRY(error);
    if (!has_headers(root))
        return bilanx_error_make(
            BILANX_E_SKIPPED, "PyTorch in '%s' has no headers: apt-get install libtorch-dev", root);
    *out = (struct torch_place){.is_old_abi = is_old_abi(root)};
    out->root = TAKE(root);
    return BILANX_SUCCESS;
}
