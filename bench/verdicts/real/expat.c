// expat: parses a small document, with handlers that count.
#include <expat.h>
#include <string.h>

#include "work.h"

static const char document[] =
    "<list kind=\"bench\"><item id=\"1\">one</item><item id=\"2\">two &amp; more</item>"
    "<item id=\"3\"/></list>";
static XML_Parser parser;
static int started, ended;

static void XMLCALL start(void *data, const XML_Char *name, const XML_Char **attributes);
static void XMLCALL end(void *data, const XML_Char *name);
static enum XML_Status parse(void);

// Definitions, in any order.

static void XMLCALL start(void *data, const XML_Char *name, const XML_Char **attributes)
{
    (void)data, (void)name, (void)attributes;
    started++;
}

static void XMLCALL end(void *data, const XML_Char *name)
{
    (void)data, (void)name;
    ended++;
}

// A fixed salt; otherwise each parse asks the kernel for one, and hashes differ.
static enum XML_Status parse(void)
{
    XML_ParserReset(parser, NULL);
    XML_SetHashSalt(parser, 1);
    XML_SetElementHandler(parser, start, end);
    return XML_Parse(parser, document, sizeof document - 1, 1);
}

void prepare(void)
{
    parser = XML_ParserCreate(NULL);
    EXPECT(parser && parse() == XML_STATUS_OK);
    EXPECT(started == 4 && ended == 4);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        parse();
}
