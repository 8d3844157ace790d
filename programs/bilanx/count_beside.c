// count_beside: counts for records that have their times already.
#include "count_beside.h"

void count_beside_init(struct count_beside *beside, const struct console_settings *settings)
{
    collector_init(&beside->collector, &(struct collect_options){
                                           .timeout = settings->timeout,
                                           .max_memory = settings->max_memory,
                                       });
}

void count_beside_done(struct count_beside *beside)
{
    collector_done(&beside->collector);
}

void count_beside(struct count_beside *beside, const struct run_case *item,
                  struct bilanx_record *record)
{
    AUTO(bilanx_record) struct bilanx_record counted = {0};
    const char *reason = item->failure ? item->failure->text : NULL;
    if (!reason &&
        collector_count(&beside->collector, &(struct collect_task){.item = item}, &counted)
                .status != BILANX_OK)
        return;  // ^C: the run notices by itself
    if (counted.error)
        reason = counted.error->text;
    if (reason)
        record_warn(record, "not-counted", "%s", reason);
    record_take_warnings(record, &counted);
    record->counts = counted.counts;
    counted.counts = NULL;
}
