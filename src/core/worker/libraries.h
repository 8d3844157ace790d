// libraries: the number of threads that OpenMP and BLAS use, wherever they are loaded.
#ifndef WORKER_LIBRARIES_H
#define WORKER_LIBRARIES_H

// Tells every such library of this process; returns how many there are. Their settings belong to
// the calling thread or the process, so a fork's parent keeps its own.
int libraries_set_threads(int threads);

// How many threads have been started by libraries that know how to survive a fork: OpenBLAS stops
// its own before one and starts them again.
int libraries_safe_threads(void);

#endif
