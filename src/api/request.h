// request: what a C program asks for, as a source of cases and as a list of records.
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
    struct bilanx_record *records;  // in step with the cases; their kind is NULL until measured
    size_t count, room;
    struct run_observer observer;  // keeps records and tells the caller
};
void request_done(struct request *request);
SCOPE_VALUE(request, request_done)

// Opens the source that the options name and prepares it.
struct bilanx_error request_open(struct request *request, const struct bilanx_run_options *options,
                                 enum source_purpose purpose);

// Gives the records that there are to the caller, in the order of the cases.
void request_give(struct request *request, struct bilanx_record **records, size_t *count);

#endif
