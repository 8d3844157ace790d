// hosts: the processes that have loaded the backends of a run.
//
// One is enough, unless a backend brings a library that another one has in a different version: it
// then gets a second process. Both use the same tensors, which are in a file in shared memory.
#ifndef OPERATOR_CASES_HOSTS_H
#define OPERATOR_CASES_HOSTS_H

#include "base/list.h"
#include "base/temporary.h"
#include "core/worker/client.h"
#include "sources/operator_cases/operator_cases.h"

enum { HOSTS_MOST = 2 };

struct ops_host {
    struct client client;
    bool running;
    bool is_open;  // a call is open
    unsigned times_opened;
    bool python;
};

struct ops_hosts {
    struct ops *ops;
    struct ops_host items[HOSTS_MOST];
    size_t count;
    struct temporary folder;  // for tensors that processes share, and results to compare
    struct list environment;
    char *program;  // bilanx-worker
    char *script;   // for Python; NULL: not needed
    uint64_t cold_bytes;
    double patience_s;  // an answer may take at least this long
};

// Words of requests: how a process is set up, which backend it loads, which call it opens.
void host_add_setup(const struct ops_hosts *hosts, struct text *words);
void host_add_backend(const struct ops_backend *backend, struct text *words);
void host_add_call(const struct operator_options *data, const char *name, const char *arguments,
                   struct text *words);
const char *host_interpreter(const struct ops_hosts *hosts);

// Starts a process that is not running, and loads its backends.
struct bilanx_error host_revive(struct ops_hosts *hosts, size_t host);

// Opens a call in a process; the answer to further requests concerns that call.
struct bilanx_error host_open(struct ops_hosts *hosts, size_t host, const char *name,
                              const char *arguments);
struct bilanx_error host_open_empty(struct ops_hosts *hosts, size_t host, const char *name,
                                    const char *arguments);  // without data: nothing can run
void host_close(struct ops_hosts *hosts, size_t host);
void hosts_drop_tensors(const struct ops_hosts *hosts);  // those that processes shared

// Sends a request about a backend of the open call: `words` is added to it, and may be "".
struct bilanx_error host_ask(struct ops_hosts *hosts, size_t backend, const char *verb,
                             const char *words, const char *answered, struct message *answer);

// Returns whether an error means that the process of the open call is gone.
bool host_lost(const struct bilanx_error *error);

#endif
