// rapidjson: parses a small document, from the header, in C++.
#include <rapidjson/document.h>

#include "work.h"

static const char text[] =
    "{\"name\": \"Anna\", \"age\": 31, \"tags\": [\"a\", \"b\", null, true], \"at\": {\"x\": 1.5}}";

static int parse();

// Definitions, in any order.

static int parse()
{
    rapidjson::Document document;
    document.Parse(text);
    return document.HasParseError() ? -1 : document["age"].GetInt();
}

void prepare()
{
    EXPECT(parse() == 31);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(parse());
}
