// Draws the graph from the stacks in the file, to search and zoom in. Without it the file is a
// still picture. All text is set as text, never parsed as markup.
(function () {
  'use strict';
  var SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
  var ROW = 17, MARGIN = 16, MOST_ROWS = 250, LEAST_WIDTH = 600;
  var svg = document.currentScript ? document.currentScript.closest('svg') : document.documentElement;

  function load(id) { return JSON.parse(svg.querySelector('#' + id).textContent); }
  function make(space, parent, name, attributes, text) {
    var element = document.createElementNS(space, name);
    for (var key in attributes || {}) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.appendChild(element);
    return element;
  }
  function shape(parent, name, attributes, text) { return make(SVG, parent, name, attributes, text); }
  function part(parent, name, attributes, text) { return make(HTML, parent, name, attributes, text); }

  // Control characters and those that reorder or hide text are shown as escapes.
  function harmless(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, function (letter) {
      var code = letter.charCodeAt(0), digits = code.toString(16);
      return code < 256 ? '\\x' + digits.padStart(2, '0') : '\\u' + digits.padStart(4, '0');
    });
  }

  // The tree. Node 0 is the root; a node's number is greater than its parent's.
  var stacks = load('bilanx-stacks').stacks, view = load('bilanx-view');
  var frames = stacks.frames || [], unit = stacks.unit || 'samples';
  var count = (stacks.node_frames || []).length + 1, differs = !!stacks.node_before;
  var frameOf = [-1].concat(stacks.node_frames || []), parentOf = [-1].concat(stacks.node_parents || []);
  var after = new Float64Array(count), before = new Float64Array(count), self = new Float64Array(count);
  for (var i = 1; i < count; i++) {
    after[i] = stacks.node_weights[i - 1];
    before[i] = differs ? stacks.node_before[i - 1] : 0;
    self[i] = Math.max(after[i], before[i]);
  }
  // Samples of something whose time per call was measured are shown as parts of that time.
  if (!differs && unit === 'samples' && stacks.time > 0) {
    var samples = self.reduce(function (sum, one) { return sum + one; }, 0);
    for (i = 1; i < count; i++) self[i] = after[i] = self[i] * stacks.time * 1e9 / samples;
    unit = 'nanoseconds per call';
  }
  function summed(weights) {
    var sums = Float64Array.from(weights);
    for (var i = count - 1; i > 0; i--) sums[parentOf[i]] += sums[i];
    return sums;
  }
  var total = summed(self), totalAfter = summed(after), totalBefore = summed(before);
  var LETTERS = {native: 'n', inlined: 'i', python: 'p', kernel: 'k', thread: 't', jit: 'j', cut: 'c', small: 's'};
  frames.forEach(function (frame) {
    frame.kind = LETTERS[frame.kind] ? frame.kind : 'native';
    frame.label = harmless(frame.kind === 'native' ? frame.name : frame.name.replace(/_\[.\]$/, ''));
    if (!frame.label.trim()) frame.label = frame.object ? '[' + frame.object.replace(/.*\//, '') + ']' : '(no name)';
    frame.where = whereOf(frame, frame.object);
    frame.shade = LETTERS[frame.kind] + shadeOf(frame.name);
  });
  // "strlib.c", or "inlined, strlib.c".
  function whereOf(frame, object) {
    var file = frame.file || object || '';
    if (frame.kind !== 'inlined') return harmless(file);
    return 'inlined' + (file ? ', ' + harmless(file.replace(/.*\//, '')) : '');
  }
  function shadeOf(name) {
    var hash = 2166136261;
    new TextEncoder().encode(name).forEach(function (byte) { hash = Math.imul(hash ^ byte, 16777619) >>> 0; });
    return ((hash ^ (hash >>> 16)) >>> 0) % 6;
  }
  function nameOf(node) { return node ? frames[frameOf[node]].label : 'all'; }
  function kindOf(node) { return node ? frames[frameOf[node]].kind : 'thread'; }
  function classOf(node) {
    if (!differs) return node ? frames[frameOf[node]].shade : 't0';
    return changeClass(totalBefore[node], totalAfter[node]);
  }
  function changeClass(a, b) {
    var larger = Math.max(a, b), step = larger > 0 ? Math.floor(Math.sqrt(Math.abs(b - a) / larger) * 6) : 0;
    return step === 0 ? 'z' : (b > a ? 'm' : 'l') + step;
  }

  // The heaviest child is leftmost; what stands for small frames is last.
  var children = Array.from({length: count}, function () { return null; });
  for (i = 1; i < count; i++) (children[parentOf[i]] = children[parentOf[i]] || []).push(i);
  children.forEach(function (list) {
    if (list) list.sort(function (a, b) {
      return (kindOf(a) === 'small') - (kindOf(b) === 'small') || total[b] - total[a] ||
        (nameOf(a) < nameOf(b) ? -1 : 1);
    });
  });
  var start = new Float64Array(count), depth = new Int32Array(count);
  (function () {
    var waiting = [0];
    while (waiting.length) {
      var node = waiting.pop(), at = start[node];
      (children[node] || []).forEach(function (child) {
        start[child] = at;
        depth[child] = depth[node] + 1;
        at += total[child];
        waiting.push(child);
      });
    }
  })();

  // Numbers for people.
  function grouped(number) {
    if (Math.abs(number) < 1000 && number !== Math.floor(number)) return String(+number.toPrecision(4));
    return number.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
  }
  var isTime = unit.indexOf('nanoseconds') === 0;
  function amountText(weight) {
    var names = ['ns', 'us', 'ms', 's'], size = 0;
    if (!isTime) return grouped(weight);
    while (size < 3 && Math.abs(weight) >= 1000) { weight /= 1000; size++; }
    return (weight ? weight.toPrecision(4) : '0') + ' ' + names[size];
  }
  function weightText(weight) {
    if (isTime) return amountText(weight) + unit.slice(11);
    return amountText(weight) + ' ' + (weight === 1 ? unit.replace(/s$/, '') : unit);
  }
  function shareText(part, whole) {
    var percent = whole > 0 ? 100 * part / whole : 0;
    return percent.toFixed(percent >= 10 ? 1 : 2) + ' %';
  }
  function changeText(a, b) {
    if (!a || !b || a === b) return a === b ? '0 %' : a ? 'gone' : 'new';
    return (b >= a ? '+' : '') + (100 * (b - a) / a).toFixed(1) + ' %';
  }
  function describe(node) {
    var lines = [];
    if (differs) {
      lines.push('A ' + weightText(totalBefore[node]) + ', B ' + weightText(totalAfter[node]) + ': ' +
        changeText(totalBefore[node], totalAfter[node]));
      lines.push('itself: A ' + weightText(before[node]) + ', B ' + weightText(after[node]));
    } else {
      lines.push(weightText(total[node]) + ', ' + shareText(total[node], total[0]) + ' of all' +
        (zoomed ? ', ' + shareText(total[node], total[zoomed]) + ' of what is shown' : ''));
      lines.push('itself: ' + weightText(self[node]) + ', ' + shareText(self[node], total[0]));
    }
    return lines;
  }

  // The page: a header and a table in HTML, the frames between them.
  svg.querySelector('.static').remove();
  svg.setAttribute('width', '100%');
  var zoomed = 0, focused = 0, pattern = null, width = 0, top = 0, rows = 0;
  var graph = shape(svg, 'g', {'class': 'frames', role: 'tree', 'aria-label': 'Stacks'});
  var foot = shape(svg, 'foreignObject', {x: 0, height: 10});
  var head = shape(svg, 'foreignObject', {x: 0, y: 0, height: 10});
  var overlay = shape(svg, 'foreignObject', {'class': 'tip', width: 500, height: 260, visibility: 'hidden'});
  var tip = part(overlay, 'div');
  var header = part(head, 'div', {'class': 'ui header'}), footer = part(foot, 'div', {'class': 'ui'});
  var line = part(header, 'div', {'class': 'top'}), words = part(line, 'div');
  part(words, 'h1', {}, harmless(stacks.title || (differs ? 'Difference of A and B' : 'Flame graph')));
  part(words, 'p', {}, harmless(view.subtitle));
  var more = part(words, 'p', {'class': 'more'});
  var tools = part(line, 'div'), find = part(tools, 'div', {'class': 'find', role: 'search'});
  var input = part(find, 'input', {type: 'search', placeholder: 'Search ( / )', 'aria-label': 'Search functions', spellcheck: 'false'});
  var clear = part(find, 'button', {type: 'button', 'class': 'clear'}, 'Clear');
  var found = part(tools, 'div', {'class': 'found', 'aria-live': 'polite'});
  var second = part(header, 'div', {'class': 'bar-row'});
  var trail = part(second, 'div', {'class': 'trail', role: 'navigation', 'aria-label': 'Zoom'});
  var legend = part(second, 'div', {'class': 'legend'});
  var reset = part(second, 'button', {type: 'button', 'class': 'reset'}, 'Reset zoom');
  function chip(className, word) {
    var item = part(legend, 'span');
    shape(shape(item, 'svg', {width: 12, height: 12}), 'rect', {'class': className, width: 12, height: 12, rx: 2});
    item.appendChild(document.createTextNode(word));
  }
  if (differs) {
    [['l6', 'gone'], ['l3', 'B costs less'], ['z', 'the same'], ['m3', 'B costs more'], ['m6', 'new']]
      .forEach(function (pair) { chip(pair[0], pair[1]); });
  } else {
    Object.keys(LETTERS).forEach(function (kind) {
      if (frames.some(function (frame) { return frame.kind === kind; })) chip(LETTERS[kind] + '2', view.kinds[kind]);
    });
  }

  // Labels: leading namespaces are dropped before the end of a name is.
  var letter = 7, ruler = shape(svg, 'text', {x: -1000, y: -1000, 'aria-hidden': 'true'});
  function columns(text) {
    if (/^[\x20-\x7e]*$/.test(text)) return text.length;
    ruler.textContent = text.slice(0, 400);
    return Math.ceil(ruler.getComputedTextLength() / letter);
  }
  // Where parts of a name start, after namespaces and packages that are not in arguments.
  function partsOf(name) {
    var starts = [], nested = 0;
    for (var at = 0; at < name.length - 1 && at < 2000; at++) {
      if ('<([{'.indexOf(name[at]) >= 0) nested++;
      else if ('>)]}'.indexOf(name[at]) >= 0 && nested) nested--;
      else if (!nested && (name[at] === '/' || name.startsWith('::', at))) {
        at += name[at] === ':' ? 1 : 0;
        starts.push(at + 1);
      }
    }
    return starts;
  }
  function fit(name, room) {
    if (room < 3) return '';
    if (name.length <= room && columns(name) <= room) return name;
    var parts = partsOf(name), last = name;
    for (var i = 0; i < parts.length; i++) {
      var rest = name.slice(parts[i]);
      if (rest && rest.length < room && columns(rest) < room) return '…' + rest;
      if (rest && room >= 8) last = rest;
    }
    var lead = last === name ? '' : '…', least = room - 1 - lead.length;
    var letters = Array.from(last.slice(0, 2 * room)).slice(0, least);
    while (letters.length && columns(letters.join('')) > least) letters.pop();
    return lead + letters.join('') + '…';
  }

  function matches(node) { return pattern !== null && node > 0 && pattern(frames[frameOf[node]].label); }

  // Frames of the current view, and their elements.
  var elements = new Map();
  function drawFrame(node, x, w, level, above) {
    var y = top + (view.inverted ? level : rows - 1 - level) * ROW, name = nameOf(node);
    var group = shape(graph, 'g', {'class': 'frame' + (above ? ' above' : '') + (matches(node) ? ' match' : ''),
      role: 'treeitem', tabindex: -1, 'aria-level': level + 1, 'data-node': node,
      'aria-label': name + ', ' + describe(node).join(', ')});
    var rect = shape(group, 'rect', {'class': classOf(node), x: x.toFixed(2), y: y, height: ROW - 1,
      width: Math.max(w > 2 ? w - .6 : w, .5).toFixed(2)});
    if (differs && totalAfter[node] === 0) rect.classList.add('gone');
    var label = fit(name, Math.floor((w - 8) / letter));
    if (label) shape(group, 'text', {x: (x + 4).toFixed(2), y: y + 12}, label);
    elements.set(node, group);
  }
  function drawFrames() {
    var had = graph.contains(document.activeElement), path = [], inner = width - 2 * MARGIN;
    elements.clear();
    graph.replaceChildren(ruler);
    for (var node = zoomed; node > 0; node = parentOf[node]) path.unshift(parentOf[node]);
    var hidden = hiddenCallers();
    path = path.slice(hidden);
    path.forEach(function (node, level) { drawFrame(node, MARGIN, inner, level, true); });
    var scale = total[zoomed] > 0 ? inner / total[zoomed] : 0, waiting = [zoomed];
    while (waiting.length) {
      node = waiting.pop();
      var level = depth[node] - hidden, w = total[node] * scale;
      if (level >= rows || (w < .4 && node !== zoomed)) continue;
      drawFrame(node, MARGIN + (start[node] - start[zoomed]) * scale, w, level, false);
      var list = children[node] || [];
      for (var i = list.length - 1; i >= 0; i--) waiting.push(list[i]);
    }
    graph.classList.toggle('searching', pattern !== null);
    if (!elements.has(focused)) focused = zoomed;
    elements.get(focused).setAttribute('tabindex', 0);
    if (had) elements.get(focused).focus({preventScroll: true});
  }
  // Callers of a deep zoom that are not shown, which are those far from it.
  function hiddenCallers() { return Math.max(0, depth[zoomed] - MOST_ROWS / 2); }
  // A tower of frames thinner than a pixel is not worth its rows, until it is zoomed.
  function countRows() {
    var scale = total[zoomed] > 0 ? (width - 2 * MARGIN) / total[zoomed] : 0, waiting = [zoomed];
    var all = depth[zoomed], wide = depth[zoomed];
    while (waiting.length) {
      var node = waiting.pop();
      all = Math.max(all, depth[node]);
      if (total[node] * scale >= 1) wide = Math.max(wide, depth[node]);
      (children[node] || []).forEach(function (child) { waiting.push(child); });
    }
    rows = Math.min(wide - hiddenCallers() + 1, MOST_ROWS);
    var folded = all - hiddenCallers() + 1 - rows;
    more.textContent = folded > 0 ? grouped(folded) + (folded === 1 ? ' more row' : ' more rows') +
      ', of frames that are thinner than a pixel or more than ' + MOST_ROWS + ' rows up: click a frame to see them' : '';
    more.style.display = folded > 0 ? '' : 'none';
  }
  // Sizes of HTML are measured, then everything below moves.
  function layout() {
    width = Math.max(LEAST_WIDTH, Math.floor(svg.getBoundingClientRect().width));
    graph.appendChild(ruler);
    ruler.textContent = 'MMMMMMMMMM';
    letter = Math.max(5, ruler.getComputedTextLength() / 10);
    countRows();
    head.setAttribute('width', width);
    top = header.offsetHeight;
    head.setAttribute('height', top);
    drawFrames();
    foot.setAttribute('width', width);
    foot.setAttribute('y', top + rows * ROW + 6);
    foot.setAttribute('height', footer.offsetHeight);
    var height = top + rows * ROW + 6 + footer.offsetHeight;
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
    svg.setAttribute('height', height);
  }

  // The table: of the whole from the file, which is exact; of a part from the frames in it.
  function functionsBelow(root) {
    var sums = new Map(), onPath = new Map(), waiting = [root];
    while (waiting.length) {
      var node = waiting.pop();
      if (node < 0) {
        node = -node;
        onPath.set(frameOf[node], onPath.get(frameOf[node]) - 1);
        continue;
      }
      var key = frameOf[node], sum = sums.get(key), nested = onPath.get(key) || 0;
      if (!sum) sums.set(key, sum = {name: frames[key].name, file: frames[key].file, kind: frames[key].kind,
        self: 0, total: 0, before_self: 0, before_total: 0, after_self: 0, after_total: 0});
      sum.self += self[node];
      sum.before_self += before[node];
      sum.after_self += after[node];
      if (!nested) {
        sum.total += total[node];
        sum.before_total += totalBefore[node];
        sum.after_total += totalAfter[node];
      }
      onPath.set(key, nested + 1);
      waiting.push(-node);
      (children[node] || []).forEach(function (child) { waiting.push(child); });
    }
    var list = Array.from(sums.values()).filter(function (sum) {
      return sum.kind !== 'small' && (!differs || sum.before_self !== sum.after_self || sum.before_total !== sum.after_total);
    });
    list.sort(function (a, b) {
      return Math.abs(b.after_self - b.before_self) - Math.abs(a.after_self - a.before_self) ||
        b.self - a.self || b.total - a.total || (a.name < b.name ? -1 : 1);
    });
    return list.slice(0, 20);
  }
  function fillTable() {
    var list = zoomed ? functionsBelow(zoomed) : view.hottest, whole = total[zoomed];
    footer.textContent = '';
    part(footer, 'h2', {}, (differs ? 'Functions that changed most' : 'Hottest functions') +
      (zoomed ? ' in ' + nameOf(zoomed).slice(0, 80) : '') + (isTime ? '' : ', in ' + unit.slice(0, 100)));
    var table = part(footer, 'table'), sizes = part(table, 'colgroup');
    (differs ? [120, 120, 80, 80, 136] : [120, 76, 120, 76, 136]).forEach(function (size) { part(sizes, 'col', {style: 'width:' + size + 'px'}); });
    part(sizes, 'col');
    var titles = part(part(table, 'thead'), 'tr'), body = part(table, 'tbody');
    (differs ? ['self, A', 'self, B', 'change', 'in total', '', 'function'] : ['self', '', 'total', '', '', 'function'])
      .forEach(function (title) { part(titles, 'th', {scope: 'col'}, title); });
    list.forEach(function (item) {
      var row = part(body, 'tr');
      var cells = differs
        ? [amountText(item.before_self), amountText(item.after_self),
           changeText(item.before_self, item.after_self), changeText(item.before_total, item.after_total)]
        : [amountText(item.self), shareText(item.self, whole), amountText(item.total), shareText(item.total, whole)];
      cells.forEach(function (cell) { part(row, 'td', {}, cell); });
      var bar = shape(part(row, 'td', {'aria-hidden': 'true'}), 'svg', {width: 120, height: 11});
      shape(bar, 'rect', {'class': 'bar', width: (120 * item.total / whole).toFixed(1), height: 11});
      shape(bar, 'rect', {'class': differs ? changeClass(item.before_self, item.after_self) : LETTERS[item.kind] + '2',
        width: (120 * item.self / whole).toFixed(1), height: 11});
      var last = part(row, 'td'), where = whereOf(item), label = harmless(item.kind === 'native' ? item.name : item.name.replace(/_\[.\]$/, ''));
      part(last, 'button', {type: 'button', title: label + (where ? ' (' + where + ')' : '')}, label || '(no name)')
        .addEventListener('click', function () { search('=' + label); });
      if (where) part(last, 'i', {}, '  ' + where);
    });
  }

  // Search: a part of a name; '=name' a whole one, '/x/' a regular expression.
  function patternOf(text) {
    if (!text) return null;
    if (text.length > 2 && text[0] === '/' && text[text.length - 1] === '/') {
      try {
        var regex = new RegExp(text.slice(1, -1), 'i');
        return function (name) { return regex.test(name); };
      } catch (error) { /* it is not one: a part of a name */ }
    }
    if (text[0] === '=' && text.length > 1) return function (name) { return name === text.slice(1); };
    var wanted = text.toLowerCase();
    return function (name) { return name.toLowerCase().indexOf(wanted) >= 0; };
  }
  // Each stack counts once, however many of its frames match.
  function tellFound() {
    found.textContent = '';
    if (!pattern) return;
    var weight = 0, hits = 0, waiting = [[zoomed, false]], known = new Map();
    while (waiting.length) {
      var item = waiting.pop(), node = item[0], frame = frameOf[node];
      if (!known.has(frame)) known.set(frame, matches(node));
      var hit = node > 0 && known.get(frame);
      if (hit) hits++;
      if (hit && !item[1]) weight += total[node];
      (children[node] || []).forEach(function (child) { waiting.push([child, item[1] || hit]); });
    }
    found.textContent = hits ? 'matched ' + shareText(weight, total[zoomed]) + ', ' + grouped(hits) +
      (hits === 1 ? ' frame' : ' frames') : 'no match';
  }
  function search(text) {
    if (input.value !== text) input.value = text;
    pattern = patternOf(text);
    clear.disabled = !text;
    tellFound();
    drawFrames();
  }

  function zoom(node) {
    zoomed = node;
    focused = node;
    fillTrail();
    fillTable();
    tellFound();
    hideTip();
    var before = placeOf(node);
    layout();
    if (before !== null && isPage) window.scrollBy(0, placeOf(node) - before);
  }
  // A graph that is higher than the window begins with its root, which is at the bottom.
  var isPage = svg === document.documentElement;
  function placeOf(node) {
    return elements.has(node) ? elements.get(node).getBoundingClientRect().top : null;
  }
  function showRoot() {
    if (isPage && !view.inverted) window.scrollTo(0, top + rows * ROW + MARGIN - window.innerHeight);
  }
  function fillTrail() {
    trail.textContent = '';
    reset.disabled = !zoomed;
    reset.style.display = trail.style.display = zoomed ? '' : 'none';
    legend.style.display = zoomed ? 'none' : '';
    var path = [];
    for (var node = zoomed; node > 0; node = parentOf[node]) path.unshift(parentOf[node]);
    if (path.length > 6) path.splice(2, path.length - 5, -1);
    path.forEach(function (node) {
      if (node < 0) part(trail, 'span', {}, '…');
      else part(trail, 'button', {type: 'button', title: nameOf(node)}, nameOf(node))
        .addEventListener('click', function () { zoom(node); });
      part(trail, 'span', {'aria-hidden': 'true'}, '›');
    });
    part(trail, 'b', {'aria-current': 'true'}, nameOf(zoomed));
  }

  function showTip(node, x, y) {
    tip.textContent = '';
    var frame = node ? frames[frameOf[node]] : {};
    part(tip, 'b', {}, nameOf(node).slice(0, 600));
    if (frame.where) part(tip, 'span', {}, frame.where);
    describe(node).forEach(function (text) { part(tip, 'span', {}, text); });
    // It stays within the page and the window.
    var box = svg.getBoundingClientRect(), w = tip.offsetWidth, h = tip.offsetHeight;
    var left = Math.max(4, Math.min(x + 14, width - w - 8)), above = y - h - 12;
    overlay.setAttribute('x', left);
    overlay.setAttribute('y', above + box.top < 4 ? y + 20 : above);
    overlay.setAttribute('visibility', 'visible');
  }
  function hideTip() { overlay.setAttribute('visibility', 'hidden'); }
  function nodeAt(target) {
    var group = target && target.closest ? target.closest('.frame') : null;
    return group ? +group.getAttribute('data-node') : -1;
  }
  function focusOn(node) {
    if (!elements.has(node)) return;
    if (elements.has(focused)) elements.get(focused).setAttribute('tabindex', -1);
    focused = node;
    elements.get(node).setAttribute('tabindex', 0);
    elements.get(node).focus();
  }
  // The nearest drawn frame in the same row.
  function beside(node, step) {
    var row = [];
    elements.forEach(function (group, other) {
      if (depth[other] === depth[node]) row.push(other);
    });
    row.sort(function (a, b) { return start[a] - start[b]; });
    return row[row.indexOf(node) + step];
  }
  function firstChild(node) {
    return (children[node] || []).find(function (child) { return elements.has(child); });
  }
  function move(key) {
    var inward = view.inverted ? 'ArrowDown' : 'ArrowUp', outward = view.inverted ? 'ArrowUp' : 'ArrowDown';
    // From a caller, the way leads to what is zoomed.
    var child = firstChild(focused);
    if (key === inward) return child;
    if (key === outward) return focused > 0 ? parentOf[focused] : undefined;
    if (key === 'ArrowLeft') return beside(focused, -1);
    if (key === 'ArrowRight') return beside(focused, 1);
    if (key === 'Home') return zoomed;
    return undefined;
  }

  graph.addEventListener('click', function (event) {
    var node = nodeAt(event.target);
    if (node >= 0) zoom(node);
  });
  graph.addEventListener('mousemove', function (event) {
    var node = nodeAt(event.target), box = svg.getBoundingClientRect();
    if (node < 0) hideTip();
    else showTip(node, event.clientX - box.left, event.clientY - box.top);
  });
  graph.addEventListener('mouseleave', hideTip);
  graph.addEventListener('focusin', function (event) {
    var node = nodeAt(event.target);
    if (node < 0 || !event.target.matches(':focus-visible')) return;
    var rect = event.target.querySelector('rect');
    showTip(node, +rect.getAttribute('x'), +rect.getAttribute('y'));
  });
  graph.addEventListener('focusout', hideTip);
  graph.addEventListener('keydown', function (event) {
    if (event.key === 'Enter' || event.key === ' ') {
      zoom(focused);
    } else {
      var node = move(event.key);
      if (!/^(Arrow|Home)/.test(event.key)) return;
      if (node !== undefined) focusOn(node);
    }
    event.preventDefault();
  });
  document.addEventListener('keydown', function (event) {
    if (event.key === '/' && document.activeElement !== input) {
      input.focus();
      input.select();
      event.preventDefault();
    } else if (event.key === 'Escape' && pattern) {
      search('');
    } else if (event.key === 'Escape' && zoomed) {
      zoom(parentOf[zoomed]);
    }
  });
  input.addEventListener('input', function () { search(input.value); });
  clear.addEventListener('click', function () { search(''); input.focus(); });
  reset.addEventListener('click', function () { zoom(0); });

  // Search and trail stay in sight.
  window.addEventListener('scroll', function () {
    head.setAttribute('y', Math.max(0, -svg.getBoundingClientRect().top));
  });

  clear.disabled = true;
  zoom(0);
  showRoot();
  new ResizeObserver(function () {
    if (Math.max(LEAST_WIDTH, Math.floor(svg.getBoundingClientRect().width)) !== width) layout();
  }).observe(svg);
})();
