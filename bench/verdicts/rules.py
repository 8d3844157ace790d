"""The rules by which each peer decides that B is slower (+1), faster (-1) or neither (0).

Every rule has two forms: the tool's own, and one with bilanx's level and margin, where the difference
must be significant at ALPHA and also exceed MARGIN.
"""
import math
from collections import namedtuple

ALPHA, MARGIN = .01, .0025

Claim = namedtuple('Claim', 'sign change p')  # change: B against A, a fraction


def normal_tail(z):
    return math.erfc(z / math.sqrt(2)) / 2


def beta_fraction(a, b, x):
    """Computes the continued fraction of the incomplete beta function by Lentz's method."""
    tiny, c, d = 1e-300, 1., 1 - (a + b) * x / (a + 1)
    d = 1 / (d or tiny)
    value = d
    for m in range(1, 100000):
        for factor in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                       -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / ((1 + factor * d) or tiny)
            c = (1 + factor / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def beta_cdf(a, b, x):
    if x <= 0 or x >= 1:
        return 0. if x <= 0 else 1.
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
                     + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a
    return 1 - front * beta_fraction(b, a, 1 - x) / b


def student_tail(t, freedom):
    half = beta_cdf(freedom / 2, .5, freedom / (freedom + t * t)) / 2
    return half if t > 0 else 1 - half


def solve_beta(a, b, probability):
    low, high = 0., 1.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_cdf(a, b, middle) < probability else (low, middle)
    return (low + high) / 2


def binomial_interval(hits, count, level=.95):
    """The exact interval of Clopper and Pearson."""
    if count == 0:
        return 0., 1.
    tail = (1 - level) / 2
    low = solve_beta(hits, count - hits + 1, tail) if hits else 0.
    high = solve_beta(hits + 1, count - hits, 1 - tail) if hits < count else 1.
    return low, high


def ranks(values):
    """Returns ranks from 1, averaged over ties, and the sum of t^3 - t over ties."""
    order = sorted(range(len(values)), key=values.__getitem__)
    result, ties, start = [0.] * len(values), 0., 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            result[place] = (start + 1 + end) / 2
        ties += (end - start) ** 3 - (end - start)
        start = end
    return result, ties


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def mean(values):
    return math.fsum(values) / len(values)


def variance(values):
    middle = mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1)


def rank_sum_tail(a, b):
    """The p-value of Mann and Whitney's test for B above A, corrected for ties and continuity, as scipy
    does for samples of 20."""
    ranked, ties = ranks(list(a) + list(b))
    n, m = len(a), len(b)
    above = math.fsum(ranked[n:]) - m * (m + 1) / 2
    spread = math.sqrt(n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1))))
    return normal_tail((above - n * m / 2 - .5) / spread) if spread else .5


def welch_tail(a, b):
    squares = variance(a) / len(a), variance(b) / len(b)
    if not sum(squares):
        return .5
    freedom = sum(squares) ** 2 / (squares[0] ** 2 / (len(a) - 1) + squares[1] ** 2 / (len(b) - 1))
    return student_tail((mean(b) - mean(a)) / math.sqrt(sum(squares)), freedom)


def signed_rank_tail(differences):
    """The p-value of Wilcoxon's test for positive differences."""
    left = [value for value in differences if value]
    ranked, ties = ranks([abs(value) for value in left])
    n = len(left)
    positive = math.fsum(rank for rank, value in zip(ranked, left) if value > 0)
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    return normal_tail((positive - n * (n + 1) / 4) / spread) if spread else .5


def two_sided(up, down, alpha, change):
    """The claim that follows from two one-sided tests, each at half of alpha. The sign is that of the
    test; it may differ from that of the change."""
    p = min(1., 2 * min(up, down))
    return Claim((1 if up < down else -1) if p < alpha else 0, change, p)


def of_samples(tail, middle):
    """Makes rules for two samples from a test for B above A."""
    def at(a, b, alpha, margin):
        up = tail([value * (1 + margin) for value in a], b)
        down = tail(b, [value * (1 - margin) for value in a])
        return two_sided(up, down, alpha, middle(b) / middle(a) - 1)
    return at


rank_sum = of_samples(rank_sum_tail, median)
welch = of_samples(welch_tail, mean)


def quartiles_apart(a, b):
    """Claims a difference if the interquartile ranges, as in torch's Measurement, do not overlap."""
    def quartile(values, part):  # numpy's, as in torch
        ordered, place = sorted(values), part * (len(values) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])
    sign = (quartile(b, .25) > quartile(a, .75)) - (quartile(b, .75) < quartile(a, .25))
    return Claim(sign, median(b) / median(a) - 1, None)


def trim(a, b):
    """Trims pairs as tango does: from each end of the differences, as many as lie below the lower of
    Tukey's fences. (tango intends to use both fences, but places the upper one too low.)"""
    pairs = sorted(zip(a, b), key=lambda pair: pair[1] - pair[0])
    differences = [y - x for x, y in pairs]
    q1, q3 = len(pairs) // 4, len(pairs) * 3 // 4 - 1
    if q1 >= q3:
        return pairs
    fence = differences[q1] - 1.5 * max(differences[q3] - differences[q1], 1.)
    outside = sum(value < fence for value in differences)
    return pairs[outside:len(pairs) - outside]


def tango(a, b, z=2.6, least=.005, margin=0.):
    pairs = trim(a, b)
    differences, base = [y - x for x, y in pairs], mean([x for x, _ in pairs])
    middle, error = mean(differences), math.sqrt(variance(differences) / len(pairs))
    beyond = abs(middle) - margin * base
    real = abs(middle) > least * base and abs(middle) >= 1 and beyond >= z * error and beyond > 0
    return Claim((1 if middle > 0 else -1) if real else 0, middle / base,
                 min(1., 2 * normal_tail(beyond / error)) if error else None)


def signed_ranks(a, b, alpha, margin):
    ratios = [math.log(y / x) for x, y in zip(a, b)]
    up = signed_rank_tail([ratio - math.log1p(margin) for ratio in ratios])
    down = signed_rank_tail([-(ratio - math.log1p(-margin)) for ratio in ratios])
    return two_sided(up, down, alpha, math.expm1(median(ratios)))


# The claims about the times of A and B, by tool and form of its rule. An interquartile range has no
# significance level, so in our form torch's blocks are judged by their rank sums.
RULES = {
    'google': {'own': lambda a, b: rank_sum(a, b, .05, 0.),
               'ours': lambda a, b: rank_sum(a, b, ALPHA, MARGIN)},
    'hyperfine': {'own': lambda a, b: welch(a, b, .05, 0.),
                  'ours': lambda a, b: welch(a, b, ALPHA, MARGIN)},
    'torch': {'own': quartiles_apart,
              'ours': lambda a, b: rank_sum(a, b, ALPHA, MARGIN)},
    'tango': {'own': tango,
              'ours': lambda a, b: tango(a, b, 2.5758, 0., MARGIN)},
    'wilcoxon': {'own': lambda a, b: signed_ranks(a, b, .05, 0.),
                 'ours': lambda a, b: signed_ranks(a, b, ALPHA, MARGIN)},
}
