// check_record: whether a record is complete and consistent.
#ifndef READ_CHECK_RECORD_H
#define READ_CHECK_RECORD_H

#include "bilanx/record.h"

// Error texts start with `where`.
struct bilanx_error check_record(const struct bilanx_record *record, const char *where);

#endif
