"""Tests the rules on figures with known answers, and against scipy if it is installed. TAP."""
import contextlib
import io
import random

import rules
import table


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * max(1., abs(b))


def textbook(check):
    check('0 of 300: the exact interval ends at 1.22 %',
          near(rules.binomial_interval(0, 300)[1], .0122209, 1e-5))
    check('5 of 10', all(near(x, y, 1e-6) for x, y in
                              zip(rules.binomial_interval(5, 10), (.1870860, .8129140))))
    check('all of 10', rules.binomial_interval(10, 10)[1] == 1)
    check("Student's tail at 2.228, 10 degrees: 2.5 %", near(rules.student_tail(2.228139, 10), .025, 1e-6))
    check('ties share ranks', rules.ranks([3, 1, 3, 2]) == ([3.5, 1, 3.5, 2], 6))
    check('interquartile ranges that do not overlap differ',
          rules.quartiles_apart([1, 2, 3, 4, 5], [5, 6, 7, 8, 9]).sign == 1
          and rules.quartiles_apart([5, 6, 7, 8, 9], [1, 2, 3, 4, 5]).sign == -1)
    check('ranges that overlap do not', rules.quartiles_apart([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]).sign == 0)
    alike = [(100., 100. + difference) for difference in (-900, *range(-10, 11), 900, 900)]
    kept = [y - x for x, y in rules.trim(*zip(*alike))]
    check('tango drops as many above as below', min(kept) == -10 and max(kept) == 900 and len(kept) == 22)


def claims(check, name, form, change, expected, least, pairs=300, tries=60):
    """Checks how often the rule claims the expected sign, with noise of 1 % around a true change."""
    rule, source, found, wrong = rules.RULES[name][form], random.Random(7), 0, 0
    for _ in range(tries):
        a = [1e5 * (1 + source.gauss(0, .01)) for _ in range(pairs)]
        b = [1e5 * (1 + change) * (1 + source.gauss(0, .01)) for _ in range(pairs)]
        sign = rule(a, b).sign
        found += sign == expected
        wrong += sign == -expected and expected != 0
    check(f'{name}, {form}: {change:+.2%} gives {expected:+d} in {found} of {tries}',
          found >= least * tries and not wrong)


def powers(check):
    for name, forms in rules.RULES.items():
        for form in forms:
            quartiles = (name, form) == ('torch', 'own')
            claims(check, name, form, .02, 1, 1. if quartiles else .99)
            claims(check, name, form, -.02, -1, 1. if quartiles else .99)
            claims(check, name, form, 0., 0, .98 if form == 'ours' or quartiles else .91)
    for name in rules.RULES:  # a difference within the margin is not claimed at our level
        claims(check, name, 'ours', .002, 0, .98)


def against_scipy(check):
    try:
        from scipy import stats
    except ImportError:
        check('scipy # SKIP not installed', True)
        return
    source = random.Random(1)
    for size in (20, 50):
        for shift in (0., .3, 1.):
            a = [round(source.gauss(0, 1), 1) for _ in range(size)]
            b = [round(source.gauss(shift, 1), 1) for _ in range(size)]
            what = f'{size} values, shifted by {shift}: '
            mine = rules.two_sided(rules.rank_sum_tail(a, b), rules.rank_sum_tail(b, a), .05, 0).p
            check(what + 'rank sum', near(mine, stats.mannwhitneyu(a, b, alternative='two-sided').pvalue))
            mine = rules.two_sided(rules.welch_tail(a, b), rules.welch_tail(b, a), .05, 0).p
            check(what + 'Welch', near(mine, stats.ttest_ind(a, b, equal_var=False).pvalue))
            differences = [y - x for x, y in zip(a, b) if x != y]
            up = rules.signed_rank_tail(differences)
            mine = rules.two_sided(up, 1 - up, .05, 0).p
            check(what + 'signed ranks', near(mine, stats.wilcoxon(differences, mode='approx').pvalue))
    for hits, count in ((0, 7), (1, 300), (3, 300), (150, 300), (299, 300), (7, 7)):
        exact = stats.binomtest(hits, count).proportion_ci(.95, 'exact')
        check(f'interval of {hits} of {count}', all(
            near(x, y, 1e-7) for x, y in zip(rules.binomial_interval(hits, count), exact)))


def trial(tool, truth, sign, claim, **more):
    return {'tool': tool, 'noise': 'natural', 'budget': 2., 'workload': 'alu', 'truth': truth,
            'sign': sign, 'seconds': .5, 'claims': {'own': [claim, 0., None]}, **more}


def tables(check):
    """Checks what is counted as what, and the state of the goals."""
    trials = ([trial('bilanx', 'same', 0, 0, verdict='same')] * 298
              + [trial('bilanx', 'copy', 0, 1, verdict='slower')] * 2
              + [trial('bilanx', '+1 %', 1, 1, verdict='slower')] * 98
              + [trial('bilanx', '+1 %', 1, 0, verdict='undecided')]
              + [trial('bilanx', '-1 %', -1, 1, verdict='slower')])
    counted = table.count(trials)
    check('false alarms are counted', counted['false alarms'] == (2, 300))
    check('detections are counted', counted['found 1 %'] == (98, 100))
    check('a wrong sign does not count as found', counted['wrong signs'] == 1)
    check('undecided trials are counted', counted['undecided'] == 1)
    judged = {goal.text: goal.state for goal in table.goals(trials)}
    state = lambda start: next(value for text, value in judged.items() if text.startswith(start))
    check('2 of 300 is within 1 %', state('natural: at most 1 % false alarms') == 'met')
    check('98 of 100 is not 99 %', state('alu: 99 % found at 1 %') == 'missed')
    check('a wrong sign misses a goal', state('no wrong sign') == 'missed')
    check('a goal without trials is not shown', state('bursty: at most 1 % false alarms') == 'not shown')
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        table.show(trials)
    line = next(line for line in shown.getvalue().splitlines() if ' alu ' in line)
    check('a rate is shown with its interval', '2/300 0.667 % [0.0808, 2.39]' in line)
    peers = trials + [trial('tango', 'same', 0, 1), trial('tango', '+1 %', 1, 1)] * 100
    check('a time no shorter than the best peer\'s misses a goal', 'missed' == next(
        goal.state for goal in table.goals(peers) if goal.text.startswith('2 s')))
    slow = [{**each, 'seconds': .6} if each['tool'] == 'tango' else each for each in peers]
    check('a peer with more errors and more time is beaten', 'met' == next(
        goal.state for goal in table.goals(slow) if goal.text.startswith('2 s')))
    four = table.goals(trials + [trial('bilanx', 'same', 0, 1, verdict='slower')] * 2)
    check('4 of 302 is not within 1 %', four[0].state == 'missed')


def run():
    outcomes = []

    def check(name, passed):
        outcomes.append(passed)
        print(f'{"ok" if passed else "not ok"} {len(outcomes)} - {name}')

    for part in (textbook, powers, against_scipy, tables):
        part(check)
    print(f'1..{len(outcomes)}')
    return 0 if all(outcomes) else 1
