// http: parses the head of a request.
#include <http_parser.h>
#include <string.h>

#include "work.h"

static const char request[] =
    "GET /a/b?c=d HTTP/1.1\r\nHost: example.org\r\nAccept: text/html\r\nConnection: close\r\n\r\n";
static http_parser_settings settings;
static int fields;

static int on_field(http_parser *parser, const char *at, size_t length);
static size_t parse(void);

// Definitions, in any order.

static int on_field(http_parser *parser, const char *at, size_t length)
{
    (void)parser, (void)at;
    fields += length > 0;
    return 0;
}

static size_t parse(void)
{
    http_parser parser;
    http_parser_init(&parser, HTTP_REQUEST);
    return http_parser_execute(&parser, &settings, request, sizeof request - 1);
}

void prepare(void)
{
    http_parser_settings_init(&settings);
    settings.on_header_field = on_field;
    EXPECT(parse() == sizeof request - 1 && fields == 3);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(parse());
}
