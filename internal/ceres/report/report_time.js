// The sections of the report about iterations and time.

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
  if (t.stages.length === 0) return element('div', {class: 'card'}, 'No time was measured.');
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
    const shares = ['busy', 'waiting', 'waking', 'idle'].map((state) => `${state}: ${percent(thread[state] / t.trace_duration)}`).join('\n');
    const canvas = element('canvas', {class: 'timeline', onpointermove: (event) => showTip(event, shares), onpointerleave: hideTip});
    const redraw = () => drawTimeline(canvas, thread.activity);
    redraws.push(redraw);
    redraw();
    return [element('span', {}, thread.name), canvas,
            element('span', {class: 'muted'}, `${percent(thread.busy / t.trace_duration)} busy`)];
  });
  // The trace of a serial solve does not show what could run in parallel.
  const parallelism = t.num_threads_used < 2 ? '' :
      ` Parallelism (work / span): ${number(t.parallelism)}. More threads than that are of no use.`;
  return element('div', {class: 'card', style: 'margin-top:14px'},
      element('h3', {}, `Threads over ${seconds(t.trace_duration)}`),
      element('p', {class: 'muted small'}, `The darker, the busier.${parallelism}` +
          `${t.num_dropped > 0 ? ` ${count(t.num_dropped)} events are missing.` : ''}`),
      element('div', {class: 'threads'}, rows.flat()));
}

function time() {
  return section('time', 'Where the time went',
      element('div', {class: 'cards'}, stagesCard(), data.convergence.iteration.length > 0 ? iterationTimesCard() : null),
      threadsCard());
}
