// noise: functions whose counts vary between runs of the same program, and why.
#include <fnmatch.h>
#include <string.h>

#include "functions.h"

#define HASH_SEED "dictionaries and sets probe by hash, and every process uses a new hash seed"
#define INTERNED "strings are interned in a table that probes by seeded hash"
#define ADDRESSES "probes by address, which differs between processes"
#define BINDING "binds a symbol on its first call, which depends on what ran before"
#define TRAMPOLINE "entry to lazy binding, taken only on the first call of a symbol"
#define THREAD_LOCAL "sets up thread-local storage on first use in a thread"
#define THREADS "waits for locks, which depends on the other threads"

#define LOADER "*/ld-*.so*"
#define DICTIONARY "*dictobject.c"
#define UNICODE "*unicodeobject.c"

// One line per name known to vary.
static const struct bilanx_noise noise[] = {
    // CPython up to 3.10, then 3.11 and later.
    {"lookdict*", NULL, NULL, HASH_SEED},
    {"*_Py_dict_lookup*", NULL, NULL, HASH_SEED},
    {"unicodekeys_lookup_*", NULL, NULL, HASH_SEED},
    {"dictkeys_*lookup*", NULL, NULL, HASH_SEED},
    {"do_lookup*", DICTIONARY, NULL, HASH_SEED},
    {"compare_*", DICTIONARY, NULL, HASH_SEED},
    {"find_empty_slot*", DICTIONARY, NULL, HASH_SEED},
    {"build_indices*", DICTIONARY, NULL, HASH_SEED},
    {"_PyDictKeys_StringLookup*", NULL, NULL, HASH_SEED},
    {"set_lookkey*", NULL, NULL, HASH_SEED},
    {"set_add_entry*", NULL, NULL, HASH_SEED},
    {"set_insert_clean*", NULL, NULL, HASH_SEED},
    {"unicode_eq", NULL, NULL, HASH_SEED},
    {"PyUnicode_Intern*", NULL, NULL, INTERNED},
    {"intern_*", UNICODE, NULL, INTERNED},
    {"_Py_hashtable_*", NULL, NULL, ADDRESSES},
    // glibc's dynamic loader.
    {"_dl_runtime_resolve*", NULL, NULL, TRAMPOLINE},
    {"_dl_runtime_profile*", NULL, NULL, TRAMPOLINE},
    {"_dl_fixup", NULL, NULL, BINDING},
    {"_dl_profile_fixup", NULL, NULL, BINDING},
    {"_dl_lookup_symbol_x", NULL, NULL, BINDING},
    {"do_lookup_x", NULL, NULL, BINDING},
    {"do_lookup_unique", NULL, NULL, BINDING},
    {"check_match", NULL, NULL, BINDING},
    {"_dl_name_match_p", NULL, LOADER, BINDING},
    {"_dl_elf_hash", NULL, LOADER, BINDING},
    {"dl_new_hash", NULL, NULL, BINDING},
    {"strcmp", NULL, LOADER, BINDING},
    {"_dl_tlsdesc_*", NULL, LOADER, THREAD_LOCAL},
    {"__tls_get_addr_slow", NULL, NULL, THREAD_LOCAL},
    {"update_get_addr", NULL, NULL, THREAD_LOCAL},
    {"_dl_update_slotinfo", NULL, NULL, THREAD_LOCAL},
    {"__lll_lock_wait*", NULL, NULL, THREADS},
    {"__lll_lock_wake*", NULL, NULL, THREADS},
};

const struct bilanx_noise *bilanx_noise_list(size_t *count)
{
    if (count)
        *count = sizeof noise / sizeof *noise;
    return noise;
}

static bool fits(const char *pattern, const char *name)
{
    if (!pattern)
        return true;
    // Quick check: the first letter usually differs.
    if (!name || (pattern[0] != '*' && pattern[0] != name[0]))
        return false;
    return fnmatch(pattern, name, 0) == 0;
}

static bool is_steady(void *context, const struct bilanx_function_count *function)
{
    (void)context;
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (fits(noise[i].function, function->function) && fits(noise[i].file, function->file) &&
            fits(noise[i].object, function->object))
            return false;
    return true;
}

struct bilanx_functions bilanx_functions_denoise(const struct bilanx_functions *functions)
{
    return bilanx_functions_filter(functions, is_steady, NULL);
}
