"""Summarises trials in tables per kind of noise, and checks the goals."""
from collections import namedtuple

import rules

NOISES = ('natural', 'bursty', 'drifting', 'shared50')
WORKLOADS = ('alu', 'branchy', 'chase', 'memcpy', 'malloc', 'syscall')
TOOLS = ('bilanx', 'google', 'hyperfine', 'torch', 'tango', 'wilcoxon')
FORMS = {'own': 'with its own rule', 'ours': 'at our level and margin'}
TRUTHS = {'same': 'false alarms', 'copy': 'false alarms', '+1 %': 'found 1 %', '-1 %': 'found 1 %',
          '+.5 %': 'found .5 %', '-.5 %': 'found .5 %', 'code': 'found other code'}
RATES = ('false alarms', 'found 1 %', 'found .5 %', 'found other code')
LEAST_ALARMS, LEAST_FOUND = 300, 50  # with fewer trials a goal is not shown

Goal = namedtuple('Goal', 'text state detail')


def sign_of(trial, form):
    """Returns the claimed sign. bilanx has one form; a tool that failed claims nothing."""
    claims = trial.get('claims', {})
    return claims.get(form, claims.get('own', [0]))[0]


def count(trials, form='own'):
    """Counts hits and trials of each rate, wrong signs, undecided verdicts, and `same` for a change of 1 %."""
    counted = {rate: (0, 0) for rate in RATES}
    counted.update({'wrong signs': 0, 'undecided': 0, 'same': 0, 'failed': 0})
    for trial in trials:
        claim, rate = sign_of(trial, form), TRUTHS[trial['truth']]
        hit = claim != 0 if rate == 'false alarms' else claim == trial['sign']
        hits, total = counted[rate]
        counted[rate] = hits + hit, total + 1
        verdict = trial.get('verdict')
        counted['wrong signs'] += trial['sign'] != 0 and claim == -trial['sign']
        counted['undecided'] += verdict not in (None, 'faster', 'slower', 'same')
        counted['same'] += verdict == 'same' and rate in ('found 1 %', 'found other code')
        counted['failed'] += 'error' in trial
    for key in ('seconds', 'processor'):
        known = [trial[key] for trial in trials if trial.get(key) is not None]
        counted[key] = rules.median(known) if known else None
    return counted


def percent(rate):
    return f'{rate * 100:.3g}'


def show_rate(hits, total):
    if not total:
        return '-'
    low, high = rules.binomial_interval(hits, total)
    return f'{hits}/{total} {percent(hits / total)} % [{percent(low)}, {percent(high)}]'


def show_seconds(seconds):
    return '-' if seconds is None else f'{seconds:.2f}'


def row(tool, form, workload, trials):
    counted = count(trials, form)
    undecided = str(counted['undecided']) if tool == 'bilanx' else '-'
    return [tool, FORMS[form] if tool != 'bilanx' else '', workload,
            *(show_rate(*counted[rate]) for rate in RATES), str(counted['wrong signs']), undecided,
            *(str(counted[key] or '-') for key in ('same', 'failed')), *(show_seconds(counted[key]) for key in ('seconds', 'processor'))]


def lay_out(rows, markdown=False):
    """Leaves out columns without content."""
    told = [i for i in range(len(rows[0])) if {cells[i] for cells in rows[1:]} - {'', '-', 'all'}]
    rows = [[cells[i] for i in told] for cells in rows]
    if markdown:
        for number, cells in enumerate(rows):
            print('| ' + ' | '.join(cells) + ' |')
            if number == 0:
                print('|---' * len(cells) + '|')
        return
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(rows[0]))]
    for cells in rows:
        print('  '.join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())


def show_noise(trials, noise, budget, brief, markdown):
    head = ['tool', 'rule', 'workload', *RATES, 'wrong sign', 'undecided', 'same at 1 %', 'failed',
            'median s', 'of which CPU']
    rows = []
    here = [trial for trial in trials if trial['noise'] == noise and trial['budget'] == budget]
    for tool in TOOLS:
        mine = [trial for trial in here if trial['tool'] == tool]
        for form in FORMS if tool != 'bilanx' else ['own']:
            for workload in () if brief else WORKLOADS:
                some = [trial for trial in mine if trial['workload'] == workload]
                rows += [row(tool, form, workload, some)] if some else []
            rows += [row(tool, form, 'all', mine)] if mine else []
    if rows:
        print(f'\n{noise} noise, {budget:g} s: rates with their exact 95 % intervals')
        print(end='\n' if markdown else '')
        lay_out([head, *rows], markdown)


def show(trials, brief=False, markdown=False):
    for noise in NOISES:
        for budget in sorted({trial['budget'] for trial in trials}):
            show_noise(trials, noise, budget, brief, markdown)


def select(trials, **wanted):
    return [trial for trial in trials if all(trial[key] == value for key, value in wanted.items())]


def judge(text, reached, enough, detail):
    """Returns the state of a goal: not shown with too few trials, unless they already rule it out."""
    return Goal(text, ('met' if enough else 'not shown') if reached else
                ('missed' if enough else 'not shown'), detail)


def alarm_goal(trials, noise):
    hits, total = count(select(trials, noise=noise))['false alarms']
    out_of = max(total, LEAST_ALARMS)
    return judge(f'{noise}: at most 1 % false alarms in at least {LEAST_ALARMS} trials',
                 hits <= .01 * out_of, total >= LEAST_ALARMS or hits > .01 * out_of,
                 show_rate(hits, total))


def power_goal(trials, workload, change, least, most_seconds=None):
    """With a budget of 2 s and natural noise. Times are from the trials with a difference."""
    rate = f'found {change}'
    some = [trial for trial in select(trials, noise='natural', budget=2., workload=workload)
            if TRUTHS[trial['truth']] == rate]
    counted = count(some)
    hits, total = counted[rate]
    reached = total > 0 and hits >= least * total
    text = f'{workload}: {least * 100:g} % found at {change} within 2 s'
    detail = show_rate(hits, total)
    if most_seconds:
        text += f', median {most_seconds} s'
        detail += f', median {show_seconds(counted["seconds"])} s'
        reached = reached and counted['seconds'] <= most_seconds
    return judge(text, reached, total >= LEAST_FOUND, detail)


def error(trials, form):
    """Returns the mean of two rates (false alarms, differences of 1 % not found), and the smaller
    number of trials."""
    counted = count(trials, form)
    (alarms, alike), (found, unlike) = counted['false alarms'], counted['found 1 %']
    if not alike or not unlike:
        return None
    return (alarms / alike + 1 - found / unlike) / 2, min(alike, unlike)


def peer_goal(trials, budget):
    text = f'{budget:g} s: a lower error and a shorter time than the best peer'
    some = [trial for trial in select(trials, budget=budget)
            if TRUTHS[trial['truth']] in ('false alarms', 'found 1 %')]
    ranking = []
    for tool in TOOLS:
        mine = select(some, tool=tool)
        for form in FORMS if tool != 'bilanx' else ['own']:
            found = error(mine, form)
            if found:
                ranking.append((found[0], rules.median([trial['seconds'] for trial in mine]),
                                found[1], tool, form))
    ours = [entry for entry in ranking if entry[3] == 'bilanx']
    peers = sorted(entry for entry in ranking if entry[3] != 'bilanx')
    if not ours or not peers:
        return Goal(text, 'not shown', 'needs bilanx and a peer')
    mine, best = ours[0], peers[0]
    lower = mine[0] < best[0] or mine[0] == best[0] == 0
    detail = (f'{mine[0]:.2%} in {mine[1]:.2f} s; {best[3]} {FORMS[best[4]]} {best[0]:.2%} '
              f'in {best[1]:.2f} s')
    return judge(text, lower and mine[1] < best[1], min(mine[2], best[2]) >= LEAST_FOUND, detail)


def goals(trials):
    ours = select(trials, tool='bilanx')
    wrong = count(ours)['wrong signs']
    return [*(alarm_goal(ours, noise) for noise in NOISES),
            *(power_goal(ours, workload, '1 %', .99, .6) for workload in ('alu', 'branchy')),
            *(power_goal(ours, workload, '1 %', .95) for workload in WORKLOADS[2:]),
            power_goal(ours, 'alu', '.5 %', .95),
            judge('no wrong sign', wrong == 0, len(ours) >= LEAST_FOUND or wrong > 0, f'{wrong} of {len(ours)}'),
            *(peer_goal(trials, budget) for budget in (.5, 2.))]


def show_goals(trials):
    return show_judged(goals(trials))


def show_judged(judged):
    """Returns True if no goal is missed."""
    print('\ngoals')
    lay_out([[goal.state, goal.text, goal.detail] for goal in judged])
    return all(goal.state != 'missed' for goal in judged)
