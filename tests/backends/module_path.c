// module_path: prints the path of the module for PyTorch, compiled now if need be.
//
//     module_path [PYTHON]
//
// Exits with 77 if there is no PyTorch.
#include <stdio.h>

#include "base/mem.h"
#include "sources/torch_module/torch_module.h"

int main(int argc, char **argv)
{
    AUTO(memory) char *path = NULL;
    struct torch_module_options options = {.python = argc > 1 ? argv[1] : NULL};
    struct bilanx_error error = torch_module_find(&options, &path);
    if (error.status != BILANX_OK) {
        fprintf(stderr, "%s\n", error.text);
        return error.status == BILANX_E_SKIPPED ? 77 : 1;
    }
    puts(path);
    return 0;
}
