// Time: where the scrubber is, in steps of cycles or rounds, and how it plays.
//
// With one plan time is counted in cycles. Two plans stand side by side in the same cycle, or at
// the same priced time.

class Clock {
  constructor(traces, changed) {
    this.traces = traces;
    this.changed = changed;
    this.unit = "cycle";
    this.align = "cycle";
    this.position = 0;
    this.goal = 0;
    this.speed = 1;
    this.playing = false;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.mark();
  }

  // The times at which steps begin, and the end.
  mark() {
    const times = this.traces.flatMap((trace) => {
      const cycles = this.unit === "round" ? trace.marks : Array.from({ length: trace.end + 1 }, (_, t) => t);
      return this.align === "price" ? cycles.map((cycle) => trace.secondsAt(cycle)) : cycles;
    });
    times.sort((a, b) => a - b);
    const close = 1e-9 * Math.max(...times, 0);
    this.marks = times.filter((time, k) => k === 0 || time - times[k - 1] > close);
    this.steps = this.marks.length - 1;
  }

  // Change the unit or what is aligned, and stay at the time of the first plan that is not over.
  choose(name, value) {
    const trace = this.traces.find((one) => this.cycleOf(one, this.position) < one.end);
    const cycle = trace && this.cycleOf(trace, this.position);
    this[name] = value;
    this.mark();
    this.seek(trace ? this.positionOf(trace, cycle) : this.steps);
  }

  timeAt(position) {
    const k = Math.min(Math.floor(position), Math.max(0, this.steps - 1));
    const next = this.marks[k + 1] ?? this.marks[k];
    return this.marks[k] + (position - k) * (next - this.marks[k]);
  }

  // The time of a plan in cycles, at a position of the scrubber; whole ones are exact.
  cycleOf(trace, position) {
    const time = this.timeAt(position);
    const cycle = this.align === "price" ? trace.cycleAt(time) : Math.min(time, trace.end);
    return Math.abs(cycle - Math.round(cycle)) < 1e-6 ? Math.round(cycle) : cycle;
  }

  positionOf(trace, cycle) {
    const time = this.align === "price" ? trace.secondsAt(cycle) : cycle;
    const k = Math.min(below(this.marks, time), Math.max(0, this.steps - 1));
    const next = this.marks[k + 1] ?? this.marks[k];
    return Math.min(this.steps, k + (time - this.marks[k]) / (next - this.marks[k] || 1));
  }

  // The cycles of a plan that the current step has.
  windowOf(trace) {
    if (this.position >= this.steps) return [trace.end, trace.end];
    const k = Math.floor(this.position);
    const [from, to] = [this.cycleOf(trace, k), this.cycleOf(trace, k + 1)];
    return [Math.floor(from), Math.ceil(to)];
  }

  // Go there at once.
  seek(position) {
    this.goal = Math.max(0, Math.min(this.steps, position));
    this.position = this.goal;
    this.changed();
  }

  // Go some steps, on the way if motion is wanted.
  step(count) {
    this.pause();
    const from = count > 0 ? Math.floor(this.goal + 1e-6) : Math.ceil(this.goal - 1e-6);
    this.goal = Math.max(0, Math.min(this.steps, from + count));
    if (this.still.matches || Math.abs(this.goal - this.position) > 2) this.seek(this.goal);
    else this.run();
  }

  play() {
    if (this.position >= this.steps) this.seek(0);
    this.playing = this.steps > 0;
    this.run();
  }

  pause() {
    this.playing = false;
    if (this.goal !== this.position) this.seek(this.goal);
    this.changed();
  }

  run() {
    if (this.running) return;
    this.running = true;
    let last = null;
    const tick = (now) => {
      const passed = last === null ? 0 : Math.min(200, now - last) / 1000;
      last = now;
      this.advance(passed);
      if (this.moving) requestAnimationFrame(tick);
      else this.running = false;
      this.changed();
    };
    requestAnimationFrame(tick);
    this.changed(); // from now on the page is not settled
  }

  get moving() {
    return this.playing || this.position !== this.goal;
  }

  advance(passed) {
    if (this.playing) this.advancePlay(passed * this.speed);
    else {
      const way = this.goal - this.position;
      this.position = Math.abs(way) < 0.02 ? this.goal : this.position + Math.sign(way) * Math.min(Math.abs(way), passed * 3.5);
    }
  }

  // Without motion, whole steps follow one another.
  advancePlay(steps) {
    this.due = this.still.matches ? (this.due ?? 0) + steps : 0;
    if (this.still.matches && this.due < 1) return;
    const to = this.still.matches ? Math.floor(this.position) + 1 : this.position + steps;
    this.due = 0;
    this.position = Math.min(this.steps, to);
    this.goal = this.position;
    if (this.position >= this.steps) this.playing = false;
  }
}
