'use strict';
// The first part of the program of the report: elements, numbers, colors, axes. Plain JavaScript: no library, no network.
// html_page.cc puts report_elements.js, report_time.js, report_residuals.js, report_scene.js and report.js into one script.

// The JSON that report_json.cc writes.
const data = JSON.parse(document.getElementById('data').textContent);

// ---- Elements, numbers, colors ----

// Creates an element. `attributes` are attributes, but for the event handlers on...; children are nodes or texts.
function element(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

// A number with four significant digits.
function number(x) {
  if (x === null || x === undefined) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e5) return String(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(3);
  return String(Number(x.toPrecision(4)));
}
function count(n) {
  return n < 0 ? '–' : n.toLocaleString('en-US');
}
function counted(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}
function seconds(s) {
  if (s >= 120) return `${(s / 60).toFixed(1)} min`;
  if (s >= 1) return `${s.toPrecision(3)} s`;
  if (s >= 1e-3) return `${(s * 1e3).toPrecision(3)} ms`;
  return `${(s * 1e6).toPrecision(3)} µs`;
}
function percent(x) {
  return `${x >= 0.1 ? Math.round(100 * x) : Number((100 * x).toPrecision(2))} %`;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Calls draw(width) now, and again whenever the width of the element or the color scheme changes.
const redraws = [];
function drawInto(node, draw) {
  let width = 0;
  const redraw = () => {
    if (width > 0) draw(width);
  };
  new ResizeObserver(() => {
    if (node.clientWidth === width) return;
    width = node.clientWidth;
    // A drawing changes the size of its node, which an observer reports as an error.
    requestAnimationFrame(redraw);
  }).observe(node);
  redraws.push(redraw);
  return redraw;
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => redraws.forEach((redraw) => redraw()));

// ---- Parts of the page ----

function section(id, title, ...children) {
  return element('section', {id}, element('h2', {}, title), ...children);
}
function legend(entries) {
  return element('div', {class: 'legend'}, entries.map(([name, variable]) =>
      element('span', {}, element('i', {style: `background:var(--${variable})`}), name)));
}
// Buttons of which one is pressed. choices: [label, value] pairs.
function switchOf(choices, pressed, choose) {
  const buttons = choices.map(([label, value]) => element('button', {
    'type': 'button',
    'aria-pressed': String(value === pressed),
    'onclick': (event) => {
      for (const button of buttons) button.setAttribute('aria-pressed', String(button === event.currentTarget));
      choose(value);
    },
  }, label));
  return element('div', {class: 'switch'}, buttons);
}
// columns: [title, is_text] pairs; rows: lists of texts or nodes.
function table(columns, rows) {
  const cell = (tag, i, content) => element(tag, columns[i][1] ? {class: 'text'} : {}, content);
  return element('div', {class: 'scroll'}, element('table', {},
      element('thead', {}, element('tr', {}, columns.map(([title], i) => cell('th', i, title)))),
      element('tbody', {}, rows.map((row) => element('tr', {}, row.map((content, i) => cell('td', i, content)))))));
}

const tip = element('div', {id: 'tip', hidden: ''});
function showTip(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const top = event.clientY + 14 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 14;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${top}px`;
}
function hideTip() {
  tip.hidden = true;
}

// ---- Axes ----

// Ticks at round values of a linear axis.
function linearTicks(low, high, most) {
  const raw = (high - low) / most;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}
// Exponents of powers of ten between two exponents.
function decadeTicks(low, high, most) {
  const step = Math.max(1, Math.ceil((high - low) / most));
  const ticks = [];
  for (let e = Math.ceil(low / step - 1e-9) * step; e <= high + 1e-9; e += step) ticks.push(e);
  return ticks;
}
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
function powerOfTen(e) {
  if (e >= -2 && e <= 4) return number(10 ** e);
  return `10${e < 0 ? '⁻' : ''}${String(Math.abs(e)).split('').map((digit) => SUPERSCRIPTS[digit]).join('')}`;
}

// A vertical axis for these values: logarithmic if all are positive and span a factor of 20, else linear from their range.
function verticalAxis(values) {
  const finite = values.filter((v) => v !== null);
  const low = Math.min(...finite);
  const high = Math.max(...finite);
  if (low > 0 && high > 20 * low) {
    const bottom = Math.floor(Math.log10(low) * 2) / 2;
    const top = Math.ceil(Math.log10(high) * 2) / 2;
    return {
      place: (v) => (Math.log10(v) - bottom) / (top - bottom),
      ticks: decadeTicks(bottom, top, 5).map((e) => [10 ** e, powerOfTen(e)]),
    };
  }
  const pad = high > low ? 0.05 * (high - low) : Math.max(Math.abs(high), 1) * 0.05;
  const bottom = low >= 0 && low - pad < 0 ? 0 : low - pad;
  const top = high + pad;
  // As many digits as neighbouring ticks need to differ.
  const ticks = linearTicks(bottom, top, 4);
  const digits = ticks.length > 1 ? Math.max(3, Math.ceil(Math.log10(Math.abs(top) / (ticks[1] - ticks[0]))) + 1) : 3;
  return {
    place: (v) => (v - bottom) / (top - bottom),
    ticks: ticks.map((v) => [v, Number(v.toPrecision(Math.min(digits, 12))).toString().length > 8 ?
        v.toExponential(2) : String(Number(v.toPrecision(Math.min(digits, 12))))]),
  };
}
