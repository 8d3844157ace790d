// metric: which value of a record fills a cell, and how it is printed.
#ifndef COMPARE_METRIC_H
#define COMPARE_METRIC_H

#include "base/text.h"
#include "core/stats/units.h"
#include "results/compare/collate.h"

struct quantity {
    double value, low, high;  // interval: NaN if unknown
};

struct metric {
    const char *name;
    const char *unit;  // in files: "s"; "" for a plain number
    int better;        // -1: less is better, 1: more, 0: unknown
    // The value is NaN if the record has none.
    struct quantity (*of)(const struct metric *metric, const struct bilanx_record *record);
    const char *(*print)(double value, double half_width, char out[UNITS_SIZE]);
    // For metrics in words, instead of print().
    void (*say)(const struct bilanx_record *record, struct text *out);
    bool counted;  // by events: nothing that disturbs times affects it
};

// Finds a metric by name; an unknown name means the counter of that name.
struct metric metric_find(const char *name);

bool metric_is_known(const char *name);  // not the name of a counter

// Whether a warning of this code casts doubt on a value of the metric.
bool metric_doubts(const struct metric *metric, const char *code);

// Adds the names of all metrics in a record, each once.
void metric_names(const struct bilanx_record *record, struct list *out);

#endif
