// git: revisions of a repository.
#include "base/mem.h"
#include "base/text.h"
#include "kinds.h"

struct bilanx_error revision_open(struct side *side, const char *rest,
                                  const struct side_options *options)
{
    (void)options;
    if (!text_equal(rest, "."))
        return bilanx_error_make(BILANX_E_USAGE, "revisions are not checked out yet");
    side->title = mem_text("the tree as it is");
    return BILANX_SUCCESS;
}

struct bilanx_error revisions_between(const struct side_options *options, const char *from,
                                      const char *to, struct list *commits)
{
    (void)options, (void)from, (void)to, (void)commits;
    return bilanx_error_make(BILANX_E_USAGE, "revisions are not listed yet");
}

struct bilanx_error revision_title(const struct side_options *options, const char *revision,
                                   char **out)
{
    (void)options;
    *out = mem_text(revision);
    return BILANX_SUCCESS;
}
