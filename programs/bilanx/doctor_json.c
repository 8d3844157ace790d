// doctor_json: the doctor's findings and figures as JSON; docs/formats/doctor.md describes it.
#include "doctor_report.h"

#include "base/json_writer.h"

static void add_findings(struct json_writer *json, const struct bilanx_doctor *doctor)
{
    writer_key(json, "findings");
    writer_open(json, '[');
    for (size_t i = 0; i < doctor->finding_count; i++) {
        const struct bilanx_finding *finding = &doctor->findings[i];
        writer_open(json, '{');
        writer_key_text(json, "group", finding->group);
        writer_key_text(json, "name", finding->name);
        writer_key_text(json, "grade", bilanx_grade_word(finding->grade));
        writer_key_text(json, "text", finding->text);
        if (finding->command[0])
            writer_key_text(json, "command", finding->command);
        writer_close(json, '}');
    }
    writer_close(json, ']');
}

static void add_clocks(struct json_writer *json, const struct bilanx_doctor_figures *figures)
{
    writer_key(json, "clocks");
    writer_open(json, '[');
    for (size_t i = 0; i < figures->clock_count; i++) {
        const struct bilanx_doctor_clock *clock = &figures->clocks[i];
        writer_open(json, '{');
        writer_key_text(json, "name", clock->name);
        writer_key_number(json, "cost", clock->cost_ns / 1e9);
        writer_key_number(json, "resolution", clock->resolution_ns / 1e9);
        writer_close(json, '}');
    }
    writer_close(json, ']');
}

static void add_gaps(struct json_writer *json, const struct bilanx_doctor_gaps *gaps)
{
    writer_key(json, "interruptions");
    writer_open(json, '{');
    writer_key_number(json, "watched", gaps->watched_ns / 1e9);
    writer_key_number(json, "threshold", gaps->threshold_ns / 1e9);
    writer_key_count(json, "count", gaps->count);
    writer_key_number(json, "per_second", gaps->per_second);
    writer_key_number(json, "median", gaps->median_ns / 1e9);
    writer_key_number(json, "max", gaps->max_ns / 1e9);
    writer_key_number(json, "share", gaps->share);
    writer_close(json, '}');
}

static void add_core(struct json_writer *json, const struct bilanx_doctor_core *core)
{
    writer_key(json, "core");
    writer_open(json, '{');
    writer_key_number(json, "free", core->free);
    if (core->sibling >= 0) {
        writer_key_count(json, "sibling", (uint64_t)core->sibling);
        writer_key_number(json, "free_beside_load", core->free_beside_load);
    }
    writer_key_count(json, "tried", (uint64_t)core->tried);
    writer_key_number(json, "floor", core->floor);
    if (core->since[0])
        writer_key_text(json, "since", core->since);
    writer_close(json, '}');
}

static void add_batches(struct json_writer *json, const struct bilanx_doctor_figures *figures)
{
    writer_key(json, "batches");
    writer_open(json, '[');
    for (size_t i = 0; i < BILANX_DOCTOR_LENGTHS; i++) {
        const struct bilanx_doctor_batches *batches = &figures->batches[i];
        writer_open(json, '{');
        writer_key_number(json, "target", batches->target_ns / 1e9);
        writer_key_count(json, "count", batches->count);
        writer_key_number(json, "median", batches->median_ns / 1e9);
        writer_key_number(json, "iqr", batches->iqr);
        writer_key_number(json, "epoch", batches->epoch_ns / 1e9);
        writer_key_number(json, "estimate_sd", batches->estimate_sd);
        writer_close(json, '}');
    }
    writer_close(json, ']');
}

void doctor_json(const struct bilanx_doctor *doctor, struct text *out)
{
    struct json_writer json = {.out = out};
    writer_open(&json, '{');
    writer_key_text(&json, "schema", "bilanx/1");
    writer_key_text(&json, "kind", "doctor");
    writer_key_number(&json, "cpu", doctor->cpu);
    add_findings(&json, doctor);
    if (doctor->measured) {
        writer_key(&json, "measured");
        writer_open(&json, '{');
        writer_key_number(&json, "elapsed", doctor->figures.elapsed_ns / 1e9);
        add_clocks(&json, &doctor->figures);
        add_gaps(&json, &doctor->figures.gaps);
        writer_key_number(&json, "waited", doctor->figures.waited);
        writer_key_number(&json, "steal", doctor->figures.steal);
        add_batches(&json, &doctor->figures);
        add_core(&json, &doctor->figures.core);
        writer_close(&json, '}');
    }
    writer_close(&json, '}');
    text_add_char(out, '\n');
}
