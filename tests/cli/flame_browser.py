#!/usr/bin/env python3
"""The graph of `bilanx flame` in headless Chromium: search, zoom, keyboard, sizes. Prints TAP.

    flame_browser.py BILANX [--pictures FOLDER]
"""
import json
import os
import subprocess
import sys
import tempfile

import chrome

STACKS = '''\
worker;<module> (bench.py:1);run (bench.py:12);forward (model.py:40);torch::THPVariable_add;at::_ops::add_Tensor::call;at::native::add;vectorized_loop2d_[i] 300
worker;<module> (bench.py:1);run (bench.py:12);forward (model.py:40);torch::THPVariable_add;at::_ops::add_Tensor::call;at::native::add;at::TensorIteratorBase::build 120
worker;<module> (bench.py:1);run (bench.py:12);forward (model.py:40);torch::PythonArgParser::raw_parse 70
worker;<module> (bench.py:1);run (bench.py:12);loss (model.py:77);at::native::mean 44
worker;<module> (bench.py:1);run (bench.py:12) 26
io thread;start_thread;read_loop;entry_SYSCALL_64_[k];do_syscall_64_[k];vfs_read_[k] 60
io thread;start_thread;compiled_[j] 30
'''
CHANGED = STACKS.replace('loop2d_[i] 300', 'loop2d_[i] 200').replace('raw_parse 70', 'raw_parse 140').replace(
    'loss (model.py:77);at::native::mean 44', 'log (log.py:2);write 33')
HOSTILE = '''\
<script>document.title = "hacked"</script>;"><img src=x onerror="document.title='hacked'"> 5
</metadata><script>document.title = "hacked"</script>;]]> 4
before\u202eafter;tab\there 2
日本語の関数名がとても長い場合でも;😀😀😀😀😀😀😀😀😀😀 3
'''

# Texts that are drawn, as boxes; those of one frame may not leave it.
BOXES = '''(() => {
  const boxes = [];
  for (const text of document.querySelectorAll('.frames text, .static text')) {
    const box = text.getBoundingClientRect();
    if (!text.textContent.trim() || box.right < 0 || !box.width) continue;
    const rect = text.parentNode.querySelector(':scope > rect');
    const inside = text.closest('.frames') ? rect.getBoundingClientRect() : {left: 0, right: innerWidth};
    boxes.push([text.textContent, box.left, box.top, box.right, box.bottom, inside.left, inside.right]);
  }
  for (const element of document.querySelectorAll('h1, h2, p, th, td, .found, .legend span, .trail > *')) {
    const box = element.getBoundingClientRect();
    if (!element.textContent.trim() || !box.width) continue;
    boxes.push([element.textContent, box.left, box.top, box.right, box.bottom, 0, innerWidth]);
  }
  return boxes;
})()'''
SHOWN = "[...document.querySelectorAll('.frame')].map(e => e.getAttribute('aria-label').split(',')[0])"
WIDTH = '''(name => { const e = [...document.querySelectorAll('.frame')].find(
  e => e.getAttribute('aria-label').split(',')[0] === name); return e ? +e.querySelector('rect').getAttribute('width') : 0; })'''
CENTRE = '''(name => { const e = [...document.querySelectorAll('.frame')].find(
  e => e.getAttribute('aria-label').split(',')[0] === name);
  const box = e.querySelector('rect').getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })'''
FOCUSED = "document.activeElement.getAttribute('aria-label')?.split(',')[0]"

number, failed = 0, 0


def check(name, holds, detail=''):
    global number, failed
    number += 1
    failed += not holds
    print(f'{"ok" if holds else "not ok"} {number} - {name}')
    if not holds:
        print(f'# {detail!r}'[:2000])


def overlaps(boxes):
    """Pairs of texts that overlap by more than a rounding error, and texts that leave their place."""
    wrong = [box for box in boxes if box[1] < box[5] - 1 or box[3] > box[6] + 1]
    boxes = sorted(boxes, key=lambda box: box[2])
    for i, one in enumerate(boxes):
        for other in boxes[i + 1:]:
            if other[2] >= one[4] - 2:
                break
            if min(one[3], other[3]) - max(one[1], other[1]) > 1 and min(one[4], other[4]) - max(one[2], other[2]) > 4:
                wrong.append((one, other))
    return wrong


class Test:
    def __init__(self, page, folder, pictures):
        self.page, self.folder, self.pictures = page, folder, pictures

    def draw(self, name, *arguments):
        path = os.path.join(self.folder, name)
        subprocess.run([bilanx, 'flame', *arguments, '-q', '-o', path], check=True)
        return path

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def picture(self, name):
        if self.pictures:
            self.page.picture(os.path.join(self.pictures, name + '.png'))

    def width(self, name):
        return self.page.evaluate(f'{WIDTH}({name!r})')

    def click(self, name):
        self.page.click(*self.page.evaluate(f'{CENTRE}({name!r})'))

    def sizes(self, path, what):
        for size in (800, 1200, 1600):
            self.page.open(path, size, 900)
            boxes = self.page.evaluate(BOXES)
            check(f'{what}: texts do not overlap at {size} pixels', boxes and not overlaps(boxes), overlaps(boxes))
        self.page.resize(800, 900)
        wide, inner = self.width('all'), self.page.evaluate('document.documentElement.clientWidth')
        check(f'{what}: a resized window is filled', abs(wide - (inner - 32)) < 3, (wide, inner))
        check(f'{what}: and still legible', not overlaps(self.page.evaluate(BOXES)), overlaps(self.page.evaluate(BOXES)))

    def drawn(self):
        page, path = self.page, self.draw('a.svg', self.write('a.folded', STACKS), '--title', 'A bench & more')
        page.open(path)
        check('the script runs without errors', not page.errors, page.errors)
        check('the title is there', page.evaluate("document.querySelector('h1').textContent") == 'A bench & more')
        check('and how much was measured', '650 samples' in page.evaluate("document.querySelector('p').textContent"))
        shown = page.evaluate(SHOWN)
        check('every frame is drawn', len(shown) == 20 and 'vectorized_loop2d' in shown, shown)
        check('widths are shares', abs(self.width('forward') / self.width('all') - 490 / 650) < .002)
        classes = page.evaluate("[...document.querySelectorAll('.frame rect')].map(e => e.getAttribute('class')[0])")
        check('kinds are told apart', {'n', 'i', 'p', 'k', 'j', 't'} <= set(classes), classes)
        legend = page.evaluate("document.querySelector('.legend').textContent")
        check('and explained', all(word in legend for word in ('native', 'inlined', 'Python', 'kernel')), legend)
        rows = page.evaluate("[...document.querySelectorAll('tbody tr')].map(e => e.textContent)")
        check('the hottest function is first', 'vectorized_loop2d' in rows[0] and '46.2 %' in rows[0], rows[:2])
        self.picture('light')
        page.hover(*page.evaluate(f"{CENTRE}('forward')"))
        tip = page.evaluate("document.querySelector('.tip').getAttribute('visibility') + document.querySelector('.tip').textContent")
        check('hovering shows counts and shares',
              all(word in tip for word in ('visible', 'forward', 'model.py:40', '490 samples', '75.4 %')), tip)
        self.picture('hover')
        self.sizes(path, 'a graph')

    def searched(self):
        page = self.page
        page.open(os.path.join(self.folder, 'a.svg'))
        page.key('/', '/')
        page.type('at::')
        matched = page.evaluate("[...document.querySelectorAll('.frame.match')].map(e => e.getAttribute('aria-label').split(',')[0])")
        check('search highlights what matches', sorted(matched) == [
            'at::TensorIteratorBase::build', 'at::_ops::add_Tensor::call', 'at::native::add', 'at::native::mean'], matched)
        found = page.evaluate("document.querySelector('.found').textContent")
        check('and counts each stack once', found == 'matched 71.4 %, 4 frames', found)
        fills = page.evaluate("[...document.querySelectorAll('.frame.match rect, .frame:not(.match) rect')].map(e => getComputedStyle(e).opacity)")
        check('the rest is dimmed', set(fills) == {'1', '0.3'}, set(fills))
        self.picture('search')
        page.key('Escape')
        check('Escape ends a search', page.evaluate("document.querySelectorAll('.frame.match').length") == 0 and
              page.evaluate("document.querySelector('input').value") == '')
        page.evaluate("document.querySelector('tbody button').click()")
        check('a row of the table finds its function', page.evaluate("document.querySelectorAll('.frame.match').length") == 1)
        page.evaluate("document.querySelector('.clear').click()")
        check('Clear ends a search', page.evaluate("document.querySelectorAll('.frame.match').length") == 0)
        page.type('/native::(add|mean)$/')  # Clear has put the focus there
        check('slashes make it a regular expression', page.evaluate("document.querySelectorAll('.frame.match').length") == 2)
        page.evaluate("document.querySelector('.clear').click()")
        page.type('(((')
        check('nothing found is said', page.evaluate("document.querySelector('.found').textContent") == 'no match')
        check('without errors', not page.errors, page.errors)

    def zoomed(self):
        page = self.page
        page.open(os.path.join(self.folder, 'a.svg'))
        whole = self.width('all')
        self.click('forward')
        check('a click zooms in', abs(self.width('forward') - whole) < 1, self.width('forward'))
        check('callers stay in sight', abs(self.width('run') - whole) < 1)
        check('others go', self.width('loss') == 0 and self.width('read_loop') == 0)
        trail = page.evaluate("document.querySelector('.trail').textContent")
        check('a trail leads back', trail == 'all›worker›<module>›run›forward', trail)
        check('the table is about what is shown', 'in forward' in page.evaluate("document.querySelector('h2').textContent"))
        page.hover(*page.evaluate(f"{CENTRE}('torch::THPVariable_add')"))
        tip = page.evaluate("document.querySelector('.tip').textContent")
        check('shares are of both', '64.6 % of all' in tip and '85.7 % of what is shown' in tip, tip)
        self.picture('zoom')
        check('a zoomed graph is legible', not overlaps(page.evaluate(BOXES)), overlaps(page.evaluate(BOXES)))
        page.evaluate("[...document.querySelectorAll('.trail button')].find(e => e.textContent === 'run').click()")
        check('the trail zooms out', abs(self.width('run') - whole) < 1 and self.width('loss') > 0)
        page.evaluate("document.querySelector('.reset').click()")
        check('reset shows everything', self.width('read_loop') > 0 and abs(self.width('all') - whole) < 1)
        check('without errors', not page.errors, page.errors)

    def by_keyboard(self, path, inwards, outwards, what):
        page = self.page
        page.open(path)
        for _ in range(4):
            page.key('Tab')
            if page.evaluate(FOCUSED) == 'all':
                break
        check(f'{what}: Tab reaches the graph', page.evaluate(FOCUSED) == 'all', page.evaluate(FOCUSED))
        for _ in range(3):
            page.key(inwards)
        check(f'{what}: arrows go inwards', page.evaluate(FOCUSED) == 'run', page.evaluate(FOCUSED))
        stroke = page.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth")
        check(f'{what}: the focus is visible', stroke == '2.5px', stroke)
        tip = page.evaluate("document.querySelector('.tip').getAttribute('visibility')")
        check(f'{what}: and described', tip == 'visible', tip)
        page.key(inwards)
        page.key('ArrowRight')
        check(f'{what}: sideways', page.evaluate(FOCUSED) == 'loss', page.evaluate(FOCUSED))
        page.key('ArrowLeft')
        check(f'{what}: and back', page.evaluate(FOCUSED) == 'forward', page.evaluate(FOCUSED))
        page.key('Enter')
        check(f'{what}: Enter zooms in', self.width('loss') == 0 and page.evaluate(FOCUSED) == 'forward', page.evaluate(FOCUSED))
        page.key(outwards)
        check(f'{what}: arrows go outwards', page.evaluate(FOCUSED) == 'run', page.evaluate(FOCUSED))
        page.key('Escape')
        check(f'{what}: Escape zooms out', self.width('loss') > 0 and self.width('read_loop') == 0)
        page.key('Escape')
        page.key('Escape')
        page.key('Escape')
        check(f'{what}: up to the whole', self.width('read_loop') > 0)
        check(f'{what}: without errors', not page.errors, page.errors)
        named = page.evaluate("[...document.querySelectorAll('.frame')].every(e => e.getAttribute('role') === 'treeitem' && e.getAttribute('aria-label'))")
        check(f'{what}: frames have names and roles', named)

    def inverted(self):
        path = self.draw('i.svg', os.path.join(self.folder, 'a.folded'), '--inverted')
        self.page.open(path)
        all_y, run_y = (self.page.evaluate(f'{CENTRE}({name!r})')[1] for name in ('all', 'run'))
        check('the root of an icicle is at the top', all_y < run_y)
        self.by_keyboard(path, 'ArrowDown', 'ArrowUp', 'an icicle')

    def compared(self):
        page = self.page
        path = self.draw('d.svg', '--diff', os.path.join(self.folder, 'a.folded'), self.write('b.folded', CHANGED))
        page.open(path)
        self.picture('difference')
        check('a difference runs without errors', not page.errors, page.errors)
        colour = "(name => getComputedStyle([...document.querySelectorAll('.frame')].find(e => e.getAttribute('aria-label').split(',')[0] === name).querySelector('rect')).fill)"

        def tint(name):
            red, green, blue = map(int, page.evaluate(f'{colour}({name!r})')[4:-1].split(','))
            return 'red' if red > blue + 20 else 'blue' if blue > red + 20 else 'grey'
        check('red where B costs more', tint('torch::PythonArgParser::raw_parse') == 'red')
        check('blue where it costs less', tint('vectorized_loop2d') == 'blue')
        check('grey where it is the same', tint('vfs_read') == 'grey')
        check('what vanished is drawn', self.width('loss') > 0 and tint('loss') == 'blue')
        check('what is new too', self.width('log') > 0 and tint('log') == 'red')
        label = page.evaluate("[...document.querySelectorAll('.frame')].map(e => e.getAttribute('aria-label')).find(e => e.startsWith('loss'))")
        check('both sides are told', 'A 44 samples, B 0 samples: gone' in label, label)
        self.sizes(path, 'a difference')

    def timed(self):
        """Samples of a case whose time was measured: the script scales them as the static part does."""
        page, record = self.page, os.path.join(self.folder, 't.jsonl')
        subprocess.run([bilanx, 'flame', os.path.join(self.folder, 'a.folded'), '-q', '--record', record], check=True)
        with open(record, encoding='utf-8') as file:
            content = json.load(file)
        content['stacks'].update(unit='samples', time=1.3e-6, calls=1000, seconds=1)
        path = self.draw('t.svg', self.write('timed.jsonl', json.dumps(content) + '\n'))
        page.open(path)
        labels = page.evaluate("[...document.querySelectorAll('.frame')].map(e => e.getAttribute('aria-label'))")
        check('samples are parts of a measured time', any(label.startswith('forward') and '980.0 ns per call, 75.4 %' in label for label in labels), labels)
        check('which are all of it', any(label.startswith('all') and '1.300 us per call' in label for label in labels), labels)
        check('with the same widths', abs(self.width('forward') / self.width('all') - 490 / 650) < .002)
        said = page.evaluate("document.querySelector('p').textContent")
        check('and the samples are named', '1.300 us per call' in said and '650 samples in 1,000 calls' in said, said)
        check('without errors', not page.errors, page.errors)
        self.picture('timed')
        page.open(path, script=False)
        titles = page.evaluate("[...document.querySelectorAll('.static title')].map(e => e.textContent).join('|')")
        check('the same without scripts', 'forward (model.py:40): 980.0 ns per call' in titles, titles)

    def without_script(self):
        page = self.page
        page.open(os.path.join(self.folder, 'a.svg'), script=False)
        texts = page.evaluate("[...document.querySelectorAll('.static text')].map(e => e.textContent)")
        check('without scripts there is everything',
              all(word in texts for word in ('A bench & more', 'forward', 'vectorized_loop2d', 'Hottest functions, in samples')), texts)
        check('with tooltips', 'forward (model.py:40): 490 samples' in page.evaluate("[...document.querySelectorAll('.static title')].map(e => e.textContent).join('|')"))
        check('and legible', not overlaps(page.evaluate(BOXES)), overlaps(page.evaluate(BOXES)))
        self.picture('static')
        page.open(os.path.join(self.folder, 'd.svg'), script=False)
        check('so is a difference', not overlaps(page.evaluate(BOXES)), overlaps(page.evaluate(BOXES)))

    def dark(self):
        page = self.page
        page.open(os.path.join(self.folder, 'a.svg'), dark=True)
        page_fill = page.evaluate("getComputedStyle(document.querySelector('.page')).fill")
        text_fill = page.evaluate("getComputedStyle(document.querySelector('.frames text')).fill")
        check('the page is dark if asked for', page_fill == 'rgb(15, 19, 24)' and text_fill == 'rgb(230, 237, 243)', (page_fill, text_fill))
        self.picture('dark')

    def hostile(self):
        page = self.page
        page.open(self.draw('h.svg', self.write('h.folded', HOSTILE), '--title', '</title><script>document.title = "hacked"</script>'))
        check('hostile names are not run', 'hacked</' not in page.evaluate('document.title') and page.evaluate('document.title') != 'hacked',
              page.evaluate('document.title'))
        check('nor make errors', not page.errors, page.errors)
        check('and are shown as text', page.evaluate("document.querySelectorAll('img').length") == 0 and
              any('<script>' in name for name in page.evaluate(SHOWN)))
        check('characters that reorder text are escaped',
              {'before\\u202eafter', 'tab\\x09here'} <= set(page.evaluate(SHOWN)), page.evaluate(SHOWN))
        check('wide letters stay inside', not overlaps(page.evaluate(BOXES)), overlaps(page.evaluate(BOXES)))
        page.open(self.draw('deep.svg', self.write('deep.folded', ';'.join(f'f{i % 9}' for i in range(20000)) + ' 1\n')))
        check('deep stacks are drawn in part', 100 < page.evaluate("document.querySelectorAll('.frame').length") <= 250)
        self.page.evaluate("[...document.querySelectorAll('.frame')].pop().dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        check('and zooming shows more', page.evaluate("Math.max(...[...document.querySelectorAll('.frame')].map(e => +e.dataset.node))") > 300)
        check('without errors', not page.errors, page.errors)

    def deep(self):
        page, tower = self.page, ';'.join(f'f{i % 9}' for i in range(200))
        thin = ';'.join(f'thin{i % 9}' for i in range(150))
        stacks = f'main;wide 900\nmain;high;{tower} 99\nmain;high;{thin} 0.6\n'
        page.open(self.draw('tower.svg', self.write('tower.folded', stacks)), 1200, 800)
        top = page.evaluate("document.querySelector('[role=tree]').getBoundingClientRect().top")
        root = page.evaluate(f'{CENTRE}("all")')
        check('a graph higher than the window begins with its root', top < 0 and 700 < root[1] < 800, (top, root))
        check('below its heading', page.evaluate("document.querySelector('h1').getBoundingClientRect().top") >= 0)
        self.picture('deep')
        wide = self.write('low.folded', f'main;wide 900\nmain;high;{thin} 0.6\n')
        page.open(self.draw('low.svg', wide), 1200, 800)
        rows = page.evaluate("new Set([...document.querySelectorAll('.frame rect')].map(e => e.getAttribute('y'))).size")
        said = page.evaluate("document.querySelector('.more').textContent")
        check('frames thinner than a pixel make no rows', rows == 3, rows)
        check('which is said', '150 more rows' in said, said)
        check('a page that fits is not scrolled', page.evaluate('scrollY') == 0)
        page.open(os.path.join(self.folder, 'tower.svg'), 1200, 800)
        before = page.evaluate(f'{CENTRE}("high")')[1]
        self.click('high')
        check('a frame that is zoomed stays where it is', abs(page.evaluate(f'{CENTRE}("high")')[1] - before) < 2)
        check('without errors', not page.errors, page.errors)

    def inlined(self):
        frames = [{'name': 'main', 'file': 'main.c'}, {'name': 'fnv1a', 'file': '/src/strlib.c', 'kind': 'inlined'}]
        record = {'schema': 'bilanx/1', 'kind': 'stacks', 'stacks': {
            'unit': 'samples', 'frames': frames, 'node_frames': [0, 1], 'node_parents': [0, 1], 'node_weights': [1, 9]}}
        self.page.open(self.draw('i.svg', self.write('i.jsonl', json.dumps(record) + '\n')))
        self.page.hover(*self.page.evaluate(f'{CENTRE}("fnv1a")'))
        tip = self.page.evaluate("document.querySelector('.tip').textContent")
        check('an inlined function is called so', 'fnv1ainlined, strlib.c' in tip, tip)
        rows = self.page.evaluate("[...document.querySelectorAll('tbody td:last-child')].map(e => e.textContent)")
        check('in the table too', 'fnv1a  inlined, strlib.c' in rows, rows)
        with open(os.path.join(self.folder, 'i.svg'), encoding='utf-8') as file:
            check('and without scripts', '<title>fnv1a (inlined, strlib.c): 9 samples' in file.read())


def main():
    global bilanx
    bilanx = sys.argv[1]
    pictures = sys.argv[sys.argv.index('--pictures') + 1] if '--pictures' in sys.argv else None
    if not chrome.find():
        print('1..0 # SKIP no Chromium: install the package chromium')
        return
    with tempfile.TemporaryDirectory() as folder, chrome.Chrome() as page:
        test = Test(page, folder, pictures)
        test.drawn()
        test.searched()
        test.zoomed()
        test.by_keyboard(os.path.join(folder, 'a.svg'), 'ArrowUp', 'ArrowDown', 'a flame')
        test.inverted()
        test.compared()
        test.timed()
        test.without_script()
        test.dark()
        test.hostile()
        test.deep()
        test.inlined()
    print(f'1..{number}')
    sys.exit(failed > 0)


main()
