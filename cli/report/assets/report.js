// Turns the lists of the page into lists that follow the weights. Without this script the page
// shows the plain lists.
(function () {
  'use strict';

  const source = document.getElementById('people-data');
  const articles = Array.from(document.querySelectorAll('.person'));
  const still = window.matchMedia('(prefers-reduced-motion: reduce)');

  function show_one_person_at_a_time() {
    const picker = document.querySelector('.picker');
    if (!picker) return;
    const buttons = Array.from(picker.querySelectorAll('button'));
    function show(index) {
      articles.forEach((article, k) => { article.hidden = k !== index; });
      buttons.forEach((button, k) => { button.setAttribute('aria-pressed', String(k === index)); });
    }
    buttons.forEach((button, k) => button.addEventListener('click', () => show(k)));
    picker.hidden = false;
    show(0);
  }

  // What part of a score this is, as the page prints it.
  function share(value, score) {
    if (value === 0 || score === 0) return '0 %';
    const size = Math.abs(100 * value / score);
    if (size < 0.01) return value < 0 ? '> -0.01 %' : '< 0.01 %';
    return (value < 0 ? '\u2212' : '') + size.toFixed(size >= 10 ? 0 : size >= 1 ? 1 : 2) + ' %';
  }

  // The candidates are the best there are, so that their place says how many items score lower.
  function match_at(place, person) {
    const others = person.unrated - 1;
    const match = others > 0 ? 100 * (others - place) / others : 100;
    return match >= 100 ? '100' : (Math.floor(10 * match) / 10).toFixed(1);
  }

  function element(tag, css_class, text) {
    const made = document.createElement(tag);
    if (css_class) made.className = css_class;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // The same shape as list_row in people_section.cpp.
  function make_row(item, criteria) {
    const row = element('li');
    const what = element('div', 'what');
    const name = element('div', 'name');
    const bar = element('div', 'bar');
    name.append(element('bdi', '', item.title));
    if (item.id !== undefined) {
      const small = element('small');
      small.append(element('bdi', '', item.id));
      name.append(small);
    }
    if (item.test !== undefined) {
      name.append(element('span', 'badge', 'rated ' + item.test + ' in the test part'));
    }
    const segments = [{ css: 'base', label: 'not due to the ratings' }]
      .concat(criteria.map((label, c) => ({ css: 'k' + c, label: label })))
      .concat([{ css: 'turned', label: 'what you turned' }])
      .map((kind) => {
        const node = element('span', 'seg ' + kind.css);
        bar.append(node);
        return { node: node, label: kind.label };
      });
    const zero = element('span', 'zero');
    bar.append(zero);
    what.append(name, bar);
    const rank = element('span', 'rank');
    const move = element('span', 'move');
    const score = element('span', 'score');
    const match = element('b');
    score.append(match, element('small', '', item.predicted));
    row.append(rank, move, what, score);
    return { row: row, rank: rank, move: move, match: match, segments: segments, zero: zero };
  }

  function draw_bar(view, values, reach) {
    const score = values.reduce((a, b) => a + b, 0);
    const whole = reach.left + reach.right || 1;
    let left = reach.left;
    let right = reach.left;
    values.forEach((value, k) => {
      const segment = view.segments[k];
      const width = Math.abs(value);
      if (value < 0) left -= width;
      const start = value < 0 ? left : right;
      if (value > 0) right += width;
      segment.node.classList.toggle('minus', value < 0);
      segment.node.style.left = (start / whole * 100).toFixed(2) + '%';
      segment.node.style.width = (width / whole * 100).toFixed(2) + '%';
      segment.node.title = segment.label + ': ' + share(value, score);
      segment.node.hidden = value === 0;
    });
    view.zero.style.left = (reach.left / whole * 100).toFixed(2) + '%';
  }

  function draw_move(view, before, now, shown) {
    view.move.className = 'move';
    view.move.textContent = '';
    if (before === now) return;
    const up = before > now;
    const fresh = before >= shown;
    view.move.classList.add(fresh ? 'new' : up ? 'up' : 'down');
    const mark = element('span', '', (up ? '\u25B2' : '\u25BC') + Math.abs(before - now));
    mark.setAttribute('aria-hidden', 'true');
    view.move.append(mark, element('span', 'hear',
      (up ? 'up ' : 'down ') + Math.abs(before - now) + ', was ' + (before + 1)));
    view.move.title = 'was ' + (before + 1);
  }

  function bring_to_life(article, person, data) {
    const form = article.querySelector('.dials');
    const list = article.querySelector('.ranked');
    if (!form || !list || person.items.length === 0) return;
    const live = article.querySelector('.live');
    const dials = Array.from(form.querySelectorAll('input[type=range]'));
    const reset = form.querySelector('button');
    const shown = Math.min(data.shown, person.items.length);
    const views = new Map();
    let speaking = 0;

    function view_of(index) {
      if (!views.has(index)) views.set(index, make_row(person.items[index], data.criteria));
      return views.get(index);
    }

    function ranked(doublings) {
      const scored = person.items.map((item, index) => {
        const values = [item.base].concat(item.parts);
        const plain = values.reduce((a, b) => a + b, 0);
        const boost = Math.exp(doublings.reduce((sum, d, c) =>
          sum + (d > 0 ? d * item.tilts[c][0] : -d * item.tilts[c][1]), 0));
        const score = plain < 0 ? plain / boost : plain * boost;
        return { index: index, values: values.concat([score - plain]), score: score };
      });
      // With no dial turned the order is the model's own, rounding or not.
      if (doublings.some((d) => d !== 0)) {
        scored.sort((a, b) => b.score - a.score || a.index - b.index);
      }
      return scored.slice(0, shown);
    }

    function places() {
      const tops = new Map();
      views.forEach((view, index) => {
        if (view.row.isConnected) tops.set(index, view.row.getBoundingClientRect().top);
      });
      return tops;
    }

    function glide(before, top) {
      if (still.matches) return;
      top.forEach((entry) => {
        const row = view_of(entry.index).row;
        const was = before.get(entry.index);
        if (was === undefined) {
          row.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 350 });
          return;
        }
        const shift = was - row.getBoundingClientRect().top;
        if (Math.abs(shift) < 1) return;
        row.animate([{ transform: 'translateY(' + shift + 'px)' }, { transform: 'none' }],
          { duration: 350, easing: 'ease-out' });
      });
    }

    function say(doublings, top) {
      window.clearTimeout(speaking);
      speaking = window.setTimeout(() => {
        if (doublings.every((d) => d === 0)) {
          live.textContent = 'No dial is turned: the model\'s own order.';
          return;
        }
        const fresh = top.filter((entry) => entry.index >= shown).length;
        const moved = top.filter((entry, k) => entry.index < shown && entry.index !== k).length;
        live.textContent = 'First is ' + person.items[top[0].index].title + '. ' +
          fresh + ' new in the list, ' + moved + ' moved.';
      }, 300);
    }

    function rank(quiet) {
      const doublings = dials.map((dial) => Number(dial.value));
      const top = ranked(doublings);
      const before = places();
      const reach = { left: 0, right: 0 };
      top.forEach((entry) => {
        let left = 0;
        let right = 0;
        entry.values.forEach((v) => { if (v < 0) left -= v; else right += v; });
        reach.left = Math.max(reach.left, left);
        reach.right = Math.max(reach.right, right);
      });
      list.replaceChildren(...top.map((entry) => view_of(entry.index).row));
      top.forEach((entry, place) => {
        const view = view_of(entry.index);
        view.rank.textContent = String(place + 1);
        const item = person.items[entry.index];
        const own = item.match !== undefined && (entry.score === 0 || doublings.every((d) => d === 0));
        view.match.textContent = own ? item.match : match_at(place, person);
        draw_move(view, entry.index, place, shown);
        draw_bar(view, entry.values, reach);
      });
      dials.forEach((dial, c) => {
        const text = String(Number(Math.pow(2, doublings[c]).toPrecision(2)));
        dial.parentElement.querySelector('output').textContent = '\u00D7' + text;
        dial.setAttribute('aria-valuetext', text + ' times');
      });
      reset.disabled = doublings.every((d) => d === 0);
      if (!quiet) {
        glide(before, top);
        say(doublings, top);
      }
    }

    form.hidden = false;
    form.reset();
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('input', () => rank(false));
    // The reset event comes before the values change.
    form.addEventListener('reset', () => window.setTimeout(() => rank(false), 0));
    rank(true);
  }

  // A table that is wider than the page can be scrolled with the keys as well.
  function reach_wide_tables() {
    document.querySelectorAll('.scroll').forEach((box) => {
      if (box.scrollWidth <= box.clientWidth) return;
      box.tabIndex = 0;
      box.setAttribute('role', 'region');
      box.setAttribute('aria-label', (box.querySelector('caption') || box).textContent.slice(0, 80));
    });
  }

  if (source) {
    const data = JSON.parse(source.textContent);
    articles.forEach((article, k) => bring_to_life(article, data.people[k], data));
  }
  reach_wide_tables();
  show_one_person_at_a_time();
})();
