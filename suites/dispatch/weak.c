// A default that strong.c overrides.
__attribute__((weak)) long dispatch_default(long x)
{
    return x - 1;
}
