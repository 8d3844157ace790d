// own_json: a tokenizer for JSON that allocates nothing.
#include <stddef.h>

#include "work.h"

enum kind { OBJECT, ARRAY, STRING, OTHER };
struct token {
    enum kind kind;
    int start, end, parent;
};
struct lexer {
    const char *text;
    struct token *tokens;
    int at, count, most, parent;
};
static const char document[] =
    "{\"name\": \"Anna \\\"A\\\"\", \"age\": 31, \"tags\": [\"a\", \"b\", null, true],"
    " \"at\": {\"x\": -1.5e3, \"y\": []}}";

static struct token *add(struct lexer *lexer, enum kind kind, int start);
static int open_token(struct lexer *lexer, enum kind kind);
static int close_token(struct lexer *lexer, enum kind kind);
static int read_string(struct lexer *lexer);
static int read_other(struct lexer *lexer);
static int step(struct lexer *lexer);
static int tokenize(const char *text, struct token *tokens, int most);

// Definitions, in any order.

static struct token *add(struct lexer *lexer, enum kind kind, int start)
{
    if (lexer->count == lexer->most)
        return NULL;
    struct token *token = &lexer->tokens[lexer->count++];
    *token = (struct token){kind, start, -1, lexer->parent};
    return token;
}

static int open_token(struct lexer *lexer, enum kind kind)
{
    if (!add(lexer, kind, lexer->at++))
        return 0;
    lexer->parent = lexer->count - 1;
    return 1;
}

static int close_token(struct lexer *lexer, enum kind kind)
{
    if (lexer->parent < 0 || lexer->tokens[lexer->parent].kind != kind)
        return 0;
    struct token *token = &lexer->tokens[lexer->parent];
    token->end = ++lexer->at;
    lexer->parent = token->parent;
    return 1;
}

static int read_string(struct lexer *lexer)
{
    struct token *token = add(lexer, STRING, ++lexer->at);
    if (!token)
        return 0;
    for (; lexer->text[lexer->at] && lexer->text[lexer->at] != '"'; lexer->at++)
        if (lexer->text[lexer->at] == '\\' && lexer->text[lexer->at + 1])
            lexer->at++;
    token->end = lexer->at;
    return lexer->text[lexer->at++] == '"';
}

static int read_other(struct lexer *lexer)
{
    struct token *token = add(lexer, OTHER, lexer->at);
    if (!token)
        return 0;
    for (;; lexer->at++) {
        switch (lexer->text[lexer->at]) {
        case '\0':
        case ' ':
        case '\n':
        case ',':
        case ':':
        case ']':
        case '}':
            token->end = lexer->at;
            return token->end > token->start;
        default:
            break;
        }
    }
}

static int step(struct lexer *lexer)
{
    switch (lexer->text[lexer->at]) {
    case '{':
        return open_token(lexer, OBJECT);
    case '[':
        return open_token(lexer, ARRAY);
    case '}':
        return close_token(lexer, OBJECT);
    case ']':
        return close_token(lexer, ARRAY);
    case '"':
        return read_string(lexer);
    case ' ':
    case '\n':
    case ':':
    case ',':
        lexer->at++;
        return 1;
    default:
        return read_other(lexer);
    }
}

static int tokenize(const char *text, struct token *tokens, int most)
{
    struct lexer lexer = {.text = text, .tokens = tokens, .most = most, .parent = -1};
    while (text[lexer.at])
        if (!step(&lexer))
            return -1;
    return lexer.parent < 0 ? lexer.count : -1;
}

void prepare(void)
{
    struct token tokens[32];
    EXPECT(tokenize(document, tokens, 32) == 17 && tokens[2].end - tokens[2].start == 10);
    EXPECT(tokenize("[1, 2}", tokens, 32) == -1);
}

void work(unsigned long times)
{
    struct token tokens[32];
    for (; times > 0; times--) {
        KEEP(tokenize(document, tokens, 32));
        KEEP(tokens);
    }
}
