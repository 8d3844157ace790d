#!/usr/bin/env bash
# bilanx ab --bundle: what is in the file, what a browser shows, and what is kept if something fails.
# The references are python3's zipfile, unzip if it is there, and Chromium.
. "$(dirname "$0")/cli.bash"
export XDG_CACHE_HOME=$work/cache TMPDIR=$work/tmp
unset DEBUGINFOD_URLS
patience=300
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$TMPDIR" "$work/repository"
cd "$work/repository" || exit 1

# A small library with a suite. Its build makes a header. On the branch, lex() got slower.
cat >parse.c <<'C'
#include "steps.h"
// Nothing of it can be overlapped or shortened.
static inline unsigned long chain(unsigned long x, unsigned long steps)
{
    while (steps--)
        __asm__ volatile("imul $3, %0, %0\n\timul $5, %0, %0" : "+r"(x));
    return x;
}
__attribute__((noinline)) unsigned long lex(unsigned long x) { return chain(x, STEPS) + 1; }
__attribute__((noinline)) unsigned long build(unsigned long x) { return chain(x, 400) + 2; }
__attribute__((noinline)) unsigned long parse(void) { return build(lex(1)) + 3; }
__attribute__((noinline)) unsigned long print(void) { return build(1) + 4; }
C
cat >suite.yaml <<'YAML'
language: c
defaults: {sources: [parse.c], setup: "unsigned long parse(void), print(void), x;"}
benchmarks:
  "../<img src=x onerror=alert(1)> \"it's\" 大": {stmt: x = parse()}
  print: {stmt: x = print()}
YAML
echo 200 >steps
name=$'../<img src=x onerror=alert(1)> "it\'s" 大'
file='img-src=x-onerror=alert-1-it-s-大'
git() { command git -c user.name=n -c user.email=e@example.org -c init.defaultBranch=main -c advice.detachedHead=false "$@"; }
git init -q . && git add . && git commit -qm 'The base' && git checkout -qb branch && echo 1000 >steps && git commit -qam 'Be slower'
command=(ab --A git:merge-base:main --B git:. --build 'echo "#define STEPS $(cat steps)" >steps.h' suite.yaml --core any --budget 60)
stmt=(ab --A cc:gcc --B 'cc:gcc -DSTEPS=900' --stmt 'x = parse()' -s 'unsigned long parse(void), x;' --source "$work/plain.c" --core any --budget .2)
sed 's/#include "steps.h"/#ifndef STEPS\n#define STEPS 300\n#endif/' parse.c >"$work/plain.c"

# Without valgrind, and with a browser that hangs. It is given up after a while, during which the
# other tests run.
mkdir "$work/bin"
for tool in gcc as ld sh; do ln -s "$(command -v $tool)" "$work/bin/"; done
printf '#!/bin/sh\nexec %s 1000\n' "$(command -v sleep)" >"$work/bin/chromium" && chmod +x "$work/bin/chromium"
env PATH="$work/bin" "$BILANX" "${stmt[@]}" --bundle-all --bundle "$work/without.zip" >/dev/null 2>"$work/without.err" &
without=$!

# in_zip FILE CODE: runs Python with the archive as z, its names, and text(NAME).
in_zip() {
    python3 - "$1" "$2" <<'PYTHON'
import json, re, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
names = z.namelist()
text = lambda name: z.read(name).decode()
manifest = json.loads(text('bilanx-bundle.json'))
try:
    assert z.testzip() is None and len(names) == len(set(names))
    exec(sys.argv[2])
except BaseException:
    print(names, json.dumps(manifest))
    raise
PYTHON
}

# Everything.
check "a bundle is made from two revisions" exits 0 "$BILANX" "${command[@]}" --bundle "$work/out.zip"
check "... with the usual table on stdout" bash -c "grep -q ' slower ' '$work/out' && grep -q '^print .* same ' '$work/out'"
check "... and says where it is" err 'out.zip: .* kB; unpack it and open index.html'
check "... and that nothing is missing" bash -c "! grep -q missing '$work/err'"
check "it is a ZIP file" bash -c "! command -v unzip || unzip -tqq '$work/out.zip'"
check "its files have a fixed order" in_zip "$work/out.zip" "
graphs = [f'{side}-$file.{kind}' for side in ('diff', 'base', 'branch') for kind in ('svg', 'png')]
assert names == ['bilanx-bundle.json', 'index.html', 'summary.md', 'verdicts.txt', 'verdicts.md', 'counts.txt', 'counts.md',
                 'records.jsonl', 'machine.json', 'commands.txt'] + graphs"
check "... sane modes and one time" in_zip "$work/out.zip" "
assert {i.external_attr >> 16 for i in z.infolist()} == {0o100644}
assert len({i.date_time for i in z.infolist()}) == 1 and z.infolist()[0].date_time[0] > 2020"
check "a name cannot leave the folder" in_zip "$work/out.zip" "
assert not [name for name in names if '/' in name or '..' in name or '\\\\' in name or name.startswith('.')]"
unpacks() { mkdir "$work/unpacked" && python3 -m zipfile -e "$work/out.zip" "$work/unpacked" && [ "$(find "$work/unpacked" -type f | wc -l)" = 16 ]; }
check "it unpacks into one folder" unpacks
check "tables are there as text and as Markdown" in_zip "$work/out.zip" "
assert ' slower ' in text('verdicts.txt') and '| print | ' in text('verdicts.md')"
check "the verdicts are those on stdout" bash -c "diff '$work/out' '$work/unpacked/verdicts.txt'"
check "records are there, as -o writes them" records "$work/unpacked/records.jsonl" "
assert [x['kind'] for x in r] == ['verdict', 'verdict', 'counts', 'counts', 'stacks', 'stacks'], [x['kind'] for x in r]
assert [x['side'] for x in r] == ['B', 'B', 'A', 'B', 'A', 'B'] and r[0]['machine']['cores'] > 0"
check "... and flame draws them again" exits 0 "$BILANX" flame "$work/unpacked/records.jsonl" --folded "$work/again.folded"
check "counts by function show what changed" in_zip "$work/out.zip" "
*rows, nothing, variants = [re.split('  +', row) for row in text('counts.txt').splitlines()[2:]]
assert rows[0][0] == 'lex (parse.c)' and int(rows[0][3].replace(',', '')) == 800 * 4, rows
assert ['build (parse.c)'] == [row[0] for row in rows[1:] if len(row) == 3 and row[0] == 'build (parse.c)']
assert len({row[0] for row in rows}) == len(rows), rows"
check "... and which variants were counted" in_zip "$work/out.zip" "
assert 'functions for x86-64-v2; timed and sampled with' in text('counts.txt') and 'x86-64-v2; timed' in text('index.html')"
check "the commands are there" in_zip "$work/out.zip" "
assert text('commands.txt').startswith('bilanx ab --A git:merge-base:main') and 'The base' in text('commands.txt')"
check "functions have names that a reader knows" bash -c "cd '$work' && printf 'static inline unsigned long chain(unsigned long steps) { unsigned long x = 1; while (steps--) __asm__ volatile(\"imul \$3, %%0, %%0\" : \"+r\"(x)); return x; }\n' >chain.c &&
    '$BILANX' ab --A cc:gcc --B 'cc:gcc -DSTEPS=900' --stmt 'chain(STEPS)' -g '#ifndef STEPS
#define STEPS 300
#endif' --source chain.c --core any --budget 30 --bundle-all --bundle inlined.zip -q >/dev/null 2>&1"
check "... those of inlined functions, and none of ours" in_zip "$work/inlined.zip" "
for name in 'summary.md', 'index.html', 'counts.txt', 'counts.md':
    ours = re.findall('.{0,30}(?:bilanx_copies|bilanx_next|callgrind_toggle|loop_next|\\(the loop|[?]{3}).{0,30}', text(name))
    assert 'chain (inlined, chain.c)' in text(name) and not ours, (name, ours, text(name)[:3000])"
check "the summary is Markdown for a comment" in_zip "$work/out.zip" "
s = text('summary.md')
assert s.startswith('### Benchmarks: 1 slower, 1 same') and 'The base' in s and '| lex (parse.c) | ' in s, s
assert '<img' not in s.replace('\\\\<img', ''), s"
check "both sides were sampled in as many turns" records "$work/unpacked/records.jsonl" "
a, b = [x['stacks'] for x in r if x['kind'] == 'stacks']
assert len(a['epoch_calls']) == len(b['epoch_calls']) == len(a['epoch_seconds']) > 1, (a, b)
assert abs(sum(a['epoch_calls']) - a['calls']) < 1 and abs(sum(b['epoch_seconds']) - b['seconds']) < 1e-6"
check "... and graphs show the verdict's times" in_zip "$work/out.zip" "
r = [json.loads(line) for line in text('records.jsonl').splitlines()]
times, sides = r[0]['times'], [x['stacks'] for x in r if x['kind'] == 'stacks']
assert [side['time'] for side in sides] == times and {side['unit'] for side in sides} == {'samples'}, sides
stacks = json.loads(re.search('<metadata id=.bilanx-stacks.>(.*?)</metadata>', text('diff-$file.svg'))[1])['stacks']
for time, weights in zip(times, (stacks['node_before'], stacks['node_weights'])):
    assert abs(sum(weights) / time / 1e9 - 1) < 1e-6, (times, weights)"
check "... and give the change according to the samples" in_zip "$work/out.zip" "
s = '(caled to the verdict, [+][0-9.]+ %; the samples say|he samples disagree with the verdict: they say) [+-][0-9.]+ % [(]'
note = re.search('<metadata id=.bilanx-stacks.>.*?\"note\":\"(.*?)\"', text('diff-$file.svg'))[1]
assert re.search(s, text('index.html')) and re.search(s, note), note"
widths() {
    in_zip "$work/out.zip" "
import xml.etree.ElementTree as tree
def frames(name):
    found = {}
    for group in tree.fromstring(text(name)).iter('{http://www.w3.org/2000/svg}g'):
        title, rect = group.find('{*}title'), group.find('{*}rect')
        if title is not None and rect is not None:
            found.setdefault(re.split(' \\(|:', title.text)[0], (float(rect.get('width')), rect.get('class'), title.text))
    return found
diff = frames('diff-$file.svg')
width, colour, title = diff['lex']
# Red, and wider than anything else that parse() calls.
assert colour[0] == 'm' and int(colour[1]) >= 3, diff
assert width > diff['build'][0] > 0 and width > .5 * diff['parse'][0], diff
assert 'ns per call to' in title or 'us per call to' in title, title
assert frames('base-$file.svg')['lex'][0] < frames('base-$file.svg')['build'][0]
assert frames('branch-$file.svg')['lex'][0] > frames('branch-$file.svg')['build'][0]"
}
check "the slowed function is red and widest" widths
check "pictures are PNG files as wide as the graphs" in_zip "$work/out.zip" "
import struct
for name in names:
    if name.endswith('.png'):
        assert z.read(name)[:8] == b'\x89PNG\r\n\x1a\n'
        width, height = struct.unpack('>II', z.read(name)[16:24])
        svg = float(re.search(' height=\"(\d+)\"', text(name[:-3] + 'svg'))[1])
        assert width == 1200 and abs(height - svg) <= 1, (name, width, height, svg)"
check "the page needs nothing but the files" in_zip "$work/out.zip" "
page = text('index.html')
links = re.findall(' (?:src|href)=\"([^\"]*)\"', page)
assert len(links) > 20 and all(link in names or 'id=\"%s\"' % link[1:] in page for link in links), links
assert '<script' not in page and 'url(' not in page and '@import' not in page
assert '<img' not in page and '&lt;img src=x onerror=alert(1)&gt;' in page"

# In a browser.
cat >"$work/look.py" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import chrome
with chrome.Chrome() as page:
    for width in 800, 1400:
        for dark in False, True:
            page.open(sys.argv[2] + '/index.html', width, 3000, dark=dark)
            frames = [f['frame']['url'] for f in page.call('Page.getFrameTree')['frameTree'].get('childFrames', [])]
            assert len(frames) >= 1 and frames[0].startswith('file://') and 'diff-' in frames[0], frames
            assert page.evaluate('document.querySelectorAll("table")[0].rows.length') == 3
            assert page.evaluate('document.documentElement.scrollWidth') <= width
            assert page.evaluate('getComputedStyle(document.body).backgroundColor') != 'rgba(0, 0, 0, 0)'
            light = page.evaluate('getComputedStyle(document.body).color')
            assert (light == 'rgb(230, 237, 243)') == dark, light
            assert page.evaluate('document.title').startswith(sys.argv[3]), page.evaluate('document.title')
            assert not page.errors, page.errors
    # The graph in the page is the one to explore: its script ran.
    page.open(sys.argv[2] + '/' + sys.argv[4], 1200, 800)
    labels = page.evaluate("[...document.querySelectorAll('.frame')].map(e => e.getAttribute('aria-label'))")
    assert any(label.startswith('lex') for label in labels) and not page.errors, (labels, page.errors)
PYTHON
title="merge-base:main: $(git log -1 --format=%h main)"
check "a browser shows it without errors, light and dark" python3 "$work/look.py" "$here" "$work/unpacked" "$title" "diff-$file.svg"

# Options that it refuses before anything is measured.
printf '{"schema":"bilanx/1","kind":"measurement","task":{"label":"l"},"number_per_run":1,"raw_times":[1,1.01,1.02,1,1,1.01,1,1.02,1,1]}\n' >"$work/a.jsonl"
sed 's/\[.*/[2,2.01,2,2.02,2,2,2.01,2.03,2.01,2]}/' "$work/a.jsonl" >"$work/b.jsonl"
stored=(ab --A "file:$work/a.jsonl" --B "file:$work/b.jsonl")
refuses() { exits "$1" "$BILANX" "${stored[@]}" "${@:3}" && empty out && err "$2"; }
check "an earlier bundle is not replaced" refuses 2 "out.zip' already contains a bundle: --overwrite replaces it" --bundle "$work/out.zip"
cp parse.c "$work/kept.c"
check "nor any other file" refuses 2 "kept.c' does not contain a bundle, so it was not overwritten" --bundle "$work/kept.c" --overwrite
check "... which is unchanged" cmp parse.c "$work/kept.c"
check "stdout is no file" refuses 2 'needs the name of a file' --bundle -
check "nor is a device" refuses 2 'not a regular file' --bundle /dev/null
check "-o cannot be the same file" refuses 2 'name the same file' --bundle "$work/x" -o "$work/x"
check "there must be a folder" refuses 1 "cannot write the bundle '/no/such/x.zip': No such file" --bundle /no/such/x.zip
check "--bundle-all alone means nothing" refuses 2 '--bundle-all needs --bundle' --bundle-all
check "a bisection makes no bundle" refuses 2 'cannot be combined' --bundle "$work/x.zip" --bisect

# Without a part of it.
says_missing() { in_zip "$1" "assert any(re.search(r'''$2''', line) for line in manifest['missing']), manifest['missing']
assert re.search(r'''$2''', text('index.html').replace('&quot;', '\"')) and 'Missing' in text('summary.md')"; }
check "stored records make a bundle" exits 0 "$BILANX" "${stored[@]}" --bundle "$work/stored.zip"
check "... that says which parts are missing" says_missing "$work/stored.zip" 'flame graphs of side A: it is a file of records'
check "... and --overwrite replaces it, even without -o" exits 0 "$BILANX" "${stored[@]}" --bundle "$work/stored.zip" --overwrite
check "... leaving nothing else behind" bash -c "! ls '$work' | grep -q 'stored.zip.'"
twice() {
    exits 0 "$BILANX" ab --A cc:gcc --B 'cc:gcc -O3' --stmt 'x++' --stmt 'x++' -s 'volatile int x = 0' --core any --budget .05 -q --bundle "$work/twice.zip" &&
        in_zip "$work/twice.zip" "assert [case['name'] for case in manifest['cases']] == ['x++', 'x++ #2']"
}
check "two cases with the same name are both there" twice
dated() { SOURCE_DATE_EPOCH=1700000000 "$BILANX" "${stored[@]}" --bundle "$1" -q && in_zip "$1" 'assert z.infolist()[0].date_time[:2] == (2023, 11)'; }
check "SOURCE_DATE_EPOCH sets the time of its files" dated "$work/dated.zip"
# interrupted: ^C while the sides are sampled in turns.
interrupted() {
    local process code
    BILANX_BROWSER='' "$BILANX" "${stmt[@]}" --bundle-all --bundle "$work/stopped.zip" >"$work/out" 2>"$work/err" &
    process=$!
    for _ in $(seq 600); do
        grep -q 'sampling .* on all sides, in turns' "$work/err" && break
        sleep 0.05
    done
    sleep 1
    kill -INT $process
    wait $process
    code=$?
    cat "$work/err"
    [ $code = 130 ]
}
set -m # or a background process ignores ^C
check "^C while sampling" interrupted
set +m
check "... keeps what was measured" in_zip "$work/stopped.zip" "
assert len(text('records.jsonl').splitlines()) >= 4 and 'base-x-parse.svg' in names and ' x = parse() ' in ' ' + text('verdicts.txt').replace('\n', ' ')"
check "... and names the missing parts" says_missing "$work/stopped.zip" 'some of the graphs: interrupted'

# A small disk, as root.
if unshare -m true 2>/dev/null; then
    mkdir "$work/small"
    # full TMPDIR: the bundle of stored records needs more than is left.
    full() {
        TMPDIR=$1 exits 1 unshare -m bash -c "mount -t tmpfs -o size=16k,mode=755 none '$work/small' && head -c 12k /dev/zero >'$work/small/ballast' &&
            \"\$@\"; status=\$?; ls '$work/small' >'$work/left'; exit \$status" bash "$BILANX" "${stored[@]}" --bundle "$work/small/out.zip"
    }
    check "a full disk is reported" full "$TMPDIR"
    check "... with the place where the bundle is now" err "cannot write the bundle '.*small/out.zip': No space left on device (it was saved as '$TMPDIR/bilanx-bundle-.*zip')"
    saved() { in_zip "$(echo "$TMPDIR"/bilanx-bundle-*.zip)" "assert manifest['cases'][0]['verdict'] == 'seems-slower'"; }
    check "... which is complete" saved
    check "... and nothing is left on the disk" bash -c "[ \"\$(cat '$work/left')\" = ballast ]"
    check "with nowhere to go" full "$work/small"
    check "... it says so" err "cannot write the bundle '.*small/out.zip': No space left"
    check "... and the verdict is on stdout nevertheless" out ' seems-slower'
fi

wait $without
code=$?
check "without valgrind and with a browser that hangs, there is a bundle" test $code = 0
check "... with graphs" in_zip "$work/without.zip" "
assert [n for n in names if n.endswith('.svg')] == ['diff-x-parse.svg', 'base-x-parse.svg', 'branch-x-parse.svg']
assert not [n for n in names if n.endswith('.png')]"
check "... and it says why there are no counts" says_missing "$work/without.zip" 'counts by function: .*valgrind, which is not installed'
check "... and no pictures" says_missing "$work/without.zip" 'PNG pictures of graphs: the browser .*not done in'
check "... also on stderr" grep -q 'missing from the bundle: PNG pictures' "$work/without.err"
check "... and no process is left" bash -c "! pgrep -f '/sleep 1000\$' | xargs -r -n1 -I{} grep -lz 'TMPDIR=$TMPDIR' /proc/{}/environ 2>/dev/null | grep ."
plan
