// The section of the report that shows the scene.

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

let sceneView = null;

class SceneView {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.shown = 'after';
    // The direction whose motions are drawn, or null.
    this.direction = null;
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
    if (this.direction) this.drawMotions(context, project, data.diagnosis.positions, this.direction.motions);
  }

  drawMotions(context, project, positions, motions) {
    const length = 0.2 * this.frame.radius;
    for (let i = 0; i < motions.length; i += 3) {
      const at = [0, 1, 2].map((k) => positions[i + k]);
      const tip = [0, 1, 2].map((k) => positions[i + k] + length * motions[i + k]);
      const [from, to] = [project(...at), project(...tip)];
      if (!from || !to || Math.hypot(to[0] - from[0], to[1] - from[1]) < 1) continue;
      this.drawLine(context, from, to, color('red'));
      context.fillStyle = color('red');
      context.fillRect(to[0] - 2, to[1] - 2, 4, 4);
    }
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
  const view = sceneView = new SceneView(canvas, s);
  drawInto(canvas, () => view.draw());
  const hasBefore = s.before.points.length + s.before.poses.length > 0;
  // Without any orientation, poses are positions, as those of a curve.
  const {orientations} = s.after;
  const pose = orientations.length > 0 && orientations.every((value) => value === 0) ? 'position' : 'pose';
  const names = [s.num_points ? counted(s.num_points, 'point') : '', s.num_poses ? counted(s.num_poses, pose) : '',
                 s.num_edges ? counted(s.num_edges, 'edge') : ''].filter((name) => name).join(', ');
  const isSampled = 3 * s.num_points > s.after.points.length || 3 * s.num_poses > s.after.poses.length;
  return element('section', {id: 'scene'},
      element('div', {class: 'row'}, element('h2', {}, 'Scene'),
          hasBefore ? switchOf([['before', 'before'], ['after', 'after'], ['both', 'both']], 'after', (choice) => {
            view.shown = choice;
            view.draw();
          }) : null),
      element('p', {class: 'muted small'}, `${names}${isSampled ? ', of which this page has a sample' : ''}. ` +
          'Drag to turn, scroll or pinch to zoom, drag with the shift key or two fingers to move.'),
      element('div', {class: 'card'}, canvas,
          hasBefore ? legend([['after', 'blue'], ['before', 'orange']]) : null));
}
