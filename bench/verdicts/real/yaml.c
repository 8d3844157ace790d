// yaml: counts the events of a small document.
#include <yaml.h>

#include "work.h"

static const unsigned char document[] = "a: [1, 'b']\nc: d\n";

static int count_events(void);

// Definitions, in any order.

static int count_events(void)
{
    yaml_parser_t parser;
    yaml_event_t event;
    int count = 0, last = 0;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, document, sizeof document - 1);
    while (!last && yaml_parser_parse(&parser, &event)) {
        last = event.type == YAML_STREAM_END_EVENT;
        count++;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return count;
}

void prepare(void)
{
    EXPECT(count_events() == 13);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(count_events());
}
