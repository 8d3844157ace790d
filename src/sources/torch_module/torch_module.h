// torch_module: the backends `torch` and `torchscript`, compiled for the installed PyTorch.
//
// Their source, backends/torch/torch.cpp, is part of bilanx. It is compiled when it is first
// needed, for one libtorch, and kept in the cache of compiled statements: so it fits the PyTorch of
// any environment, and building bilanx needs none.
#ifndef TORCH_MODULE_TORCH_MODULE_H
#define TORCH_MODULE_TORCH_MODULE_H

#include "base/list.h"
#include "base/surroundings.h"
#include "base/tell.h"
#include "base/text.h"
#include "bilanx/error.h"

// The table of `torch` is BILANX_BACKEND_SYMBOL; that of `torchscript` is in the same module.
#define TORCHSCRIPT_BACKEND_SYMBOL "bilanx_backend_table_torchscript"

struct torch_module_options {  // every field may be zero
    const char *python;        // use the PyTorch of this interpreter, and no other
    const char *cache;         // as returned by place_find(); NULL: find it
    const struct surroundings *surroundings;
    struct tell tell;  // that it compiles
};

// Finds the compiled module or compiles it, which takes about twenty seconds. The caller frees the
// path. BILANX_E_SKIPPED: there is no PyTorch to compile it for; the message says what to install.
struct bilanx_error torch_module_find(const struct torch_module_options *options, char **path);

// Where a libtorch is. `root` has the folders include and lib.
struct torch_place {
    char *root;
    bool is_old_abi;  // compiled with _GLIBCXX_USE_CXX11_ABI=0, as wheels were before 2.6
};
void torch_place_done(struct torch_place *place);
SCOPE_VALUE(torch_place, torch_place_done)

// With an interpreter, the PyTorch that it would import. Without one $TORCH_ROOT, then the
// system's, then that of the python3 on PATH.
struct bilanx_error torch_place_find(const struct torch_module_options *options,
                                     struct torch_place *out);

#endif
