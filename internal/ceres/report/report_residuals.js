// The sections of the report about residuals and structure.

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
      // The first bin has all smaller norms, too.
      const from = i === 0 ? 'up' : number(10 ** decade(i));
      showTip(event, `${from} to ${number(10 ** decade(i + 1))}\nafter: ${counted(after[i], 'block')}` +
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
  const hasChecks = data.diagnosis.num_checked > 0;
  const known = (value) => value < 0 ? '–' : number(value);
  const bar = (w) => element('div', {class: 'bar', style: 'width:90px;height:10px;margin-top:5px'},
      element('span', {style: `width:${largest > 0 ? 100 * w.norm / largest : 0}%;background:var(--red)`}));
  const rows = r.worst.map((w) => [
    String(w.index), r.kinds[w.kind].name, bar(w), number(w.norm), number(w.norm_before), number(w.cost),
    r.cost > 0 ? percent(w.cost / r.cost) : '–', w.weight === 1 ? '1' : number(w.weight),
    ...(hasChecks ? [known(w.redundancy), known(w.standardized)] : []), w.parameter_blocks.join(', '),
  ]);
  const columns = [['block'], ['kind', true], ['', true], ['norm'], ['before'], ['cost'], ['share'], ['weight'],
                   ...(hasChecks ? [['redundancy'], ['standardized']] : []), ['parameter blocks', true]];
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
    'class': 'picture', 'role': 'img', 'aria-label': picture.title, 'style': `max-width:${Math.min(600, 40 * picture.grid_size)}px`,
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
