// content_rules: rules about the contents of arguments, shared within the room.
#ifndef OPERATORS_CONTENT_RULES_H
#define OPERATORS_CONTENT_RULES_H

#include "content.h"

struct rule {
    const char *stem;  // of the operator's name
    size_t argument;   // which this rule is about
    bool (*apply)(const struct bilanx_call *call, const struct rule *rule, struct content *out);
    double a, b;  // their meaning depends on `apply`
};

// Returns NULL if there is no such argument, or it is not a tensor.
const struct bilanx_value *rule_argument(const struct bilanx_call *call, double number);
const DLTensor *rule_tensor(const struct bilanx_call *call, double number);

// The size of a tensor along a dimension, which may count from the end. 0: it has none.
int64_t rule_size_along(const DLTensor *tensor, int64_t dimension);

bool rule_indices_below(int64_t bound, struct content *out);

// Each returns whether it applies, and then changes `out`.
bool rule_within(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_below_size(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_below_dimension(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out);
bool rule_distinct_along(const struct bilanx_call *call, const struct rule *rule,
                         struct content *out);
bool rule_below_listed(const struct bilanx_call *call, const struct rule *rule,
                       struct content *out);
bool rule_below_value(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_below_product(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out);
bool rule_pooling_windows(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out);
bool rule_below_classes(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out);
bool rule_ramp(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_size_of(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_full_length(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_labels_of(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_share_of(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_mask_for(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_mask_in_numbers(const struct bilanx_call *call, const struct rule *rule,
                          struct content *out);
bool rule_sorted(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_definite(const struct bilanx_call *call, const struct rule *rule, struct content *out);
bool rule_softmax_result(const struct bilanx_call *call, const struct rule *rule,
                         struct content *out);
bool rule_log_softmax_result(const struct bilanx_call *call, const struct rule *rule,
                             struct content *out);
bool rule_base_of_power(const struct bilanx_call *call, const struct rule *rule,
                        struct content *out);

#endif
