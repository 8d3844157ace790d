long dispatch_default(long x);

long dispatch_default(long x)
{
    return x + 1;
}
