'use strict';
// Draws the report from the JSON of the element #data. Plain JavaScript: no library, no network.
// report_json.cc writes the JSON.

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
  if (Number.isInteger(x) && size < 1e6) return String(x);
  if (size >= 1e6 || size < 1e-3) return x.toExponential(3);
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
    redraw();
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

// ---- Head and advice ----

const TERMINATIONS = {
  CONVERGENCE: 'converged', NO_CONVERGENCE: 'not converged', FAILURE: 'failed', USER_SUCCESS: 'stopped: success', USER_FAILURE: 'stopped: failure',
};

function head() {
  const c = data.convergence;
  const fact = (value, label) => element('div', {class: 'card fact'},
      element('div', {class: 'value'}, value), element('div', {class: 'label'}, label));
  const steps = Math.max(0, c.num_iterations - 1);
  const drop = data.initial_cost > 0 && data.final_cost >= 0 ? `${percent(data.final_cost / data.initial_cost)} of ${number(data.initial_cost)}` :
      `from ${number(data.initial_cost)}`;
  return [
    element('h1', {}, data.title),
    element('p', {class: 'muted'}, data.message),
    element('nav', {}, SECTIONS.filter((s) => s.node).map((s) => element('a', {href: `#${s.id}`}, s.title))),
    element('div', {class: 'facts'},
        fact(TERMINATIONS[data.termination] || data.termination, data.is_usable ? 'the result can be used' : 'no usable result'),
        fact(number(data.final_cost), `final cost, ${drop}`),
        fact(counted(steps, 'iteration'), c.is_line_search ? 'line search' : data.linear_solver),
        fact(seconds(data.time.total), counted(Math.max(1, data.time.num_threads_used), 'thread')),
        fact(count(data.num_residuals), `residuals in ${counted(data.num_residual_blocks, 'block')}`),
        fact(count(data.num_parameters), `parameters in ${counted(data.num_parameter_blocks, 'block')}`)),
  ];
}

function advice() {
  if (data.advice.length === 0) {
    return section('advice', 'Advice', element('p', {class: 'card'}, 'No rule found anything to change.'));
  }
  return section('advice', 'Advice', element('div', {class: 'stack'}, data.advice.map((a) =>
      element('div', {class: a.is_warning ? 'card advice warning' : 'card advice', id: `advice-${a.rule}`},
          element('h3', {}, a.title),
          element('p', {}, a.evidence),
          element('p', {class: 'do'}, element('strong', {}, 'What to do: '), a.action)))));
}

// ---- Convergence ----

// A line through values by x. Steps that were not accepted are hollow; with skipsRejected, the line leaves them out.
function lineChart(title, values, variable, xOf, skipsRejected) {
  const body = element('div');
  const c = data.convergence;
  const points = values.map((v, i) => i).filter((i) => values[i] !== null);
  const draw = (width) => {
    const height = 190;
    const left = 62;
    const right = 12;
    const top = 8;
    const bottom = 36;
    const x = xOf();
    const xs = points.map((i) => x.values[i]);
    const low = Math.min(...xs);
    const high = Math.max(...xs, low + 1e-12);
    const axis = verticalAxis(points.map((i) => values[i]));
    const px = (i) => left + (x.values[i] - low) / (high - low) * (width - left - right);
    const py = (v) => top + (1 - axis.place(v)) * (height - top - bottom);
    const root = svg('svg', {height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title});
    for (const [value, label] of axis.ticks) {
      const y = py(value);
      root.append(svg('line', {x1: left, x2: width - right, y1: y, y2: y, stroke: 'var(--grid)'}),
                  svg('text', {'x': left - 8, 'y': y + 4, 'text-anchor': 'end'}, label));
    }
    for (const t of linearTicks(low, high, Math.max(2, Math.floor(width / 90)))) {
      if (x.isInteger && !Number.isInteger(t)) continue;
      root.append(svg('text', {'x': left + (t - low) / (high - low) * (width - left - right), 'y': height - bottom + 18, 'text-anchor': 'middle'},
                      x.isInteger ? String(t) : number(t)));
    }
    root.append(svg('text', {'x': (left + width - right) / 2, 'y': height - 2, 'text-anchor': 'middle'}, x.label));
    // Rejected candidates are no part of the path of the solve.
    root.append(svg('path', {
      'd': points.filter((i) => c.accepted[i] || !skipsRejected).map((i, k) => `${k === 0 ? 'M' : 'L'}${px(i).toFixed(1)},${py(values[i]).toFixed(1)}`).join(''),
      'fill': 'none', 'stroke': `var(--${variable})`, 'stroke-width': 2, 'stroke-linejoin': 'round',
    }));
    if (points.length <= 120) {
      for (const i of points) {
        root.append(svg('circle', {
          'cx': px(i), 'cy': py(values[i]), 'r': 3.2, 'stroke': `var(--${variable})`, 'stroke-width': 1.5,
          'fill': c.accepted[i] ? `var(--${variable})` : 'var(--card)',
        }));
      }
    }
    const cursor = svg('line', {'y1': top, 'y2': height - bottom, 'stroke': 'var(--grey)', 'stroke-dasharray': '3 3', 'visibility': 'hidden'});
    root.append(cursor);
    root.addEventListener('pointermove', (event) => {
      const at = event.clientX - root.getBoundingClientRect().left;
      const i = points.reduce((a, b) => Math.abs(px(b) - at) < Math.abs(px(a) - at) ? b : a);
      cursor.setAttribute('x1', px(i));
      cursor.setAttribute('x2', px(i));
      cursor.setAttribute('visibility', 'visible');
      showTip(event, `iteration ${c.iteration[i]}, ${seconds(c.time[i])}\n${title.toLowerCase()} ${number(values[i])}` +
          (c.accepted[i] ? '' : '\nstep not accepted'));
    });
    root.addEventListener('pointerleave', () => {
      cursor.setAttribute('visibility', 'hidden');
      hideTip();
    });
    body.replaceChildren(root);
  };
  return {node: element('div', {class: 'card'}, element('h3', {}, title), body), redraw: drawInto(body, draw)};
}

function convergence() {
  const c = data.convergence;
  if (c.iteration.length < 1) return null;
  const axes = {
    iteration: {values: c.iteration, label: 'iteration', isInteger: true},
    time: {values: c.time, label: 'time (s)', isInteger: false},
  };
  let axis = axes.iteration;
  // What iteration 0 does not have, and what has no logarithm.
  const positive = (values) => values.map((v) => v > 0 ? v : null);
  const charts = [
    ['Cost', c.cost, 'blue'],
    ['Largest gradient coordinate', positive(c.gradient), 'purple'],
    ['Length of the step', positive(c.step), 'green'],
    c.is_line_search ? null : ['Radius of the trust region', positive(c.radius), 'orange'],
    c.is_iterative ? ['Iterations of the linear solver', positive(c.linear_iterations), 'teal'] : null,
  ].filter((chart) => chart && chart[1].some((v) => v !== null))
      .map(([title, values, variable]) => lineChart(title, values, variable, () => axis, title === 'Cost'));
  const rejected = c.accepted.filter((a) => !a).length;
  return element('section', {id: 'convergence'},
      element('div', {class: 'row'}, element('h2', {}, 'Convergence'),
          switchOf([['by iteration', 'iteration'], ['by time', 'time']], 'iteration', (choice) => {
            axis = axes[choice];
            for (const chart of charts) chart.redraw();
          })),
      rejected > 0 ? element('p', {class: 'muted small'}, `Hollow points are steps that were not accepted: ${rejected}.`) : null,
      element('div', {class: 'cards'}, charts.map((chart) => chart.node)));
}

// ---- Time ----

const STAGE_COLORS = {
  'Preprocessing': 'purple', 'Residuals': 'teal', 'Jacobians': 'blue', 'Linear solver': 'orange',
  'Inner iterations': 'green', 'Postprocessing': 'red', 'Other': 'faint',
};

function stagesCard() {
  const t = data.time;
  const share = (s) => t.total > 0 ? s / t.total : 0;
  return element('div', {class: 'card'}, element('h3', {}, `Stages of ${seconds(t.total)}`),
      element('div', {class: 'bar', style: 'margin-bottom:10px'}, t.stages.map((s) => element('span', {
        style: `width:${100 * share(s.seconds)}%;background:var(--${STAGE_COLORS[s.name]})`, title: s.name,
      }))),
      table([['stage', true], ['time'], ['share']], t.stages.map((s) => [
        element('span', {class: 'legend'}, element('span', {}, element('i', {style: `background:var(--${STAGE_COLORS[s.name]})`}), s.name)),
        seconds(s.seconds), percent(share(s.seconds)),
      ])));
}

function iterationTimesCard() {
  const c = data.convergence;
  const body = element('div');
  drawInto(body, (width) => {
    const height = 200;
    const left = 62;
    const top = 8;
    const bottom = 36;
    const n = c.iteration.length;
    const most = Math.max(...c.iteration_time, 1e-9);
    const unit = most >= 1 ? [1, 's'] : most >= 1e-3 ? [1e3, 'ms'] : [1e6, 'µs'];
    const y = (s) => top + (1 - s / most) * (height - top - bottom);
    const step = (width - left - 12) / n;
    const root = svg('svg', {height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Time of each iteration'});
    for (const tick of linearTicks(0, most * unit[0], 4)) {
      const at = y(tick / unit[0]);
      root.append(svg('line', {x1: left, x2: width - 12, y1: at, y2: at, stroke: 'var(--grid)'}),
                  svg('text', {'x': left - 8, 'y': at + 4, 'text-anchor': 'end'}, `${number(tick)} ${unit[1]}`));
    }
    for (let i = 0; i < n; ++i) {
      const solver = Math.min(c.step_solver_time[i], c.iteration_time[i]);
      const bar = (from, to, variable) => svg('rect', {
        x: left + i * step + Math.min(1, step * 0.1), width: Math.max(0.5, step - Math.min(2, step * 0.2)),
        y: y(to), height: Math.max(0, y(from) - y(to)), fill: `var(--${variable})`,
      });
      root.append(bar(0, solver, 'orange'), bar(solver, c.iteration_time[i], 'faint'));
    }
    for (const tick of linearTicks(0, n - 1, Math.max(2, Math.floor(width / 90)))) {
      if (Number.isInteger(tick)) {
        root.append(svg('text', {'x': left + (tick + 0.5) * step, 'y': height - bottom + 18, 'text-anchor': 'middle'}, String(c.iteration[tick])));
      }
    }
    root.append(svg('text', {'x': (left + width - 12) / 2, 'y': height - 2, 'text-anchor': 'middle'}, 'iteration'));
    root.addEventListener('pointermove', (event) => {
      const i = Math.floor((event.clientX - root.getBoundingClientRect().left - left) / step);
      if (i < 0 || i >= n) return hideTip();
      showTip(event, `iteration ${c.iteration[i]}: ${seconds(c.iteration_time[i])}\nlinear solver ${seconds(c.step_solver_time[i])}`);
    });
    root.addEventListener('pointerleave', hideTip);
    body.replaceChildren(root);
  });
  return element('div', {class: 'card'}, element('h3', {}, 'Time of each iteration'), body,
                 legend([['step, with its linear solver', 'orange'], ['evaluation and the rest', 'faint']]));
}

function drawTimeline(canvas, activity) {
  canvas.width = activity.length;
  canvas.height = 1;
  const context = canvas.getContext('2d');
  context.fillStyle = color('grid');
  context.fillRect(0, 0, canvas.width, 1);
  context.fillStyle = color('blue');
  for (let i = 0; i < activity.length; ++i) {
    context.globalAlpha = Number(activity[i]) / 9;
    context.fillRect(i, 0, 1, 1);
  }
}

function threadsCard() {
  const t = data.time;
  if (t.threads.length === 0) {
    return element('p', {class: 'muted small', style: 'margin-top:14px'},
        `The solve used ${t.num_threads_used} of ${counted(t.num_cpus, 'cpu')}. The timeline of the threads needs a trace: HtmlReport::Options::trace.`);
  }
  const rows = t.threads.map((thread) => {
    const canvas = element('canvas', {class: 'timeline'});
    const redraw = () => drawTimeline(canvas, thread.activity);
    redraws.push(redraw);
    redraw();
    return [element('span', {}, thread.name), canvas,
            element('span', {class: 'muted'}, `${percent(thread.busy / t.trace_duration)} busy`)];
  });
  return element('div', {class: 'card', style: 'margin-top:14px'},
      element('h3', {}, `Threads over ${seconds(t.trace_duration)}`),
      element('p', {class: 'muted small'}, `The darker, the busier. Parallelism (work / span): ${number(t.parallelism)}. ` +
          `More threads than that are of no use.${t.num_dropped > 0 ? ` ${count(t.num_dropped)} events are missing.` : ''}`),
      element('div', {class: 'threads'}, rows.flat()));
}

function time() {
  return section('time', 'Where the time went',
      element('div', {class: 'cards'}, stagesCard(), data.convergence.iteration.length > 0 ? iterationTimesCard() : null),
      threadsCard());
}

// ---- Residuals ----

function histogram(kind) {
  const body = element('div');
  const after = kind.after.counts;
  const before = kind.before ? kind.before.counts : null;
  const most = Math.max(...after, ...(before || [0]));
  const n = after.length;
  const decade = (i) => kind.first_exponent + i / kind.bins_per_decade;
  drawInto(body, (width) => {
    const height = 150;
    const bottom = 36;
    const top = 8;
    const step = width / n;
    const y = (v) => top + (1 - v / most) * (height - top - bottom);
    const root = svg('svg', {height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Histogram of ${kind.name}`});
    for (let i = 0; i < n; ++i) {
      root.append(svg('rect', {x: i * step, width: Math.max(0.5, step - 1), y: y(after[i]), height: y(0) - y(after[i]), fill: 'var(--blue)', opacity: 0.85}));
    }
    if (before) {
      const corners = before.map((v, i) => `L${(i * step).toFixed(1)},${y(v).toFixed(1)}L${((i + 1) * step).toFixed(1)},${y(v).toFixed(1)}`).join('');
      root.append(svg('path', {'d': `M0,${y(0)}${corners}L${width},${y(0)}`, 'fill': 'none', 'stroke': 'var(--orange)', 'stroke-width': 1.5}));
    }
    root.append(svg('line', {x1: 0, x2: width, y1: y(0), y2: y(0), stroke: 'var(--line)'}));
    for (const e of decadeTicks(kind.first_exponent, decade(n), Math.max(2, width / 70))) {
      const x = (e - kind.first_exponent) * kind.bins_per_decade * step;
      const anchor = x < 20 ? 'start' : x > width - 20 ? 'end' : 'middle';
      root.append(svg('line', {x1: x, x2: x, y1: y(0), y2: y(0) + 4, stroke: 'var(--grey)'}),
                  svg('text', {x, 'y': height - bottom + 17, 'text-anchor': anchor}, powerOfTen(e)));
    }
    root.append(svg('text', {'x': width / 2, 'y': height - 3, 'text-anchor': 'middle'}, 'norm of the residual block'));
    root.addEventListener('pointermove', (event) => {
      const i = Math.min(n - 1, Math.max(0, Math.floor((event.clientX - root.getBoundingClientRect().left) / step)));
      showTip(event, `${number(10 ** decade(i))} to ${number(10 ** decade(i + 1))}\nafter: ${counted(after[i], 'block')}` +
          (before ? `\nbefore: ${counted(before[i], 'block')}` : ''));
    });
    root.addEventListener('pointerleave', hideTip);
    body.replaceChildren(root);
  });
  return body;
}

function lossNote(loss) {
  const saved = loss.cost_without_loss > 0 ? 1 - loss.cost / loss.cost_without_loss : 0;
  const most = Math.max(...loss.weight_counts, 1);
  const bars = loss.weight_counts.map((n, i) => element('span', {
    style: `flex:1;align-self:end;height:${n > 0 ? Math.max(4, 100 * Math.sqrt(n / most)) : 0}%;background:var(--green);margin-right:1px`,
    title: `weight ${(i / loss.weight_counts.length).toFixed(2)} to ${((i + 1) / loss.weight_counts.length).toFixed(2)}: ${n} blocks`,
  }));
  return element('div', {style: 'margin-top:12px'},
      element('p', {class: 'small'}, element('strong', {}, loss.name), ` on ${counted(loss.num_blocks, 'block')}: ` +
          `${count(loss.num_below_half)} have a weight below 0.5, ${count(loss.num_below_tenth)} below 0.1. ` +
          `The loss removes ${percent(saved)} of the cost ${number(loss.cost_without_loss)}.`),
      element('div', {style: 'display:flex;height:44px;border-bottom:1px solid var(--line)'}, bars),
      element('div', {class: 'legend', style: 'justify-content:space-between'}, element('span', {}, 'weight 0'),
          element('span', {}, 'square root of the number of blocks'), element('span', {}, '1')));
}

function kindCard(kind) {
  const row = (name, s) => [name, number(s.median), number(s.p95), number(s.max), number(s.rms), number(s.cost)];
  return element('div', {class: 'card'}, element('h3', {}, kind.name),
      element('p', {class: 'muted small'}, `${counted(kind.num_blocks, 'block')}, ${counted(kind.num_residuals, 'residual')}`),
      histogram(kind),
      kind.before ? legend([['after', 'blue'], ['before', 'orange']]) : null,
      element('div', {style: 'height:8px'}),
      table([['norm', true], ['median'], ['95 %'], ['largest'], ['rms'], ['cost']],
          [kind.before ? row('before', kind.before) : null, row('after', kind.after)].filter((r) => r)),
      kind.losses.map(lossNote));
}

function worstCard() {
  const r = data.residuals;
  const largest = r.worst[0].norm;
  const bar = (w) => element('div', {class: 'bar', style: 'width:90px;height:10px;margin-top:5px'},
      element('span', {style: `width:${largest > 0 ? 100 * w.norm / largest : 0}%;background:var(--red)`}));
  const rows = r.worst.map((w) => [
    String(w.index), r.kinds[w.kind].name, bar(w), number(w.norm), number(w.norm_before), number(w.cost),
    r.cost > 0 ? percent(w.cost / r.cost) : '–', w.weight === 1 ? '1' : number(w.weight), w.parameter_blocks.join(', '),
  ]);
  const columns = [['block'], ['kind', true], ['', true], ['norm'], ['before'], ['cost'], ['share'], ['weight'], ['parameter blocks', true]];
  const first = 10;
  const body = element('div', {}, table(columns, rows.slice(0, first)));
  const more = rows.length > first ? element('p', {style: 'margin:10px 0 0'}, element('a', {
    href: '#worst',
    onclick: (event) => {
      event.preventDefault();
      body.replaceChildren(table(columns, rows));
      more.remove();
    },
  }, `Show all ${rows.length}`)) : null;
  return element('div', {class: 'card', id: 'worst', style: 'margin-top:14px'},
      element('h3', {}, rows.length > 1 ? `The ${rows.length} largest residual blocks` : 'The residual block'), body, more);
}

function residuals() {
  const r = data.residuals;
  if (r.error) return section('residuals', 'Residuals', element('p', {class: 'card'}, r.error));
  if (r.kinds.length === 0) return null;
  return section('residuals', 'Residuals', element('div', {class: r.kinds.length > 1 ? 'cards' : 'stack'}, r.kinds.map(kindCard)), worstCard());
}

// ---- Structure ----

function drawPicture(canvas, picture) {
  const n = picture.grid_size;
  canvas.width = canvas.height = n;
  const context = canvas.getContext('2d');
  context.fillStyle = color('card');
  context.fillRect(0, 0, n, n);
  context.fillStyle = color('blue');
  for (let k = 0; k < picture.cells.length; ++k) {
    const level = Number(picture.cells[k]);
    if (level === 0) continue;
    context.globalAlpha = 0.2 + 0.8 * level / 9;
    context.fillRect(k % n, Math.floor(k / n), 1, 1);
  }
}

function pictureCard(picture) {
  const canvas = element('canvas', {
    'class': 'picture', 'role': 'img', 'aria-label': picture.title, 'style': `max-width:${Math.min(480, 40 * picture.grid_size)}px`,
  });
  const redraw = () => drawPicture(canvas, picture);
  redraws.push(redraw);
  redraw();
  const density = picture.size > 0 ? picture.nonzeros / picture.size / picture.size : 0;
  return element('div', {class: 'card'}, element('h3', {}, picture.title),
      element('p', {class: 'muted small'}, picture.caption),
      canvas,
      element('p', {class: 'small', style: 'margin:8px 0 0'},
          `${counted(picture.size, 'row')} in ${counted(picture.num_blocks, 'block')}, ${percent(density)} not zero.` +
          (picture.factor_nonzeros >= 0 ? ` A Cholesky factorization in this order has ${count(picture.factor_nonzeros)} entries.` : '')));
}

function structure() {
  const s = data.structure;
  if (s.pictures.length === 0 && !s.note) return null;
  return section('structure', 'Structure of the linear system',
      s.note ? element('p', {class: 'card'}, s.note) : null,
      s.pictures.some((p) => p.grid_size < p.size) ?
          element('p', {class: 'muted small'}, 'A pixel stands for several entries: the darker, the denser, on a logarithmic scale.') : null,
      element('div', {class: 'cards'}, s.pictures.map(pictureCard)));
}

// ---- Scene ----

// The middle of a scene and its extent: of all poses, and of the points but for the outermost twentieths. Of a flat scene,
// of all positions.
function frameOf({points, poses}) {
  const coordinate = (flat, k) => flat.filter((_, i) => i % 3 === k).sort((a, b) => a - b);
  const isFlat = [...coordinate(points, 2), ...coordinate(poses, 2)].every((z, _, all) => z === all[0]);
  const outer = isFlat ? 0 : 0.05;
  const ranges = [0, 1, 2].map((k) => {
    const p = coordinate(points, k);
    const cut = Math.floor(p.length * outer);
    const ends = [...p.slice(cut, p.length - cut), ...coordinate(poses, k)].sort((a, b) => a - b);
    return [ends[0] || 0, ends[ends.length - 1] || 0];
  });
  const center = ranges.map(([low, high]) => (low + high) / 2);
  const half = ranges.map(([low, high]) => (high - low) / 2);
  const distances = (flat) => {
    const list = [];
    for (let i = 0; i < flat.length; i += 3) list.push(Math.hypot(flat[i] - center[0], flat[i + 1] - center[1], flat[i + 2] - center[2]));
    return list.sort((a, b) => a - b);
  };
  const ofPoints = distances(points);
  const radius = Math.max(ofPoints[Math.floor(ofPoints.length * 0.9)] || 0, distances(poses).pop() || 0) || 1;
  return {center, isFlat, radius, half: isFlat ? [half[0] || radius, half[1] || radius] : [radius, radius]};
}

function rotate(q, v) {
  const [w, x, y, z] = q;
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}

class SceneView {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.shown = 'after';
    this.frame = frameOf(scene.after);
    // Seen along y, z up, a little from above; a flat scene from above.
    this.yaw = this.frame.isFlat ? 0 : 0.6;
    this.pitch = this.frame.isFlat ? Math.PI / 2 : 0.5;
    this.zoom = 1;
    this.shift = [0, 0];
    this.pointers = new Map();
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    const release = (event) => this.pointers.delete(event.pointerId);
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.zoom *= Math.exp(-event.deltaY * 0.0012);
      this.draw();
    }, {passive: false});
  }

  // One pointer turns; with the shift key it moves the scene. Two pointers zoom and move.
  move(event) {
    const old = this.pointers.get(event.pointerId);
    if (!old) return;
    const now = [event.clientX, event.clientY];
    const delta = [now[0] - old[0], now[1] - old[1]];
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const distance = (a) => Math.hypot(a[0] - other[0], a[1] - other[1]);
      this.zoom *= Math.max(1, distance(now)) / Math.max(1, distance(old));
      this.shift = [this.shift[0] + delta[0] / 2, this.shift[1] + delta[1] / 2];
    } else if (event.shiftKey) {
      this.shift = [this.shift[0] + delta[0], this.shift[1] + delta[1]];
    } else {
      this.yaw += delta[0] * 0.008;
      this.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.pitch + delta[1] * 0.008));
    }
    this.pointers.set(event.pointerId, now);
    this.draw();
  }

  // A function from positions to [x, y, depth] in pixels; depth 1 is the center, null is behind the viewer.
  projection(width, height) {
    const {center, radius, half} = this.frame;
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const scale = 0.46 * this.zoom * radius * Math.min(width / half[0], height / half[1]);
    const distance = 4;
    return (x, y, z) => {
      const [a, b, c] = [(x - center[0]) / radius, (y - center[1]) / radius, (z - center[2]) / radius];
      const right = cy * a + sy * b;
      const away = -sy * a + cy * b;
      const up = cp * c + sp * away;
      const depth = 1 + (cp * away - sp * c) / distance;
      if (depth < 0.05) return null;
      return [width / 2 + this.shift[0] + scale * right / depth, height / 2 + this.shift[1] - scale * up / depth, depth];
    };
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0) return;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, height);
    const project = this.projection(width, height);
    const states = this.shown === 'both' ? ['before', 'after'] : [this.shown];
    for (const state of states) this.drawState(context, project, this.scene[state], state);
  }

  drawState(context, project, state, name) {
    const isAfter = name === 'after';
    this.drawEdges(context, project, state.poses, isAfter);
    // Beside lines, points are what the lines are to fit.
    context.fillStyle = color(this.scene.edges.length > 0 ? 'muted' : isAfter ? 'blue' : 'orange');
    context.globalAlpha = 0.75;
    const size = this.scene.after.points.length > 9000 ? 1.6 : 4;
    for (let i = 0; i < state.points.length; i += 3) {
      const p = project(state.points[i], state.points[i + 1], state.points[i + 2]);
      if (p) context.fillRect(p[0] - size / 2, p[1] - size / 2, size, size);
    }
    context.globalAlpha = 1;
    this.drawPoses(context, project, state, isAfter);
  }

  // Edges between successive poses are drawn stronger than others.
  drawEdges(context, project, poses, isAfter) {
    const places = [];
    for (let i = 0; i < poses.length; i += 3) places.push(project(poses[i], poses[i + 1], poses[i + 2]));
    const edges = this.scene.edges;
    for (const successive of [false, true]) {
      context.beginPath();
      for (let i = 0; i < edges.length; i += 2) {
        const [a, b] = [places[edges[i]], places[edges[i + 1]]];
        if (!a || !b || (Math.abs(edges[i] - edges[i + 1]) === 1) !== successive) continue;
        context.moveTo(a[0], a[1]);
        context.lineTo(b[0], b[1]);
      }
      context.strokeStyle = color(isAfter ? (successive ? 'blue' : 'teal') : 'orange');
      context.globalAlpha = successive ? 0.9 : 0.35;
      context.lineWidth = successive ? 1.3 : 0.8;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // The axes of the frame of each pose that has an orientation, x red, y green, z blue, and a dot. Of many poses the JSON
  // has no orientations: dots only, if no edges show where they are.
  drawPoses(context, project, state, isAfter) {
    const {poses, orientations} = state;
    const n = poses.length / 3;
    const axes = [['red', [1, 0, 0]], ['green', [0, 1, 0]], ['blue', [0, 0, 1]]];
    const length = this.frame.radius * (n > 60 ? 0.03 : 0.06);
    for (let i = 0; i < n; ++i) {
      const at = poses.slice(3 * i, 3 * i + 3);
      const q = orientations.slice(4 * i, 4 * i + 4);
      const hasAxes = q.some((x) => x !== 0);
      const p = project(...at);
      if (!p || (!hasAxes && this.scene.edges.length > 0)) continue;
      if (hasAxes && isAfter) {
        for (const [variable, axis] of axes) {
          const tip = rotate(q, axis.map((a) => a * length));
          const end = project(at[0] + tip[0], at[1] + tip[1], at[2] + tip[2]);
          if (end) this.drawLine(context, p, end, color(variable));
        }
      }
      const size = n > 60 ? 3 : 5;
      context.fillStyle = color(isAfter ? 'text' : 'orange');
      context.fillRect(p[0] - size / 2, p[1] - size / 2, size, size);
    }
  }

  drawLine(context, from, to, style) {
    context.beginPath();
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
    context.strokeStyle = style;
    context.lineWidth = 1.5;
    context.stroke();
  }
}

function scene() {
  const s = data.scene;
  if (s.num_points + s.num_poses === 0) return null;
  const canvas = element('canvas', {class: 'scene', role: 'img', 'aria-label': 'The scene in space'});
  const view = new SceneView(canvas, s);
  drawInto(canvas, () => view.draw());
  const hasBefore = s.before.points.length + s.before.poses.length > 0;
  const names = [s.num_points ? counted(s.num_points, 'point') : '', s.num_poses ? counted(s.num_poses, 'pose') : '',
                 s.num_edges ? counted(s.num_edges, 'edge') : ''].filter((name) => name).join(', ');
  const shown = 3 * s.num_points > s.after.points.length || 3 * s.num_poses > s.after.poses.length;
  return element('section', {id: 'scene'},
      element('div', {class: 'row'}, element('h2', {}, 'Scene'),
          hasBefore ? switchOf([['before', 'before'], ['after', 'after'], ['both', 'both']], 'after', (choice) => {
            view.shown = choice;
            view.draw();
          }) : null),
      element('p', {class: 'muted small'}, `${names}${shown ? ', sampled for this page' : ''}. ` +
          'Drag to turn, scroll or pinch to zoom, drag with the shift key or two fingers to move.'),
      element('div', {class: 'card'}, canvas,
          hasBefore ? legend([['after', 'blue'], ['before', 'orange']]) : null));
}

// ---- The page ----

const SECTIONS = [
  {id: 'advice', title: 'Advice', make: advice},
  {id: 'convergence', title: 'Convergence', make: convergence},
  {id: 'scene', title: 'Scene', make: scene},
  {id: 'time', title: 'Time', make: time},
  {id: 'residuals', title: 'Residuals', make: residuals},
  {id: 'structure', title: 'Structure', make: structure},
  {id: 'full', title: 'Full report', make: () => section('full', 'Full report',
      element('details', {class: 'card'}, element('summary', {}, 'Solver::Summary::FullReport'), element('pre', {}, data.full_report)))},
];
for (const part of SECTIONS) part.node = part.make();
document.getElementById('report').replaceChildren(...head(), ...SECTIONS.map((part) => part.node).filter((node) => node), tip);
