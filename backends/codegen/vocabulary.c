// vocabulary: the functions of generated C, each with those it needs.
//
// Errors of the f32 functions, over all floats, in units in the last place of the correctly rounded
// result: exp 1, log 1, tanh 2, erf 2; a test checks them. Coefficients are minimax fits to the
// relative error. In f64 the functions are those of libm, lane by lane.
#include "vocabulary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum kinds {
    F32 = 1,
    F64 = 2,
    WHOLE = 4,
    TRUTHS = 8,
    INTEGER = WHOLE | TRUTHS,
    REAL = 3,
    ANY_KIND = 15
};

struct word {
    const char *name;
    enum kinds kinds;
    const char *text;
};

#define LANES(name, call)                \
    "static inline V " name "(V x)\n{\n" \
    "    V y = x;\n    for (int i = 0; i < N; i++)\n        y[i] = " call ";\n    return y;\n}\n"

// Those that others use come first.
static const struct word words[] = {
    {"splat", ANY_KIND, "static inline V splat(T x)\n{\n    return x - (V){0};\n}\n"},
    {"pick", ANY_KIND,
     "// Lanes of `a` where the mask is set, of `b` elsewhere.\n"
     "static inline V pick(M mask, V a, V b)\n{\n"
     "    return (V)((mask & (M)a) | (~mask & (M)b));\n}\n"},
    {"is_nan", REAL, "static inline M is_nan(V x)\n{\n    return x != x;\n}\n"},
    {"is_nan", INTEGER, "static inline M is_nan(V x)\n{\n    return (M)(x & 0);\n}\n"},
    {"magnitude", REAL,
     "static inline V magnitude(V x)\n{\n    return (V)((M)x & ~(M)splat(-(T)0.0));\n}\n"},
    {"magnitude", INTEGER,
     "static inline V magnitude(V x)\n{\n    return pick(x < 0, -x, x);\n}\n"},
    {"sign_of", REAL,
     "// The magnitude of `x` with the sign of `y`.\n"
     "static inline V sign_of(V x, V y)\n{\n"
     "    M sign = (M)splat(-(T)0.0);\n"
     "    return (V)(((M)x & ~sign) | ((M)y & sign));\n}\n"},
    {"larger", REAL,
     "static inline V larger(V a, V b)  // a NaN wins\n{\n"
     "    return pick((a > b) | (a != a), a, b);\n}\n"},
    {"larger", INTEGER,
     "static inline V larger(V a, V b)\n{\n    return pick((M)(a > b), a, b);\n}\n"},
    {"smaller", REAL,
     "static inline V smaller(V a, V b)  // a NaN wins\n{\n"
     "    return pick((a < b) | (a != a), a, b);\n}\n"},
    {"smaller", INTEGER,
     "static inline V smaller(V a, V b)\n{\n    return pick((M)(a < b), a, b);\n}\n"},
    {"at_least", ANY_KIND,
     "static inline V at_least(V x, V bound)  // a NaN in x stays\n{\n"
     "    return pick((M)(x < bound), bound, x);\n}\n"},
    {"at_most", ANY_KIND,
     "static inline V at_most(V x, V bound)  // a NaN in x stays\n{\n"
     "    return pick((M)(x > bound), bound, x);\n}\n"},
    {"unbounded", REAL,
     "static inline M unbounded(V x)  // infinite or NaN\n{\n    return (M)(x - x != 0);\n}\n"},
    {"unreliable", F32,
     "// Infinite, NaN, or so small that some of what was added up may be lost.\n"
     "static inline M unreliable(V x)\n{\n"
     "    return ~((x >= 0x1p-100f) & (x <= 0x1.fffffep127f));\n}\n"},
    {"drowned", F32,
     "static inline M drowned(V x, V y, float share)  // x is less than a share of y\n{\n"
     "    return (M)(x < y * share);\n}\n"},
    {"any_of", ANY_KIND,
     "static inline int any_of(M mask)\n{\n"
     "    int any = 0;\n    for (int i = 0; i < N; i++)\n        any |= mask[i] != 0 ? -1 : 0;\n"
     "    return any;\n}\n"},
    {"root", F32, LANES("root", "__builtin_sqrtf(x[i])")},
    {"root", F64, LANES("root", "__builtin_sqrt(x[i])")},
    {"round_down", F32, LANES("round_down", "__builtin_floorf(x[i])")},
    {"round_down", F64, LANES("round_down", "__builtin_floor(x[i])")},
    {"round_down", INTEGER, "static inline V round_down(V x)\n{\n    return x;\n}\n"},
    {"round_up", F32, LANES("round_up", "__builtin_ceilf(x[i])")},
    {"round_up", F64, LANES("round_up", "__builtin_ceil(x[i])")},
    {"round_up", INTEGER, "static inline V round_up(V x)\n{\n    return x;\n}\n"},
    {"round_even", F32, LANES("round_even", "__builtin_rintf(x[i])")},
    {"round_even", F64, LANES("round_even", "__builtin_rint(x[i])")},
    {"round_even", INTEGER, "static inline V round_even(V x)\n{\n    return x;\n}\n"},
    {"round_to_zero", F32, LANES("round_to_zero", "__builtin_truncf(x[i])")},
    {"round_to_zero", F64, LANES("round_to_zero", "__builtin_trunc(x[i])")},
    {"round_to_zero", INTEGER, "static inline V round_to_zero(V x)\n{\n    return x;\n}\n"},
    {"scaled", F32,
     "// x times 2 to the n, which may be no normal number.\n"
     "static inline V scaled(V x, V n)\n{\n"
     "#if defined(__AVX512F__) && defined(WIDE_VECTORS)\n"
     "    return __builtin_ia32_scalefps512_mask(x, n, x, (unsigned short)-1, 4);\n"
     "#else\n"
     "    M whole = (M)(n + 0x1.8p23f) - 0x4b400000, half = whole >> 1;\n"
     "    return x * (V)((half + 127) << 23) * (V)((whole - half + 127) << 23);\n"
     "#endif\n}\n"},
    {"exponential", F32,
     "// e to the x, at most 1 ulp off: 2 to the n times e to the r, |r| <= ln(2) / 2.\n"
     "static inline V exponential(V x)\n{\n"
     "    x = at_most(at_least(x, splat(-104.0f)), splat(89.0f));  // beyond, all is 0 or "
     "infinite\n"
     "    const float shift = 0x1.8p23f;  // adding it rounds to an integer\n"
     "    V n = (x * 0x1.715476p0f + shift) - shift;\n"
     "    V r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;\n"
     "    V p = ((((0x1.6a1a6ep-10f * r + 0x1.123fc6p-7f) * r + 0x1.555916p-5f) * r +\n"
     "            0x1.55548ap-3f) * r + 0x1.fffffcp-2f);\n"
     "    return scaled((r * r) * p + r + 1.0f, n);\n}\n"},
    {"small_exponential", F32,
     "// The same where x is between -80 and 80 anyway.\n"
     "static inline V small_exponential(V x)\n{\n"
     "    const float shift = 0x1.8p23f;\n"
     "    V shifted = x * 0x1.715476p0f + shift, n = shifted - shift;\n"
     "    V r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;\n"
     "    V p = ((((0x1.6a1a6ep-10f * r + 0x1.123fc6p-7f) * r + 0x1.555916p-5f) * r +\n"
     "            0x1.55548ap-3f) * r + 0x1.fffffcp-2f);\n"
     "    p = (r * r) * p + r + 1.0f;\n"
     "    return (V)((M)p + ((M)shifted << 23));  // n is in the lowest bits\n}\n"},
    {"exponential", F64, LANES("exponential", "__builtin_exp(x[i])")},
    {"logarithm", F32,
     "// The natural logarithm, at most 1 ulp off: x is 2 to the e times m, m near 1.\n"
     "static inline V logarithm(V x)\n{\n"
     "    M tiny = x < 0x1p-126f;\n"
     "    V y = pick(tiny, x * 0x1p23f, x);\n"
     "    M bits = (M)y - 0x3f3504f3;  // the square root of 1/2\n"
     "    M exponent = bits >> 23;\n"
     "    V f = (V)((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;\n"
     "    V e = __builtin_convertvector(exponent, V) - pick(tiny, splat(23.0f), (V){0});\n"
     "    V p = 0x1.14573ep-4f * f - 0x1.de3bf8p-4f;\n"
     "    p = p * f + 0x1.e6f08cp-4f;\n"
     "    p = p * f - 0x1.fc220ep-4f;\n"
     "    p = p * f + 0x1.233766p-3f;\n"
     "    p = p * f - 0x1.555c4ep-3f;\n"
     "    p = p * f + 0x1.99a4b6p-3f;\n"
     "    p = p * f - 0x1.000006p-2f;\n"
     "    p = p * f + 0x1.555548p-2f;\n"
     "    V z = f * f;\n"
     "    V low = z * f * p + e * -0x1.bd0106p-13f - 0.5f * z;\n"
     "    y = (f + low) + e * 0x1.63p-1f;\n"
     "    y = pick(x == __builtin_inff(), x, y);\n"
     "    y = pick((x < 0) | (x != x), splat(__builtin_nanf(\"\")), y);\n"
     "    return pick(x == 0, splat(-__builtin_inff()), y);\n}\n"},
    {"logarithm", F64, LANES("logarithm", "__builtin_log(x[i])")},
    {"hyperbolic_tangent", F32,
     "// tanh, at most 2 ulp off: a polynomial near 0, by the exponential elsewhere.\n"
     "static inline V hyperbolic_tangent(V x)\n{\n"
     "    V a = magnitude(x), u = x * x;\n"
     "    V far = 1.0f - 2.0f / (exponential(2.0f * a) + 1.0f);\n"
     "    V p = ((((0x1.099c9ep-9f * u - 0x1.07b04ap-7f) * u + 0x1.62a9a8p-6f) * u -\n"
     "            0x1.b9d994p-5f) * u + 0x1.110ffap-3f) * u - 0x1.555552p-2f;\n"
     "    return sign_of(pick(a < 0.625f, x * (u * p) + x, far), x);\n}\n"},
    {"hyperbolic_tangent", F64, LANES("hyperbolic_tangent", "__builtin_tanh(x[i])")},
    {"error_function", F32,
     "// erf, at most 2 ulp off: a polynomial up to 1, 1 - e to a polynomial from there on.\n"
     "static inline V error_function(V x)\n{\n"
     "    V a = magnitude(x), u = x * x;\n"
     "    V p = (((((0x1.496a28p-14f * u - 0x1.a3f6fcp-11f) * u + 0x1.5405b2p-8f) * u -\n"
     "             0x1.b7f90cp-6f) * u + 0x1.ce2cf8p-4f) * u - 0x1.81273ep-2f) * u + "
     "0x1.06eba8p-3f;\n"
     "    V b = at_most(a, splat(4.0f));\n"
     "    V q = ((((((0x1.6c06a6p-16f * b - 0x1.ceeafcp-12f) * b + 0x1.1398fep-8f) * b -\n"
     "              0x1.9d0bd8p-6f) * b + 0x1.bc18dp-4f) * b + 0x1.4434fp-1f) * b + 0x1.212c2cp0f) "
     "* b -\n"
     "          0x1.8b3ee2p-13f;\n"
     "    return pick(a < 1.0f, x * p + x, sign_of(1.0f - small_exponential(-q), x));\n}\n"},
    {"error_function", F64, LANES("error_function", "__builtin_erf(x[i])")},
    {"less_one", F32,
     "// e to the x, less 1, at most 2 ulp off; as exponential(), without its 1 until the end.\n"
     "static inline V less_one(V x)\n{\n"
     "    V y = at_most(at_least(x, splat(-80.0f)), splat(89.0f));  // beyond, -1 or infinite\n"
     "    const float shift = 0x1.8p23f;\n"
     "    V n = (y * 0x1.715476p0f + shift) - shift;\n"
     "    V r = (y - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;\n"
     "    V p = ((((0x1.6a1a6ep-10f * r + 0x1.123fc6p-7f) * r + 0x1.555916p-5f) * r +\n"
     "            0x1.55548ap-3f) * r + 0x1.fffffcp-2f);\n"
     "    p = (r * r) * p + r;\n"
     "    V half = (V)(((M)(n + shift) + 126) << 23);  // of 2 to the n, which is in the lowest "
     "bits\n"
     "    return pick(x == 0, x, 2.0f * (p * half + (half - 0.5f)));\n}\n"},
    {"less_one", F64, LANES("less_one", "__builtin_expm1(x[i])")},
    {"log_of_one_and", F32,
     "// log(1 + x): what rounding 1 + x loses is in the ratio.\n"
     "static inline V log_of_one_and(V x)\n{\n"
     "    V u = 1.0f + x, y = logarithm(u) * (x / (u - 1.0f));\n"
     "    y = pick(u == 1.0f, x, y);\n"
     "    return pick(u == __builtin_inff(), u, y);\n}\n"},
    {"log_of_one_and", F64, LANES("log_of_one_and", "__builtin_log1p(x[i])")},
    {"sine", F32, LANES("sine", "__builtin_sinf(x[i])")},
    {"sine", F64, LANES("sine", "__builtin_sin(x[i])")},
    {"cosine", F32, LANES("cosine", "__builtin_cosf(x[i])")},
    {"cosine", F64, LANES("cosine", "__builtin_cos(x[i])")},
    {"power", F32,
     "static inline V power(V x, V y)\n{\n    V z;\n    for (int i = 0; i < N; i++)\n"
     "        z[i] = __builtin_powf(x[i], y[i]);\n    return z;\n}\n"},
    {"power", F64,
     "static inline V power(V x, V y)\n{\n    V z;\n    for (int i = 0; i < N; i++)\n"
     "        z[i] = __builtin_pow(x[i], y[i]);\n    return z;\n}\n"},
    {"rest", F32,
     "static inline V rest(V x, V y)\n{\n    V z;\n    for (int i = 0; i < N; i++)\n"
     "        z[i] = __builtin_fmodf(x[i], y[i]);\n    return z;\n}\n"},
    {"rest", F64,
     "static inline V rest(V x, V y)\n{\n    V z;\n    for (int i = 0; i < N; i++)\n"
     "        z[i] = __builtin_fmod(x[i], y[i]);\n    return z;\n}\n"},
    {"divided_down", REAL,
     "// The quotient rounded down, exact where x is a multiple of y.\n"
     "static inline V divided_down(V x, V y)\n{\n"
     "    V r = rest(x, y), q = (x - r) / y;\n"
     "    q = q - pick((r != 0) & ((r < 0) ^ (y < 0)), splat(1), splat(0));\n"
     "    V whole = round_even(q);\n"
     "    whole = pick(q == 0, sign_of(splat(0), x / y), whole);\n"
     "    return pick(y == 0, x / y, whole);\n}\n"},
    {"rest_like", REAL,
     "// The remainder with the sign of y.\n"
     "static inline V rest_like(V x, V y)\n{\n"
     "    V r = rest(x, y);\n"
     "    return pick((r != 0) & ((r < 0) ^ (y < 0)), r + y, r);\n}\n"},
    {"infinite", REAL,
     "static inline M infinite(V x)\n{\n    return magnitude(x) == "
     "splat((T)__builtin_inf());\n}\n"},
    {"infinite", INTEGER, "static inline M infinite(V x)\n{\n    return (M)(x & 0);\n}\n"},
    {"binary_logarithm", F32, LANES("binary_logarithm", "__builtin_log2f(x[i])")},
    {"binary_logarithm", F64, LANES("binary_logarithm", "__builtin_log2(x[i])")},
    {"decimal_logarithm", F32, LANES("decimal_logarithm", "__builtin_log10f(x[i])")},
    {"decimal_logarithm", F64, LANES("decimal_logarithm", "__builtin_log10(x[i])")},
    {"silu_slope", REAL,
     "static inline V silu_slope(V gradient, V x)\n{\n"
     "    V s = 1 / (1 + exponential(-x));\n"
     "    return gradient * s * (1 + x * (1 - s));\n}\n"},
    {"complement", WHOLE, "static inline V complement(V x)\n{\n    return ~x;\n}\n"},
    {"complement", TRUTHS, "static inline V complement(V x)\n{\n    return (V)(x == 0) & 1;\n}\n"},
    {"logistic", REAL,
     "static inline V logistic(V x)\n{\n    return 1 / (1 + exponential(-x));\n}\n"},
    {"gelu", REAL,
     "static inline V gelu(V x)\n{\n"
     "    return (T)0.5 * x * (1 + error_function(x * (T)0.70710678118654752440));\n}\n"},
    {"gelu_slope", REAL,
     "static inline V gelu_slope(V x)\n{\n"
     "    V below = (T)0.5 * (1 + error_function(x * (T)0.70710678118654752440));\n"
     "    return below + x * exponential((T)-0.5 * x * x) * (T)0.39894228040143267794;\n}\n"},
    {"gelu_by_tanh", REAL,
     "static inline V gelu_by_tanh(V x)\n{\n"
     "    V inner = (T)0.79788456080286535588 * (x + (T)0.044715 * x * x * x);\n"
     "    return (T)0.5 * x * (1 + hyperbolic_tangent(inner));\n}\n"},
    {"gelu_by_tanh_slope", REAL,
     "static inline V gelu_by_tanh_slope(V x)\n{\n"
     "    const T scale = (T)0.79788456080286535588, cubic = (T)0.044715;\n"
     "    x = at_most(at_least(x, splat(-99)), splat(99));  // or x * x might be infinite\n"
     "    V t = hyperbolic_tangent(scale * (x + cubic * x * x * x));\n"
     "    return (T)0.5 * (1 + t) + (T)0.5 * x * (1 - t * t) * scale * (1 + 3 * cubic * x * "
     "x);\n}\n"},
    {0},
};

// Functions that combine all lanes; every lane of what they return is the result. The lanes are
// exchanged in log2(N) steps.
static const struct {
    const char *name, *combine;
} gatherings[] = {
    {"add_up", "x + y"},
    {"multiply_up", "x * y"},
    {"largest_of", "larger(x, y)"},
    {"smallest_of", "smaller(x, y)"},
};

// Functions for elements in memory: $t is the name of the type, $c its type in C, $m a vector of N,
// $a a list of N elements that are apart, $r a list of the elements of rows. (Set one by one, they
// would go through memory.)
static const struct word accesses[] = {
    {"load", ANY_KIND,
     "static inline V load_$t(const $c *at)\n{\n"
     "    $m x;\n    __builtin_memcpy(&x, at, sizeof x);\n    return WIDEN;\n}\n"},
    {"mask", ANY_KIND,
     "static inline M mask_$t(const $c *at)\n{\n"
     "    $m x;\n    __builtin_memcpy(&x, at, sizeof x);\n"
     "    return __builtin_convertvector(x != 0, M);\n}\n"},
    {"part", ANY_KIND,
     "static inline V part_$t(const $c *at, int count)  // the first lanes; the others are 0\n{\n"
     "    $m x = {0};\n    __builtin_memcpy(&x, at, (unsigned long)count * sizeof *at);\n"
     "    return WIDEN;\n}\n"},
    {"apart", ANY_KIND,
     "static inline V apart_$t(const $c *at, long step)  // elements that are apart\n{\n"
     "    $m x = {$a};\n    return WIDEN;\n}\n"},
    {"every", ANY_KIND,
     "static inline V every_$t(const $c *at, long step, int count)  // some that are apart\n{\n"
     "    $m x = {0};\n    for (int i = 0; i < count; i++)\n        x[i] = at[i * step];\n"
     "    return WIDEN;\n}\n"},
    {"rows", ANY_KIND,
     "#define ROW(i) at[i < N / size * size ? i / size * far + i % size * step : 0]\n"
     "// As many short rows as fit: `size` elements each, and `far` apart.\n"
     "static inline V rows_$t(const $c *at, long step, long far, long size)\n{\n"
     "    $m x = {$r};\n    return WIDEN;\n}\n"},
    {"same", ANY_KIND,
     "static inline V same_$t(const $c *at)  // one element in all lanes\n{\n"
     "    $m x = *at - ($m){0};\n    return WIDEN;\n}\n"},
    {"chosen", ANY_KIND,
     "// Elements that indices choose; those out of range set `bad`.\n"
     "static inline V chosen_$t(const $c *at, long step, const long *index, long index_step,\n"
     "                          long stride, long size, int count, int *bad)\n{\n"
     "    $m x = {0};\n"
     "    for (int i = 0; i < count; i++) {\n"
     "        long k = index[i * index_step];\n"
     "        k += k < 0 ? size : 0;\n"
     "        if (k < 0 || k >= size)\n"
     "            *bad = 1;\n"
     "        else\n"
     "            x[i] = at[i * step + k * stride];\n"
     "    }\n    return WIDEN;\n}\n"},
    {"store", ANY_KIND,
     "static inline void store_$t($c *at, V v)\n{\n"
     "    $m x = NARROW;\n    __builtin_memcpy(at, &x, sizeof x);\n}\n"},
    {"stream", ANY_KIND,
     "static inline void stream_$t($c *at, V v)  // past the caches\n{\n"
     "    $m x = NARROW;\n    STREAM(at, x);\n}\n"},
    {"put", ANY_KIND,
     "static inline void put_$t($c *at, V v, int count)  // the first lanes\n{\n"
     "    $m x = NARROW;\n    __builtin_memcpy(at, &x, (unsigned long)count * sizeof *at);\n}\n"},
    {"spread", ANY_KIND,
     "static inline void spread_$t($c *at, long step, V v, int count)  // to places apart\n{\n"
     "    $m x = NARROW;\n    for (int i = 0; i < count; i++)\n        at[i * step] = x[i];\n}\n"},
};

static const char unroll_text[] = "#define PRAGMA(words) _Pragma(#words)\n"
                                  "#ifdef __clang__\n"
                                  "#define UNROLL(times) PRAGMA(unroll times)\n"
                                  "#else\n"
                                  "#define UNROLL(times) PRAGMA(GCC unroll times)\n"
                                  "#endif\n";

static const char stream_text[] =
    "#define FENCE() __builtin_ia32_sfence()\n"
    "#ifdef __clang__\n"
    "#define STREAM(at, x) __builtin_nontemporal_store(x, (__typeof__(x) *)(void *)(at))\n"
    "#elif defined(__AVX512F__)\n"
    "typedef float stream_type __attribute__((vector_size(64)));\n"
    "#define STREAM(at, x) __builtin_ia32_movntps512((float *)(void *)(at), (stream_type)(x))\n"
    "#elif defined(__AVX__)\n"
    "typedef float stream_type __attribute__((vector_size(32)));\n"
    "#define STREAM(at, x) __builtin_ia32_movntps256((float *)(void *)(at), (stream_type)(x))\n"
    "#else\n"
    "#define STREAM(at, x) __builtin_memcpy(at, &x, sizeof x)\n"
    "#endif\n";

// Half types by integers, as no header or type of the compiler is needed for that. H is a vector of
// floats, K one of integers of that size.
static const char f16_text[] =
    "// A half's bits, moved to where a float has them, are off by a power of two.\n"
    "static inline H from_f16(m_f16 x)\n{\n"
    "    K bits = __builtin_convertvector(x, K), rest = (bits & 0x7fff) << 13;\n"
    "    K y = (K)((H)rest * 0x1p112f);\n"
    "    K special = rest >= 0x0f800000;  // infinite or NaN\n"
    "    y = (special & (rest | 0x7f800000)) | (~special & y);\n"
    "    return (H)(y | (bits & 0x8000) << 16);\n}\n"
    "static inline m_f16 to_f16(H x)  // to nearest, ties to even\n{\n"
    "    K bits = (K)x, rest = bits & 0x7fffffff;\n"
    "    K small = (K)((H)rest + 0.5f) - 0x3f000000;\n"
    "    K usual = (rest + (0xfff - (112 << 23)) + (rest >> 13 & 1)) >> 13;\n"
    "    K below = rest < 0x38800000, above = rest >= 0x477ff000, nan = rest > 0x7f800000;\n"
    "    K y = (below & small) | (~below & usual);\n"
    "    y = (above & 0x7c00) | (~above & y);\n"
    "    y = (nan & 0x7e00) | (~nan & y);\n"
    "    return __builtin_convertvector(y | (bits >> 16 & 0x8000), m_f16);\n}\n";
static const char bf16_text[] =
    "static inline H from_bf16(m_bf16 x)\n{\n"
    "    return (H)(__builtin_convertvector(x, K) << 16);\n}\n"
    "static inline m_bf16 to_bf16(H x)  // to nearest, ties to even\n{\n"
    "    K bits = (K)x, nan = x != x;\n"
    "    bits = (K)((U)bits + 0x7fff + ((U)bits >> 16 & 1));\n"
    "    K y = (nan & 0x7fc0) | (~nan & (bits >> 16 & 0xffff));\n"
    "    return __builtin_convertvector(y, m_bf16);\n}\n";

static bool is_half(const struct dtype *type)
{
    return type->kind == DTYPE_REAL && type->size == 2;
}

const char *c_type(const struct dtype *type)
{
    static const char *const names[][2] = {
        {"f16", "unsigned short"}, {"bf16", "unsigned short"}, {"f32", "float"}, {"f64", "double"},
        {"i8", "signed char"},     {"i16", "short"},           {"i32", "int"},   {"i64", "long"},
        {"u8", "unsigned char"},   {"bool", "unsigned char"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(type->name, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

static enum kinds kind_of(const struct dtype *type)
{
    return type->is_bool                 ? TRUTHS
           : type->kind == DTYPE_INTEGER ? WHOLE
           : type->size == 4             ? F32
                                         : F64;
}

// Whether `text` calls the function.
static bool calls(const char *text, const char *name)
{
    size_t size = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += size) {
        char before = at == text ? ' ' : at[-1];
        bool begins = !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", before);
        if (begins && at[size] == '(')
            return true;
    }
    return false;
}

static void add_apart(struct text *out, unsigned lanes)
{
    text_add(out, "at[0], at[step]");
    for (unsigned i = 2; i < lanes; i++)
        text_format(out, ",%sat[%u * step]", i % 8 ? " " : "\n            ", i);
}

static void add_rows(struct text *out, unsigned lanes)
{
    for (unsigned i = 0; i < lanes; i++)
        text_format(out, "%sROW(%u)", i == 0 ? "" : i % 8 ? ", " : ",\n            ", i);
}

static void substitute(struct text *out, const char *text, const struct dtype *type,
                       const char *widen, const char *narrow, unsigned lanes)
{
    for (const char *at = text; *at; at++) {
        if (*at == '$' && at[1] == 'c')
            text_add(out, c_type(type));
        else if (*at == '$' && (at[1] == 't' || at[1] == 'm'))
            text_format(out, "%s%s", at[1] == 'm' ? "m_" : "", type->name);
        else if (*at == '$' && at[1] == 'a')
            add_apart(out, lanes);
        else if (*at == '$' && at[1] == 'r')
            add_rows(out, lanes);
        else if (strncmp(at, "WIDEN", 5) == 0)
            text_add(out, widen), at += 4;
        else if (strncmp(at, "NARROW", 6) == 0)
            text_add(out, narrow), at += 5;
        else {
            text_add_char(out, *at);
            continue;
        }
        at += *at == '$';
    }
}

// GCC has instructions for converting vectors only if the sizes of their elements differ by a
// factor of two at most; otherwise it goes lane by lane. These are the types for the steps in
// between.
static const struct {
    size_t size;
    const char *name, *type;
} between[] = {{2, "w16", "short"}, {4, "w32", "int"}};

static bool is_real(const struct dtype *type)
{
    return type->kind == DTYPE_REAL;
}

static char *through(char *expression, size_t size)
{
    char *converted =
        mem_format("__builtin_convertvector(%s, %s)", expression, between[size == 4].name);
    free(expression);
    return converted;
}

// Converts an expression of the first type to the vector type `name` of elements of the second.
static char *converted(const char *expression, const struct dtype *from, const struct dtype *to,
                       const char *name)
{
    char *text = mem_text(expression);
    size_t size = from->size;
    if (is_real(from) && !is_real(to) && to->size < 4)
        text = through(text, size = 4);
    while (size < 4 && (is_real(to) || 2 * size < to->size))
        text = through(text, size *= 2);
    while (!is_real(to) && size > 2 * to->size)
        text = through(text, size /= 2);
    char *last = mem_format("__builtin_convertvector(%s, %s)", text, name);
    free(text);
    return last;
}

static void write_between(struct text *out, const char *function, unsigned lanes)
{
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        AUTO(memory) char *line =
            mem_format("typedef %s %s __attribute__((vector_size(%zu)));\n", between[i].type,
                       between[i].name, lanes * between[i].size);
        if (strstr(function, between[i].name) && !strstr(text_get(out), line))
            text_add(out, line);
    }
}

static char *widened(const struct dtype *type, const struct dtype *computed)
{
    if (is_half(type))
        return mem_format(computed->size == 4 ? "from_%s(x)"
                                              : "__builtin_convertvector(from_%s(x), V)",
                          type->name);
    if (type->is_bool)
        return mem_text("__builtin_convertvector(__builtin_convertvector(x != 0, M) & 1, V)");
    return type == computed ? mem_text("x") : converted("x", type, computed, "V");
}

static char *narrowed(const struct dtype *type, const struct dtype *computed)
{
    if (is_half(type))
        return mem_format(computed->size == 4 ? "to_%s(v)" : "to_%s(__builtin_convertvector(v, H))",
                          type->name);
    if (type == computed && !type->is_bool)
        return mem_text("v");
    AUTO(memory) char *name = mem_format("m_%s", type->name);
    if (!type->is_bool)
        return converted("v", computed, type, name);
    struct dtype mask = {.kind = DTYPE_INTEGER, .size = computed->size};
    return converted("(v != 0) & 1", &mask, type, name);
}

static void write_accesses(struct text *out, const char *body, const struct dtype *computed,
                           const struct dtype *type, unsigned lanes)
{
    AUTO(memory) char *widen = widened(type, computed);
    AUTO(memory) char *narrow = narrowed(type, computed);
    bool begun = false;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        AUTO(memory) char *name = mem_format("%s_%s", accesses[i].name, type->name);
        if (!calls(body, name))
            continue;
        if (!begun) {
            text_format(out, "typedef %s m_%s __attribute__((vector_size(%u)));\n", c_type(type),
                        type->name, lanes * type->size);
            if (is_half(type))
                text_add(out, *type->name == 'b' ? bf16_text : f16_text);
        }
        begun = true;
        AUTO(text) struct text function = {0};
        substitute(&function, accesses[i].text, type, widen, narrow, lanes);
        write_between(out, text_get(&function), lanes);
        text_add(out, text_get(&function));
    }
}

static void write_first(struct text *out, unsigned lanes)
{
    text_add(out,
             "static inline M first(int count)  // a mask of the first lanes\n{\n    return (M){0");
    for (unsigned i = 1; i < lanes; i++)
        text_format(out, ", %u", i);
    text_add(out, "} < (M){0} + (__typeof__(((M){0})[0]))count;\n}\n");
}

static void write_numbers(struct text *out, unsigned lanes)
{
    text_add(out, "static inline M numbers(void)  // of the lanes\n{\n    return (M){0");
    for (unsigned i = 1; i < lanes; i++)
        text_format(out, ", %u", i);
    text_add(out, "};\n}\n");
}

static const char places_text[] =
    "static inline void put_places(long *at, long step, M place, int count)\n{\n"
    "    for (int i = 0; i < count; i++)\n        at[i * step] = place[i];\n}\n";

// Rows become columns: in step k, pairs of rows that are k apart exchange blocks of k lanes.
static void write_transpose(struct text *out, unsigned lanes)
{
    text_add(
        out,
        "// Rows become columns, in log2(N) steps of exchanging blocks between pairs of rows.\n"
        "static inline void transpose(V *x)\n{\n    V a, b;\n");
    for (unsigned step = lanes / 2; step; step /= 2) {
        text_format(out,
                    "    UNROLL(16)\n    for (int i = 0; i < N; i++) {\n        if (i & %u)\n      "
                    "      continue;\n"
                    "        a = x[i], b = x[i + %u];\n        x[i] = __builtin_shufflevector(a, b",
                    step, step);
        for (unsigned i = 0; i < lanes; i++)
            text_format(out, ", %u", i & step ? lanes + i - step : i);
        text_format(out, ");\n        x[i + %u] = __builtin_shufflevector(a, b", step);
        for (unsigned i = 0; i < lanes; i++)
            text_format(out, ", %u", i & step ? lanes + i : i + step);
        text_add(out, ");\n    }\n");
    }
    text_add(out, "}\n");
}

static void write_gathering(struct text *out, size_t which, unsigned lanes)
{
    text_format(
        out,
        "// In every lane, what all lanes make together.\nstatic inline V %s(V x)\n{\n    V y;\n",
        gatherings[which].name);
    for (unsigned step = lanes / 2; step; step /= 2) {
        text_add(out, "    y = __builtin_shufflevector(x, x");
        for (unsigned i = 0; i < lanes; i++)
            text_format(out, ", %u", i ^ step);
        text_format(out, ");\n    x = %s;\n", gatherings[which].combine);
    }
    text_add(out, "    return x;\n}\n");
}

bool vocabulary_has_loops(const char *expression, const struct dtype *computed)
{
    AUTO(text) struct text needing = {0};
    text_add(&needing, expression);
    for (int i = (int)(sizeof words / sizeof *words) - 2; i >= 0; i--)
        if ((words[i].kinds & kind_of(computed)) && calls(text_get(&needing), words[i].name))
            text_add(&needing, words[i].text);
    return strstr(text_get(&needing), "i < N");
}

// All words that the body or words after them call, in the order of the table.
static void write_words(struct text *out, const char *body, enum kinds kind, unsigned lanes)
{
    enum { COUNT = sizeof words / sizeof *words };
    bool used[COUNT] = {false};
    AUTO(text) struct text needing = {0};
    text_add(&needing, body);
    size_t extra = sizeof gatherings / sizeof *gatherings;
    for (size_t i = 0; i < extra; i++)
        if (calls(body, gatherings[i].name))
            text_format(&needing, "\n %s;\n", gatherings[i].combine);
    for (int i = COUNT - 2; i >= 0; i--) {
        used[i] = (words[i].kinds & kind) && calls(text_get(&needing), words[i].name);
        if (used[i])
            text_add(&needing, words[i].text);
    }
    for (int i = 0; i < COUNT - 1; i++)
        if (used[i])
            text_add(out, words[i].text);
    for (size_t i = 0; i < extra; i++)
        if (calls(body, gatherings[i].name))
            write_gathering(out, i, lanes);
    if (calls(body, "first"))
        write_first(out, lanes);
    if (calls(body, "transpose"))
        write_transpose(out, lanes);
    if (calls(body, "numbers"))
        write_numbers(out, lanes);
    if (calls(body, "put_places"))
        text_add(out, places_text);
}

void vocabulary_write(struct text *out, const char *body, const struct dtype *computed,
                      unsigned lanes)
{
    static const char *const integers[] = {"signed char", "short", NULL, "int"};
    unsigned bytes = computed->size * lanes;
    const char *integer = computed->size == 8 ? "long" : integers[computed->size - 1];
    text_format(out, "enum { N = %u };  // lanes of a vector\n", lanes);
    text_format(out, "typedef %s T;\n", c_type(computed));
    text_format(out, "typedef T V __attribute__((vector_size(%u)));\n", bytes);
    text_format(out,
                "typedef %s M __attribute__((vector_size(%u)));  // a mask: lanes are 0 or -1\n",
                integer, bytes);
    if (bytes == 64)
        text_add(out, "#define WIDE_VECTORS\n");
    if (strstr(body, "f16(") && computed->size == 4)
        text_add(out, "typedef V H;\ntypedef M K;\n");
    else if (strstr(body, "f16("))
        text_format(out,
                    "typedef float H __attribute__((vector_size(%u)));\n"
                    "typedef int K __attribute__((vector_size(%u)));\n",
                    4 * lanes, 4 * lanes);
    if (strstr(body, "_bf16("))
        text_format(out, "typedef unsigned U __attribute__((vector_size(%u)));\n", 4 * lanes);
    if (strstr(body, "stream_"))
        text_add(out, stream_text);
    if (strstr(body, "UNROLL(") || calls(body, "transpose"))
        text_add(out, unroll_text);
    for (const struct dtype *type = dtypes; type->name; type++)
        if (c_type(type))
            write_accesses(out, body, computed, type, lanes);
    write_words(out, body, kind_of(computed), lanes);
}
