// snippets: the worker for statements: compiles, loads and runs them.
#ifndef SNIPPETS_SNIPPETS_H
#define SNIPPETS_SNIPPETS_H

// Serves the process that started this one, as given by the environment. Returns the exit status; 2
// if there is no such process.
int snippets_serve(void);

#endif
