// request: a request of a C program, as a source of cases and a list of records.
#ifndef API_REQUEST_H
#define API_REQUEST_H

#include "base/list.h"
#include "bilanx/run.h"
#include "sources/source/source.h"
#include "sources/statements/statements.h"

struct request {
    const struct bilanx_run_options *options;
    struct statement_options code;
    struct words sources, includes, tags;
    struct source source;
    struct bilanx_record *records;  // parallel to the cases; kind NULL until measured
    size_t count, room;
    struct run_observer observer;  // keeps records and notifies the caller
};
void request_done(struct request *request);
SCOPE_VALUE(request, request_done)

// Opens and prepares the source that the options name. Checks the numbers in them.
struct bilanx_error request_open(struct request *request, const struct bilanx_run_options *options,
                                 enum source_purpose purpose);

// Passes the existing records to the caller, in case order.
void request_give(struct request *request, struct bilanx_record **records, size_t *count);

#endif
