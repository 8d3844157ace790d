// source: where cases come from.
//
//     AUTO(source) struct source source = {0};
//     BILANX_TRY(source_open(kind, &request, &source));     // which cases there are
//     BILANX_TRY(source_prepare(&source));                  // compiled, if necessary
//     run_measure(&source.cases, ...);
//
// Statements, suites, benchmark programs, commands and logs of operators are kinds of sources. Code
// that measures, counts or compares cases need not know which. To add a kind, write a file that
// ends in a `const struct source_kind` and list it below.
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include "base/options.h"
#include "base/tell.h"
#include "core/run/run.h"

struct statement_options;

enum source_purpose {  // what the cases are prepared for
    SOURCE_TO_TIME,
    SOURCE_FOR_VALGRIND,  // compiled for valgrind, with an empty loop
    SOURCE_FOR_PERF,      // as for timing, with an empty loop
    SOURCE_TO_SAMPLE,     // as for timing, with debug information and a single layout
};

// The request. Each kind uses the fields it needs; all must outlive the source.
struct source_request {
    const char *const *words;  // statements, files, programs, or the words of a command
    size_t word_count;
    const char *name;  // for the case of a single statement; NULL: derived from its text
    enum source_purpose purpose;
    const struct statement_options *code;          // how statements are compiled and run
    const struct surroundings *surroundings;       // where processes start; NULL: here
    const char *filter;                            // a regular expression for names; NULL: all
    const struct words *tags, *without_languages;  // for suites; may be NULL
    bool backtest;                                 // only cases available in the subject's version
    bool with_others;                              // also what overheads are measured against
    struct tell tell;                              // reports what concerns several cases
};

struct source {
    const struct source_kind *kind;
    struct source_request request;
    struct run_cases cases;  // names and tasks once open; complete once prepared
    size_t *places;  // positions of the cases among all, after source_keep(); NULL: all kept
    bool prepared;
    bool incomplete;  // part of it could not be opened; the reason was reported
    void *state;      // belongs to the kind; owns what the cases point to
};

struct source_kind {
    const char *name;
    // Whether a word of the command line names such a source; NULL: selected by an option.
    bool (*takes)(const char *word);
    struct bilanx_error (*open)(struct source *source);
    // Prepares some cases and sets whether there are more; NULL: nothing to prepare.
    struct bilanx_error (*prepare)(struct source *source, bool *more);
    // The case at a place while others are still being prepared; NULL: not ready yet. Kinds without
    // this function have all cases ready at once.
    const struct run_case *(*ready)(const struct source *source, size_t place);
    // Completes the record of a timed case: what is known about the case, and whether the number
    // can be trusted. NULL: nothing to add.
    void (*check)(struct source *source, size_t place, struct bilanx_record *record);
    // The same cases for another purpose; `out` must not outlive `source`. NULL: open it again.
    struct bilanx_error (*duplicate)(const struct source *source, struct source *out);
    // Drops the cases whose `keep` is false, before anything is prepared. NULL: it cannot be
    // divided.
    void (*keep)(struct source *source, const bool *keep);
    void (*done)(struct source *source);
};

#define SOURCE_KINDS(kind)                                                            \
    kind(statement_source) kind(suite_source) kind(null_source) kind(operator_source) \
        kind(command_source) kind(program_source)  // accepts any word that no other kind takes
#define SOURCE_DECLARE(kind) extern const struct source_kind kind;
SOURCE_KINDS(SOURCE_DECLARE)

// The kind of source that a word of the command line names.
const struct source_kind *source_kind_of(const char *word);

struct bilanx_error source_open(const struct source_kind *kind,
                                const struct source_request *request, struct source *out);
void source_done(struct source *source);
SCOPE_VALUE(source, source_done)

// Drops the cases whose `keep` is false; `keep` is parallel to the cases. Nothing may be prepared
// yet.
struct bilanx_error source_keep(struct source *source, const bool *keep);

// The position of a case among all cases, those dropped included.
size_t source_place(const struct source *source, size_t at);

// Prepares all remaining cases.
struct bilanx_error source_prepare(struct source *source);

// Prepares some cases and sets whether there are more.
struct bilanx_error source_prepare_some(struct source *source, bool *more);

// The case at a place; NULL: not ready yet. Another thread may be preparing it.
const struct run_case *source_case(const struct source *source, size_t place);

void source_check(struct source *source, size_t place, struct bilanx_record *record);

// For kinds whose `cases` are their own: drops some of them.
void source_keep_cases(struct source *source, const bool *keep);

// For kinds: reports what concerns several cases.
void source_tell(const struct source *source, const char *text);

// The same cases, prepared for another purpose.
struct bilanx_error source_duplicate(const struct source *source, enum source_purpose purpose,
                                     struct source *out);

#endif
