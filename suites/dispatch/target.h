#ifndef DISPATCH_TARGET_H
#define DISPATCH_TARGET_H

long dispatch_target(long x);
long dispatch_caller(long x);

#endif
