// provenance: the state of the repository that a record belongs to.
#include "provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/json_writer.h"
#include "base/list.h"
#include "base/mem.h"
#include "facts.h"

// A repository may be huge; facts that take longer than this are left out.
static const double PATIENCE_S = 2;

struct place {
    const char *folder;
    const struct surroundings *surroundings;
};

// Appends git's answer to `words`. Returns whether it succeeded.
static bool ask(const struct place *place, const char *const *words, struct text *answer)
{
    // Switches off programs that a repository's own settings could run.
    const char *argv[24] = {"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"};
    size_t count = 5;
    for (; *words; words++)
        argv[count++] = *words;
    static char no_locks[] = "GIT_OPTIONAL_LOCKS=0";
    char *const variables[] = {no_locks, NULL};
    int status = 0;
    struct bilanx_error error =
        capture_run(&(struct capture_options){.argv = argv,
                                              .surroundings = place->surroundings,
                                              .directory = place->folder,
                                              .environment = variables,
                                              .timeout_s = PATIENCE_S},
                    answer, &status);
    return error.status == BILANX_OK && status == 0;
}
#define ASK(place, answer, ...) ask(place, (const char *const[]){__VA_ARGS__, NULL}, answer)

static void split(const struct text *answer, struct list *lines)
{
    list_split_lines(lines, text_get(answer));
}

// A remote's address without the password that it may contain.
static void add_repository(struct json_writer *json, const struct place *place, const char *top)
{
    AUTO(text) struct text answer = {0};
    AUTO(list) struct list lines = {0};
    if (ASK(place, &answer, "config", "--get", "remote.origin.url"))
        split(&answer, &lines);
    if (lines.count == 0) {
        const char *name = strrchr(top, '/');
        writer_key_text(json, "repository", name && name[1] ? name + 1 : top);
        return;
    }
    const char *url = lines.items[0], *after = strstr(url, "://");
    const char *user = after ? after + 3 : NULL, *at = user ? strchr(user, '@') : NULL;
    bool named = at && at < user + strcspn(user, "/");
    AUTO(memory) char *bare =
        named ? mem_format("%.*s%s", (int)(user - url), url, at + 1) : mem_text(url);
    writer_key_text(json, "repository", bare);
}

// The number of commits up to this one orders the commits of a branch.
static void add_depth(struct json_writer *json, const struct place *place, bool shallow)
{
    AUTO(text) struct text answer = {0};
    if (!shallow && ASK(place, &answer, "rev-list", "--count", "HEAD"))
        writer_key_count(json, "depth", strtoull(text_get(&answer), NULL, 10));
}

static void add_dirty(struct json_writer *json, const struct place *place)
{
    AUTO(text) struct text answer = {0};
    if (!ASK(place, &answer, "status", "--porcelain", "--untracked-files=no"))
        return;
    writer_key(json, "dirty");
    writer_bool(json, answer.size > 0);
}

static bool is_hash(const char *text)
{
    size_t size = strspn(text, "0123456789abcdef");
    return size >= 40 && !text[size];
}

char *provenance_of(const char *folder, const struct surroundings *surroundings)
{
    enum { TOP, BRANCH, SHALLOW, FACTS };
    enum { COMMIT, DATE, DESCRIBED };
    const struct place place = {folder, surroundings};
    AUTO(text) struct text facts = {0}, commit = {0};
    AUTO(list) struct list about = {0}, last = {0};
    if (!ASK(&place, &facts, "rev-parse", "--show-toplevel", "--abbrev-ref", "HEAD",
             "--is-shallow-repository") ||
        !ASK(&place, &commit, "log", "-1", "--no-show-signature",
             "--format=%H%n%cI%n%(describe:tags)"))
        return NULL;
    split(&facts, &about);
    split(&commit, &last);
    if (about.count < FACTS || last.count < DATE + 1 || !is_hash(last.items[COMMIT]))
        return NULL;
    struct text out = {0};
    struct json_writer json = {.out = &out};
    writer_open(&json, '{');
    add_repository(&json, &place, about.items[TOP]);
    writer_key_text(&json, "commit", last.items[COMMIT]);
    if (last.count > DESCRIBED && *last.items[DESCRIBED])
        writer_key_text(&json, "describe", last.items[DESCRIBED]);
    if (strcmp(about.items[BRANCH], "HEAD") != 0)  // otherwise no branch
        writer_key_text(&json, "branch", about.items[BRANCH]);
    writer_key_text(&json, "time", last.items[DATE]);
    add_depth(&json, &place, strcmp(about.items[SHALLOW], "true") == 0);
    add_dirty(&json, &place);
    writer_close(&json, '}');
    return text_take(&out);
}

char *provenance_text(const char *git, const char *key)
{
    return machine_fact(git, key);
}
