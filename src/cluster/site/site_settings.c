// site_settings: .bilanx/cluster.yaml, the settings for all runs on a cluster.
#include "site_settings.h"

#include <unistd.h>

#include "base/trust.h"
#include "support/yaml/keys.h"

#define AT(member) offsetof(struct site_settings, member)
static const struct tree_key keys[] = {
    {"partition", YAML_AS_TEXT, AT(partition), .help = "the partition to use"},
    {"nodes", YAML_AS_COUNT, AT(nodes), .help = "most nodes to use at a time"},
    {"sbatch_options", YAML_AS_TEXTS, AT(sbatch_options), .help = "more options for sbatch"},
    {"shard_retries", YAML_AS_COUNT, AT(shard_retries), .help = "attempts after the first"},
    {"folder", YAML_AS_TEXT, AT(folder), .help = "a folder that all nodes share"},
    {"bilanx", YAML_AS_TEXT, AT(program), .help = "path of bilanx on the nodes"},
    {"stream", YAML_AS_BOOL, AT(stream), .help = "there is no shared folder"},
    {"unchecked", YAML_AS_BOOL, AT(unchecked), .help = "do not compare nodes with each other"},
    {0},
};

void site_settings_done(struct site_settings *settings)
{
    tree_done(&settings->yaml);
    *settings = (struct site_settings){0};
}

struct bilanx_error site_settings_read(struct site_settings *out)
{
    if (access(SITE_FILE, F_OK) != 0)
        return BILANX_SUCCESS;
    BILANX_TRY(tree_load_file(SITE_FILE, &out->yaml));
    return tree_read(&out->yaml, &out->yaml.root, keys, "the settings of a cluster", out);
}

// Options of sbatch can name programs, too.
struct bilanx_error site_settings_check(const struct site_settings *settings)
{
    static const char *const naming[] = {"bilanx", "sbatch_options"};
    AUTO(text) struct text why = {0};
    for (size_t i = 0; i < sizeof naming / sizeof *naming; i++) {
        const struct tree_node *node =
            settings->yaml.root.kind == YAML_MAP ? tree_get(&settings->yaml.root, naming[i]) : NULL;
        if (!node || trust_has(".", &why))
            continue;
        return tree_error(&settings->yaml, node,
                          "'%s' can make the nodes run any program, and this file was found, not "
                          "named: if you trust it, run 'bilanx trust .' once%s%s%s",
                          naming[i], why.size ? " (" : "", text_get(&why), why.size ? ")" : "");
    }
    return BILANX_SUCCESS;
}

const char *site_folder(const struct site_settings *settings)
{
    return settings->folder ? settings->folder : ".bilanx/cluster";
}
