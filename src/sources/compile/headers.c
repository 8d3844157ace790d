// headers: which standard headers a text needs, judging by the names it uses.
//
// C++ headers take a tenth of a second each to parse, so only those needed are included.
#include "headers.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *header, *names;
    bool cplusplus;
} table[] = {
    {"stdbool.h", "bool true false", false},
    {"algorithm",
     "all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range fill "
     "fill_n find find_if for_each generate includes inplace_merge is_sorted "
     "lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax "
     "minmax_element mismatch next_permutation none_of nth_element partial_sort partition pop_heap "
     "prev_permutation push_heap ranges remove remove_if replace replace_if reverse rotate search "
     "set_difference set_intersection set_union shuffle sort sort_heap stable_partition "
     "stable_sort swap_ranges transform unique upper_bound",
     true},
    {"any", "any any_cast", true},
    {"array", "array to_array", true},
    {"atomic", "atomic atomic_flag atomic_thread_fence memory_order", true},
    {"bitset", "bitset", true},
    {"charconv", "from_chars to_chars", true},
    {"chrono", "chrono", true},
    {"cmath", "sqrt cbrt pow exp log sin cos tan hypot fabs floor ceil round fma isnan", true},
    {"complex", "complex norm conj polar", true},
    {"cstdint", "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t", true},
    {"cstdio", "printf snprintf sscanf puts fopen fclose", true},
    {"cstdlib", "abs malloc calloc realloc free qsort strtol strtod atoi rand getenv", true},
    {"cstring", "memcpy memmove memset memcmp memchr strlen strcmp strchr strstr", true},
    {"deque", "deque", true},
    {"exception", "exception exception_ptr current_exception", true},
    {"forward_list", "forward_list", true},
    {"functional",
     "function bind hash less greater plus minus multiplies invoke ref cref reference_wrapper",
     true},
    {"iomanip", "setw setprecision setfill", true},
    {"iostream", "cout cerr cin endl ostream istream", true},
    {"iterator",
     "back_inserter inserter begin end advance distance next prev istream_iterator size data",
     true},
    {"limits", "numeric_limits", true},
    {"list", "list", true},
    {"map", "map multimap", true},
    {"memory",
     "unique_ptr shared_ptr weak_ptr make_unique make_shared allocator addressof "
     "uninitialized_copy",
     true},
    {"mutex", "mutex lock_guard unique_lock scoped_lock once_flag call_once", true},
    {"numeric",
     "accumulate iota inner_product partial_sum adjacent_difference reduce transform_reduce gcd "
     "lcm midpoint",
     true},
    {"optional", "optional nullopt make_optional", true},
    {"queue", "queue priority_queue", true},
    {"random",
     "mt19937 mt19937_64 minstd_rand default_random_engine random_device "
     "uniform_int_distribution uniform_real_distribution normal_distribution",
     true},
    {"regex", "regex smatch cmatch regex_match regex_search regex_replace", true},
    {"set", "set multiset", true},
    {"shared_mutex", "shared_mutex shared_lock", true},
    {"span", "span", true},
    {"sstream", "stringstream ostringstream istringstream", true},
    {"stack", "stack", true},
    {"stdexcept", "runtime_error logic_error out_of_range invalid_argument", true},
    {"string", "string wstring u32string to_string stoi stol stoll stoul stod stof getline", true},
    {"string_view", "string_view", true},
    {"thread", "thread this_thread", true},
    {"tuple", "tuple make_tuple tie get apply", true},
    {"type_traits", "is_same is_same_v decay_t enable_if_t conditional_t", true},
    {"unordered_map", "unordered_map unordered_multimap", true},
    {"unordered_set", "unordered_set unordered_multiset", true},
    {"utility", "pair make_pair move forward swap exchange declval as_const", true},
    {"valarray", "valarray", true},
    {"variant", "variant visit holds_alternative monostate", true},
    {"vector", "vector", true},
};
enum { COUNT = sizeof table / sizeof *table };
_Static_assert(COUNT <= 64, "a bit for each");

size_t headers_word(const char *text)
{
    size_t size = 0;
    for (unsigned char c; (c = (unsigned char)text[size]) && (isalnum(c) || c == '_' || c >= 0x80);)
        size++;
    return size;
}

bool headers_among(const char *names, const char *word, size_t size)
{
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0)
            return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}

static uint64_t bits_of(const char *word, size_t size, bool cplusplus)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < COUNT; i++)
        if (table[i].cplusplus == cplusplus && headers_among(table[i].names, word, size))
            bits |= UINT64_C(1) << i;
    return bits;
}

static bool is_standard(const char *text, const char *word)
{
    static const char space[] = "std::";
    size_t size = sizeof space - 1;
    return (size_t)(word - text) >= size && strncmp(word - size, space, size) == 0;
}

uint64_t headers_named(const char *text, bool cplusplus)
{
    uint64_t bits = 0;
    bool all = !cplusplus || (text && strstr(text, "using namespace std"));
    for (const char *at = text; at && *at;) {
        size_t size = headers_word(at);
        if (size && (all || is_standard(text, at)))
            bits |= bits_of(at, size, cplusplus);
        at += size ? size : 1;
    }
    return bits;
}

void headers_write(uint64_t named, struct text *out)
{
    for (size_t i = 0; i < COUNT; i++)
        if (named >> i & 1)
            text_format(out, "#if __has_include(<%s>)\n#include <%s>\n#endif\n", table[i].header,
                        table[i].header);
}
