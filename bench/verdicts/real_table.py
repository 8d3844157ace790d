"""Summarises the trials of bench/real, and checks the goals."""
import table
from real_sides import MODES, WORKLOADS
from rules import median
from table import Goal, judge, show_rate, show_seconds

# With fewer trials, a goal is not shown.
LEAST, LEAST_WORKLOADS = {'identical': 600, 'git': 100, 'bin': 100, 'dead': 50, 'knob': 100}, 10
SHARE_FOUND = .9
CLAIMS = {'slower': 1, 'faster': -1}


def claim_of(trial):
    return CLAIMS.get(trial.get('verdict'), 0)


def count(trials):
    """Counts outcomes. Failed trials are counted separately."""
    done = [trial for trial in trials if 'error' not in trial]
    alike = [trial for trial in done if trial['sign'] == 0]
    unlike = [trial for trial in done if trial['sign'] != 0]
    verdicts = [trial['verdict'] for trial in done]
    return {
        'trials': len(done), 'failed': len(trials) - len(done),
        'claims': (sum(claim_of(trial) != 0 for trial in alike), len(alike)),
        'found': (sum(claim_of(trial) == trial['sign'] for trial in unlike), len(unlike)),
        'wrong sign': sum(claim_of(trial) == -trial['sign'] for trial in unlike),
        'same': verdicts.count('same'),
        'undecided': sum(verdict not in ('same', *CLAIMS) for verdict in verdicts),
        'largest': max((abs(trial['change']) for trial in alike if claim_of(trial)), default=None),
        **{key: median([trial[key] for trial in done]) if done else None
           for key in ('elapsed', 'seconds')},
    }


HEAD = ['mode', 'workload', 'false claims', 'largest', 'found 1 %', 'wrong sign', 'same', 'undecided',
        'failed', 'median s', 'whole command s']


def row(mode, workload, trials):
    counted = count(trials)
    largest = counted['largest']
    return [mode, workload, show_rate(*counted['claims']),
            '-' if largest is None else f'{largest * 100:.2f} %', show_rate(*counted['found']),
            *(str(counted[key] or '-') for key in ('wrong sign', 'same', 'undecided', 'failed')),
            *(show_seconds(counted[key]) for key in ('elapsed', 'seconds'))]


def show(trials, brief=False, markdown=False):
    for mode in MODES:
        some = table.select(trials, mode=mode)
        rows = [] if brief else [row(mode, workload, mine) for workload in WORKLOADS
                                 if (mine := table.select(some, workload=workload))]
        if some:
            budgets = sorted({trial['budget'] for trial in some})
            print(f'\n{mode}, {" and ".join(f"{budget:g}" for budget in budgets)} s: '
                  'rates with their exact 95 % intervals', end='\n\n' if markdown else '\n')
            table.lay_out([HEAD, *rows, row(mode, 'all', some)], markdown)


def workloads_of(trials):
    return sorted({trial['workload'] for trial in trials if 'error' not in trial})


def alarm_goal(trials, mode, share):
    some = table.select(trials, mode=mode)
    hits, total = count(some)['claims']
    least, out_of, workloads = LEAST[mode], max(total, LEAST[mode]), len(workloads_of(some))
    text = 'never a claim' if share == 0 else f'at most {share * 100:g} % claims'
    return judge(f'{mode}: {text}, {least} trials of {LEAST_WORKLOADS} workloads',
                 hits <= share * out_of,
                 (total >= least and workloads >= LEAST_WORKLOADS) or hits > share * out_of,
                 f'{show_rate(hits, total)}, {workloads} workloads')


def power_goal(trials):
    """Over all workloads, because ten trials of one say little. Names the workload with the fewest found."""
    some = table.select(trials, mode='knob')
    hits, total = count(some)['found']
    each = {name: count(table.select(some, workload=name))['found'] for name in workloads_of(some)}
    worst = min(each, key=lambda name: each[name][0] / each[name][1], default=None)
    return judge(f'knob: {SHARE_FOUND * 100:g} % found at 1 % within 5 s, '
                 f'{LEAST["knob"]} trials of {LEAST_WORKLOADS} workloads',
                 hits >= SHARE_FOUND * total,
                 total >= LEAST['knob'] and len(each) >= LEAST_WORKLOADS,
                 f'{show_rate(hits, total)}, {len(each)} workloads'
                 + (f', fewest for {worst}: {each[worst][0]}/{each[worst][1]}' if worst else ''))


def goals(trials):
    counted = count(trials)
    wrong, total = counted['wrong sign'], counted['found'][1]
    return [*(alarm_goal(trials, mode, .01) for mode in ('identical', 'git', 'bin')),
            alarm_goal(trials, 'dead', 0), power_goal(trials),
            judge('no wrong sign', wrong == 0, total >= LEAST['knob'] or wrong > 0, f'{wrong} of {total}'),
            Goal('no trial failed', 'missed' if counted['failed'] else 'met',
                 f'{counted["failed"]} of {len(trials)}')]


def show_goals(trials):
    return table.show_judged(goals(trials))
