#include "check_sample.h"

#include <stdlib.h>

#include "base/mem.h"

// Makes the host keep the baseline's results, and sends them to the other process, if there is one.
static struct bilanx_error expect(struct measuring *m, struct message *answer)
{
    AUTO(text) struct text words = {0};
    AUTO(memory) char *path = mem_format("%s/expected", m->hosts->folder.path);
    if (m->hosts->count > 1)
        message_add(&words, "to", path);
    BILANX_TRY(host_ask(m->hosts, 0, "expect", text_get(&words), "expected", answer));
    size_t home = m->ops->backends.items[0].host;
    for (size_t i = 1; m->hosts->count > 1 && i < m->ops->backends.count; i++) {
        if (m->ops->backends.items[i].host == home || m->sample->times[i].state != OPS_PENDING)
            continue;
        AUTO(text) struct text from = {0};
        message_add(&from, "from", path);
        struct bilanx_error error =
            host_ask(m->hosts, i, "expect", text_get(&from), "expected", NULL);
        if (error.status != BILANX_OK)
            BILANX_TRY(measuring_fail(m, i, &error));
    }
    return BILANX_SUCCESS;
}

static struct bilanx_error expect_usual(struct measuring *m)
{
    AUTO(message) struct message answer = {0};
    struct bilanx_error error = expect(m, &answer);
    if (error.status != BILANX_OK)
        return measuring_fail(m, 0, &error);
    BILANX_TRY(message_number(&answer, "bytes", &m->sample->bytes));
    return message_number(&answer, "flops", &m->sample->flops);
}

// Many libraries do not define their results for NaN and infinities, so a difference is reported,
// but the time counts.
static void disagree(struct ops_time *time, enum operator_draw draw, const char *text)
{
    if (draw == DRAW_SPECIAL) {
        time->differs_on_special = true;
        return;
    }
    AUTO(memory) char *why = draw == DRAW_USUAL ? mem_format("wrong: %s", text)
                                                : mem_format("wrong on %s elements: %s",
                                                             operator_draw_names[draw], text);
    measuring_set_state(time, OPS_WRONG, BILANX_E_FAILED, why);
}

static struct bilanx_error check(struct measuring *m, size_t backend, enum operator_draw draw)
{
    AUTO(message) struct message answer = {0};
    struct ops_time *time = &m->sample->times[backend];
    measuring_be_patient(m, backend);
    struct bilanx_error error = host_ask(m->hosts, backend, "check", "", "checked", &answer);
    if (error.status != BILANX_OK)
        return measuring_fail(m, backend, &error);
    uint64_t agrees = 1;
    BILANX_TRY(message_count(&answer, "agrees", &agrees));
    if (draw == DRAW_USUAL || (!agrees && draw != DRAW_SPECIAL))
        BILANX_TRY(message_number(&answer, "error", &time->error));
    if (!agrees)
        disagree(time, draw, message_text(&answer, "text"));
    return BILANX_SUCCESS;
}

static bool is_comparable(const struct measuring *m)
{
    const char *name = m->of->logged->name;
    return !m->ops->options.unchecked && !operator_result_is_undefined(name) &&
           !operator_result_is_random(name);
}

static bool is_pending(const struct measuring *m, size_t backend)
{
    return m->sample->times[backend].state == OPS_PENDING;
}

static struct bilanx_error check_usual(struct measuring *m)
{
    BILANX_TRY(expect_usual(m));
    for (size_t i = 1; is_comparable(m) && i < m->ops->backends.count; i++) {
        bool again = is_pending(m, 0);
        if (again && is_pending(m, i))
            BILANX_TRY(check(m, i, DRAW_USUAL));
        if (m->sample->times[i].state == OPS_FAILED && again)
            BILANX_TRY(expect_usual(m));  // the new process does not have them
    }
    return BILANX_SUCCESS;
}

// ---- On extreme data

// A backend of a process that can answer; SIZE_MAX: there is none.
static size_t pending_backend(const struct measuring *m, size_t host)
{
    for (size_t i = 0; i < m->ops->backends.count; i++)
        if (m->ops->backends.items[i].host == host && is_pending(m, i))
            return i;
    return SIZE_MAX;
}

static struct bilanx_error draw_data(struct measuring *m, enum operator_draw draw, bool *changed)
{
    AUTO(text) struct text words = {0};
    message_add(&words, "data", operator_draw_names[draw]);
    *changed = false;
    for (size_t host = 0; host < m->hosts->count; host++) {
        AUTO(message) struct message answer = {0};
        uint64_t count = 0;
        size_t backend = pending_backend(m, host);
        if (backend == SIZE_MAX)
            continue;
        struct bilanx_error error =
            host_ask(m->hosts, backend, "draw", text_get(&words), "drawn", &answer);
        if (error.status != BILANX_OK)
            return measuring_fail(m, backend, &error);
        BILANX_TRY(message_count(&answer, "changed", &count));
        *changed = *changed || count;
    }
    return BILANX_SUCCESS;
}

// Draws other data and keeps the baseline's results. Sets `ready` if there is something to compare:
// the draw may not apply to the data, and the baseline may refuse such data.
static struct bilanx_error prepare_draw(struct measuring *m, enum operator_draw draw, bool *ready)
{
    AUTO(message) struct message answer = {0};
    BILANX_TRY(draw_data(m, draw, ready));
    if (!*ready || !is_pending(m, 0)) {
        *ready = false;
        return BILANX_SUCCESS;
    }
    measuring_be_patient(m, 0);
    struct bilanx_error error = expect(m, &answer);
    *ready = error.status == BILANX_OK;
    bool is_lost = error.status == BILANX_E_INTERRUPTED || host_lost(&error);
    return is_lost && !*ready ? measuring_fail(m, 0, &error) : BILANX_SUCCESS;
}

// A process that was restarted no longer has the expected results.
static struct bilanx_error check_draw(struct measuring *m, enum operator_draw draw)
{
    bool ready = false;
    for (size_t i = 1; i < m->ops->backends.count; i++) {
        if (!is_pending(m, 0) || !is_pending(m, i))
            continue;
        if (!ready)
            BILANX_TRY(prepare_draw(m, draw, &ready));
        if (!ready)
            return BILANX_SUCCESS;
        if (is_pending(m, i))
            BILANX_TRY(check(m, i, draw));
        ready = m->sample->times[i].state != OPS_FAILED;
    }
    return BILANX_SUCCESS;
}

struct bilanx_error check_sample(struct measuring *m)
{
    BILANX_TRY(check_usual(m));
    if (!is_comparable(m) || m->ops->backends.count < 2)
        return BILANX_SUCCESS;
    for (int draw = DRAW_USUAL + 1; draw < OPERATOR_DRAWS; draw++)
        BILANX_TRY(check_draw(m, (enum operator_draw)draw));
    bool unused;
    return is_pending(m, 0) ? draw_data(m, DRAW_USUAL, &unused) : BILANX_SUCCESS;
}
