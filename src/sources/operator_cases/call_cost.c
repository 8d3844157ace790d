// call_cost: measures the cost of a backend's call itself.
#include "call_cost.h"

#include "base/text.h"

// The minimum of many batches, because disturbances only add time.
enum { BATCHES = 20, CALLS = 500 };

static struct bilanx_error measure(struct ops_hosts *hosts, size_t backend, double *call_s)
{
    AUTO(text) struct text words = {0};
    double least_ns = 0;
    BILANX_TRY(host_ask(hosts, backend, "ready", "", "is_ready", NULL));
    message_add_count(&words, "calls", CALLS);
    for (int i = 0; i < BATCHES; i++) {
        AUTO(message) struct message answer = {0};
        double ns = 0;
        BILANX_TRY(host_ask(hosts, backend, "run", text_get(&words), "ran", &answer));
        BILANX_TRY(message_number(&answer, "ns", &ns));
        if (i == 0 || ns < least_ns)
            least_ns = ns;
    }
    *call_s = least_ns / CALLS / 1e9;
    return BILANX_SUCCESS;
}

struct bilanx_error ops_measure_call_costs(struct ops_hosts *hosts)
{
    struct ops_backends *backends = &hosts->ops->backends;
    if (hosts->cold_bytes)  // sweeping before each call would take minutes
        return BILANX_SUCCESS;
    for (size_t i = 0; i < backends->count; i++) {
        struct ops_backend *backend = &backends->items[i];
        struct bilanx_error error =
            host_open(hosts, backend->host, "bilanx.null.default", "((T([1], f32),), {})");
        if (error.status == BILANX_OK)
            error = measure(hosts, i, &backend->call_s);
        if (error.status == BILANX_E_INTERRUPTED)
            return error;
        host_close(hosts, backend->host);
    }
    return BILANX_SUCCESS;
}
