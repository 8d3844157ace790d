// libraries: controls the number of threads that OpenMP and BLAS use, wherever they are loaded.
#ifndef WORKER_LIBRARIES_H
#define WORKER_LIBRARIES_H

// Sets the number of threads in every such library of this process. Returns how many libraries
// there are. The setting belongs to the calling thread or process, so a fork does not affect its
// parent.
int libraries_set_threads(int threads);

// Returns how many threads were started by libraries that survive a fork: OpenBLAS stops its
// threads before a fork and restarts them afterwards.
int libraries_safe_threads(void);

#endif
