// The last part of the program of the report: the head of the page, advice, and the list of sections.

const TERMINATIONS = {
  CONVERGENCE: 'converged', NO_CONVERGENCE: 'not converged', FAILURE: 'failed', USER_SUCCESS: 'stopped: success', USER_FAILURE: 'stopped: failure', INFEASIBLE: 'infeasible',
};

function head() {
  const c = data.convergence;
  const fact = (value, label) => element('div', {class: 'card fact'},
      element('div', {class: 'value'}, value), element('div', {class: 'label'}, label));
  // A solve that failed early has no costs: they are -1.
  const hasCosts = data.initial_cost >= 0 && data.final_cost >= 0;
  const drop = data.initial_cost > 0 ? `${percent(data.final_cost / data.initial_cost)} of ${number(data.initial_cost)}` :
      `from ${number(data.initial_cost)}`;
  return [
    element('h1', {}, data.title),
    element('p', {class: 'muted'}, data.message),
    element('nav', {}, SECTIONS.filter((s) => s.node).map((s) => element('a', {href: `#${s.id}`}, s.title))),
    element('div', {class: 'facts'},
        fact(TERMINATIONS[data.termination] || data.termination, data.is_usable ? 'the result can be used' : 'no usable result'),
        hasCosts ? fact(number(data.final_cost), `final cost, ${drop}`) : fact('–', 'no cost was computed'),
        fact(counted(c.num_iterations, 'iteration'), (c.is_line_search ? `line search, ${data.linear_solver}` : data.linear_solver).replaceAll('_', '_\u200b')),
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

// "kGaugeTranslation" becomes "gauge translation".
const kindInWords = (kind) => kind.slice(1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();

function directionCard(direction, index) {
  const left = direction.num_entries - direction.entries.length;
  const entries = direction.entries.join(', ') + (left > 0 ? ` and ${count(left)} more` : '');
  const show = sceneView && direction.motions.length > 0 ? element('p', {style: 'margin:6px 0 0'}, element('a', {
    href: '#scene',
    onclick: () => {
      sceneView.direction = sceneView.direction === direction ? null : direction;
      sceneView.draw();
    },
  }, 'Show in the scene what moves')) : null;
  return element('div', {class: 'card advice warning', id: `direction-${index}`},
      element('h3', {}, `${index + 1}. ${kindInWords(direction.kind)}${direction.ratio > 0 ? `, ratio ${number(direction.ratio)}` : ''}`),
      element('p', {}, direction.cause), element('p', {class: 'muted small'}, entries),
      element('p', {class: 'do'}, element('strong', {}, 'What to do: '), direction.remedy), show);
}

function undetermined() {
  const d = data.diagnosis;
  if (!d.is_made) return null;
  const found = [];
  if (d.num_undetermined > 0) found.push(`${counted(d.num_undetermined, 'direction')} undetermined`);
  if (d.num_weak > 0) found.push(`${counted(d.num_weak, 'direction')} weak`);
  const more = d.num_undetermined + d.num_weak - d.directions.length;
  const checks = d.num_checked === 0 ? '' : d.num_unchecked === 0 ?
      'An error in any residual block shows in the residuals.' :
      `In ${count(d.num_unchecked)} of ${counted(d.num_checked, 'residual block')} an error shows in no residual: each alone determines a direction.`;
  const summary = found.length > 0 ? `Of ${counted(d.num_coordinates, 'coordinate')}: ${found.join(', ')}.` :
      d.message ? '' : `The residuals determine all of ${counted(d.num_coordinates, 'coordinate')}.`;
  return section('undetermined', 'What is undetermined', element('div', {class: 'stack'},
      element('div', {class: 'card'}, [d.message, summary, d.rank_statement, checks].filter((text) => text).map((text) => element('p', {}, text))),
      d.directions.map(directionCard), more > 0 ? element('p', {class: 'muted'}, `and ${count(more)} more`) : null));
}

function poseGraph() {
  const p = data.pose_graph;
  if (!p.is_made) return null;
  const advice = p.is_certified ?
      'A certificate does not say that the measurements are right: reject false loop closures first, with SolveGraduated.' :
      'The map is not proven to be the best one: see the pitfalls of "Find the best map, and prove it" in the manual.';
  const bound = p.is_anisotropic ?
      'The information matrices are anisotropic: the certificate is about the isotropic problem beside them.' : '';
  const scene = data.scene.num_poses > 0 ? 'The scene shows the map before and after.' : '';
  const digits = (x) => x < 0 ? '–' : String(Number(x.toPrecision(6)));
  return section('pose-graph', 'Pose graph', element('div', {class: 'stack'},
      element('div', {class: p.is_certified ? 'card advice' : 'card advice warning'},
          element('h3', {}, kindInWords(p.statement)),
          [p.message, p.explanation, bound, scene, advice].filter((text) => text).map((text) => element('p', {}, text))),
      element('div', {class: 'card'}, table([['', true], ['cost', false]], [
        [`chordal cost of the start, ${kindInWords(p.start)}`, digits(p.start_cost)],
        ['chordal cost', digits(p.cost)],
        ['lower bound of all maps', digits(p.lower_bound)],
        ['gap', number(p.gap)],
        ['geodesic cost before its solve', digits(p.geodesic_initial_cost)],
        ['geodesic cost', digits(p.geodesic_final_cost)],
      ])),
      element('div', {class: 'card'}, table([['rank', false], ['iterations', false], ['chordal cost', false], ['lower bound', false], ['time', false]],
          p.steps.map((s) => [count(s.rank), count(s.num_iterations), digits(s.cost), digits(s.lower_bound), seconds(s.seconds)])))));
}

function constraints() {
  const c = data.constraints;
  if (c.num_constraints === 0) return null;
  // JSON has no infinities: they are texts.
  const bound = (x) => typeof x === 'number' && Math.abs(x) < 1e300 ? number(x) : '–';
  const value = (x) => typeof x === 'number' ? number(x) : 'not evaluated';
  const more = c.num_coordinates - c.coordinates.length;
  return section('constraints', 'Constraints', element('div', {class: 'card'},
      element('p', {}, `${counted(c.num_constraints, 'constraint')} with ${counted(c.num_coordinates, 'coordinate')}, ${count(c.num_active)} active.`),
      table([['constraint', true], ['lower'], ['value'], ['upper'], ['violation'], ['multiplier'], ['', true]],
          c.coordinates.map((x) => [x.name, bound(x.lower), value(x.value), bound(x.upper), value(x.violation), number(x.multiplier),
            x.lower === x.upper ? 'equality' : x.is_active ? 'active' : ''])),
      more > 0 ? element('p', {class: 'muted'}, `and ${count(more)} more`) : null));
}

// ---- The page ----

const SECTIONS = [
  {id: 'advice', title: 'Advice', make: advice},
  {id: 'convergence', title: 'Convergence', make: convergence},
  {id: 'scene', title: 'Scene', make: scene},
  {id: 'pose-graph', title: 'Pose graph', make: poseGraph},
  {id: 'undetermined', title: 'What is undetermined', make: undetermined},
  {id: 'constraints', title: 'Constraints', make: constraints},
  {id: 'time', title: 'Time', make: time},
  {id: 'residuals', title: 'Residuals', make: residuals},
  {id: 'structure', title: 'Structure', make: structure},
  {id: 'full', title: 'Full report', make: () => section('full', 'Full report',
      element('details', {class: 'card'}, element('summary', {}, 'Solver::Summary::FullReport'), element('pre', {}, data.full_report)))},
];
for (const part of SECTIONS) part.node = part.make();
document.getElementById('report').replaceChildren(...head(), ...SECTIONS.map((part) => part.node).filter((node) => node), tip);
