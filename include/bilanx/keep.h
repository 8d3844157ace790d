/* keep: barriers that the optimizer cannot see through.
 *
 * BILANX_KEEP(x)     forces x to be computed; for a pointer or array, also what it points to.
 * BILANX_CLOBBER()   makes the compiler forget what it knows about reachable memory.
 * BILANX_LAUNDER(x)  makes the compiler forget the value of the variable x.
 *
 *     double area = 2;
 *     BILANX_LAUNDER(area);     // the compiler cannot compute sqrt(2) in advance
 *     BILANX_KEEP(sqrt(area));  // nor drop the result
 *
 * None of them adds an instruction. A value that fits in a register stays in one; anything else
 * stays in memory, and so do volatile variables and all variables at -O0. Needs C99 or C++11 or
 * later, and GCC or Clang.
 */
#ifndef BILANX_KEEP_H
#define BILANX_KEEP_H

#define BILANX_CLOBBER() __asm__ volatile("" : : : "memory")

/* Placed before a statement's loop and before the empty loop. GCC 13 and later unroll short loops
 * at -O2. That would merge two executions into one, and make the empty loop cheaper than the loop
 * around a longer statement. */
#if defined(__clang__) || __GNUC__ < 8
#define BILANX_ROLLED_
#else
#define BILANX_ROLLED_ _Pragma("GCC unroll 1")
#endif

#if defined(__x86_64__) || defined(__i386__)
#define BILANX_FLOAT_ "x"
#elif defined(__aarch64__)
#define BILANX_FLOAT_ "w"
#else
#define BILANX_FLOAT_ "m"
#endif

/* For a variable that is, or must be, in memory. */
#define BILANX_LAUNDER_MEMORY_(x) __asm__ volatile("" : "+m"(x))
#ifndef __OPTIMIZE__
#define BILANX_LAUNDER(x) BILANX_LAUNDER_MEMORY_(x)
#endif

#ifdef __cplusplus

#include <type_traits>

template <class T> struct bilanx_operand_ {
    static const bool word =
        (std::is_integral<T>::value || std::is_enum<T>::value || std::is_pointer<T>::value) &&
        sizeof(T) <= sizeof(void *);
    static const bool real = std::is_floating_point<T>::value && sizeof(T) <= 8;
    static const int kind = word ? 1 : real ? 2 : 0;
};

template <int kind> struct bilanx_barrier_ {
    template <class T> static inline void keep(T &x)
    {
        __asm__ volatile("" : : "m"(x) : "memory");
    }
    template <class T> __attribute__((always_inline)) static inline void launder(T &x)
    {
        BILANX_LAUNDER_MEMORY_(x);
    }
};
template <> struct bilanx_barrier_<1> {
    template <class T> static inline void keep(T &x)
    {
        __asm__ volatile("" : : "r"(x) : "memory");
    }
    template <class T> __attribute__((always_inline)) static inline void launder(T &x)
    {
        __asm__ volatile("" : "+r"(x));
    }
};
template <> struct bilanx_barrier_<2> {
    template <class T> static inline void keep(T &x)
    {
        __asm__ volatile("" : : BILANX_FLOAT_(x) : "memory");
    }
    template <class T> __attribute__((always_inline)) static inline void launder(T &x)
    {
        __asm__ volatile("" : "+" BILANX_FLOAT_(x));
    }
};

template <class T> inline void bilanx_keep_(T const &x)
{
    bilanx_barrier_<bilanx_operand_<typename std::remove_cv<T>::type>::kind>::keep(x);
}
template <class T, decltype(sizeof 0) n> inline void bilanx_keep_(T (&x)[n])
{
    bilanx_barrier_<1>::keep(static_cast<T *const &>(x));
}
/* In a register, a volatile variable would be loaded and stored. */
template <class T> __attribute__((always_inline)) inline void bilanx_launder_(T &x)
{
    bilanx_barrier_<std::is_volatile<T>::value ? 0 : bilanx_operand_<T>::kind>::launder(x);
}

#define BILANX_KEEP(x) bilanx_keep_(x)
#ifndef BILANX_LAUNDER
#define BILANX_LAUNDER(x) bilanx_launder_(x)
#endif

#else

/* The comma turns an array into a pointer and changes nothing else. The compiler knows which branch
 * is taken, but operands must satisfy their constraints in the other branches too. There,
 * __builtin_choose_expr substitutes an operand that does. */
#define BILANX_VALUE_TYPE_(x) __typeof__((void)0, (x))
#define BILANX_IS_ARRAY_(x) (!__builtin_types_compatible_p(__typeof__(x), BILANX_VALUE_TYPE_(x)))
#define BILANX_IS_WORD_(x)                                                 \
    (__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 5 && \
     sizeof(BILANX_VALUE_TYPE_(x)) <= sizeof(void *))
#define BILANX_IS_FLOAT_(x) (__builtin_classify_type(x) == 8 && sizeof(BILANX_VALUE_TYPE_(x)) <= 8)

#define BILANX_KEEP(x)                                                                          \
    do {                                                                                        \
        BILANX_VALUE_TYPE_(x) bilanx_x_ = (x);                                                  \
        if (BILANX_IS_WORD_(bilanx_x_))                                                         \
            __asm__ volatile(                                                                   \
                ""                                                                              \
                :                                                                               \
                : "r"(__builtin_choose_expr(BILANX_IS_WORD_(bilanx_x_), bilanx_x_, 0))          \
                : "memory");                                                                    \
        else if (BILANX_IS_FLOAT_(bilanx_x_))                                                   \
            __asm__ volatile(""                                                                 \
                             :                                                                  \
                             : BILANX_FLOAT_(__builtin_choose_expr(BILANX_IS_FLOAT_(bilanx_x_), \
                                                                   bilanx_x_, 0.0))             \
                             : "memory");                                                       \
        else                                                                                    \
            __asm__ volatile("" : : "m"(bilanx_x_) : "memory");                                 \
    } while (0)

/* In a register, a volatile variable would be loaded and stored. */
#define BILANX_IN_REGISTER_(x) \
    (!BILANX_IS_ARRAY_(x) &&   \
     !__builtin_types_compatible_p(__typeof__(x) *, volatile __typeof__(x) *))
#define BILANX_LAUNDER_WORD_(x) (BILANX_IN_REGISTER_(x) && BILANX_IS_WORD_(x))
#define BILANX_LAUNDER_FLOAT_(x) (BILANX_IN_REGISTER_(x) && BILANX_IS_FLOAT_(x))

#ifndef BILANX_LAUNDER
#define BILANX_LAUNDER(x)                                                                        \
    do {                                                                                         \
        long bilanx_word_;                                                                       \
        double bilanx_real_;                                                                     \
        if (BILANX_LAUNDER_WORD_(x))                                                             \
            __asm__ volatile(                                                                    \
                ""                                                                               \
                : "+r"(__builtin_choose_expr(BILANX_LAUNDER_WORD_(x), (x), bilanx_word_)));      \
        else if (BILANX_LAUNDER_FLOAT_(x))                                                       \
            __asm__ volatile(""                                                                  \
                             : "+" BILANX_FLOAT_(__builtin_choose_expr(BILANX_LAUNDER_FLOAT_(x), \
                                                                       (x), bilanx_real_)));     \
        else                                                                                     \
            BILANX_LAUNDER_MEMORY_(__builtin_choose_expr(                                        \
                BILANX_LAUNDER_WORD_(x) || BILANX_LAUNDER_FLOAT_(x), bilanx_word_, (x)));        \
        (void)bilanx_word_;                                                                      \
        (void)bilanx_real_;                                                                      \
    } while (0)
#endif

#endif

#endif
