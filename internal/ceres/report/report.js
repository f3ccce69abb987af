// The last part of the program of the report: the head of the page, advice, and the list of sections.

const TERMINATIONS = {
  CONVERGENCE: 'converged', NO_CONVERGENCE: 'not converged', FAILURE: 'failed', USER_SUCCESS: 'stopped: success', USER_FAILURE: 'stopped: failure',
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
