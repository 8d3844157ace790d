// snippets: the worker for statements: compiles them, loads what was compiled, runs it.
#ifndef SNIPPETS_SNIPPETS_H
#define SNIPPETS_SNIPPETS_H

// Serves whoever started this process, as the environment tells. Returns the exit status; 2 when
// nobody did.
int snippets_serve(void);

#endif
