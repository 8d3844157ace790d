// site_settings: .bilanx/cluster.yaml, the settings for all runs on a cluster.
#ifndef SITE_SITE_SETTINGS_H
#define SITE_SITE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/yaml/tree.h"

#define SITE_FILE ".bilanx/cluster.yaml"

struct site_settings {
    struct yaml yaml;  // owns the texts
    const char *partition, *folder, *program;
    const char *const *sbatch_options;  // ends with NULL; NULL: none
    uint64_t nodes, shard_retries;      // 0: not given
    bool stream, unchecked;
};
void site_settings_done(struct site_settings *settings);
SCOPE_VALUE(site_settings, site_settings_done)

// Reads the file in the current directory, if there is one.
struct bilanx_error site_settings_read(struct site_settings *out);

// Refuses settings that name programs unless the current directory is trusted (base/trust.h).
struct bilanx_error site_settings_check(const struct site_settings *settings);

// Where the folders of runs are.
const char *site_folder(const struct site_settings *settings);

#endif
