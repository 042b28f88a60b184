// The page: one clock, a view for each plan, and the keys.

const THEMES = ["system", "light", "dark"];

class View {
  constructor(scene, name) {
    this.scene = scene;
    this.trace = new Trace(scene);
    const root = document.getElementById("plan").content.cloneNode(true).querySelector(".plan");
    this.root = root;
    const find = (selector) => root.querySelector(selector);
    find(".name").textContent = name;
    find(".price").textContent = scene.line;
    find(".plan > .note").textContent = scene.remarks.join(" ");
    find(".plan > .note").hidden = !scene.remarks.length;
    this.moment = find(".moment");
    this.legend = find(".legend");
    this.panel = find(".panel");
    find(".figure").classList.toggle("large", scene.n > 4);
    find(".figure").hidden = !scene.crossings;
    document.getElementById("plans").append(root);
    const choose = (node) => this.choose(node);
    this.Picture = scene.tree ? Tree : scene.sides.length ? Torus : Cube;
    this.drawCube();
    this.memories = new Memories(find(".memory"), find(".memory-block .hint"), this.trace, choose);
    this.node = this.busiest();
    this.cube.select(this.node);
    find(".cube").addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.fit()).observe(find(".cube-frame"));
  }

  drawCube() {
    const svg = this.root.querySelector(".cube");
    const form = formOf(this.scene.n, svg.parentElement.clientWidth);
    this.cube = new this.Picture(svg, this.trace, form, (node) => this.choose(node));
  }

  // Draw anew in a frame that has become wider or narrower, where that takes another form.
  fit() {
    const { tall } = formOf(this.scene.n, this.root.querySelector(".cube-frame").clientWidth);
    if (tall === this.cube.form.tall) return;
    this.drawCube();
    this.cube.select(this.node);
    [this.shown, this.step] = [null, null];
    this.show(...this.now);
  }

  drawChart(jump) {
    const find = (selector) => this.root.querySelector(selector);
    const parts = { svg: find(".chart"), reading: find(".reading"), hint: find(".chart-block .hint") };
    this.chart = new Chart(parts, this.trace, jump);
    parts.svg.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (step) this.chart.move(step);
      if (step) event.preventDefault();
    });
    const empty = this.trace.cycles === 0;
    find(".chart-block").hidden = empty;
    find(".memory-block").hidden = this.trace.elements === 0;
  }

  busiest() {
    const sent = new Int32Array(this.trace.nodes);
    for (const node of this.trace.rows.node) sent[node] += 1;
    return sent.indexOf(Math.max(...sent));
  }

  choose(node) {
    this.node = node;
    this.cube.select(node);
    this.describe();
    this.panel.querySelector(".places").scrollTop = 0;
  }

  // Up and down from node to node.
  walk(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const node = (this.node + step + this.trace.nodes) % this.trace.nodes;
    this.cube.boxes[node].part.focus();
  }

  // Everything as it is at a time in cycles; from and to are the cycles of the step.
  show(time, [from, to], by) {
    this.now = [time, [from, to], by];
    const { trace } = this;
    const whole = Math.floor(time);
    trace.go(whole);
    const flights = time > whole ? trace.flights(whole) : new Map();
    const key = [whole, time > whole, by].join();
    if (key !== this.shown) {
      this.held = trace.elements ? trace.held(flights) : [];
      this.by = by;
      this.cube.showMemories(this.held, by);
      this.memories.show(this.held, by);
      this.describe();
    }
    this.shown = key;
    this.cube.showDots(flights, time - whole, by);
    this.showStep(from, to);
    this.chart.show(time);
    this.moment.textContent = this.words(time);
  }

  showStep(from, to) {
    if (this.step === `${from} ${to}`) return;
    this.step = `${from} ${to}`;
    const loads = this.trace.loads(from, to);
    const most = Math.max(0, ...loads);
    this.cube.showLoads(loads, most);
    this.showLegend(loads, most);
  }

  showLegend(loads, most) {
    const used = loads.filter((load) => load).length;
    this.legend.replaceChildren();
    write(this.legend, "h3", "Links in this step");
    const words = most
      ? `${used} of ${loads.length} links are used, each for ${most === 1 ? "one element" : `up to ${most} elements`}`
      : "no link is used";
    write(this.legend, "p", words);
    const scale = write(this.legend, "div", "", "scale");
    const steps = most > 1 ? [1, Math.ceil(most / 2), most] : [1];
    for (const load of [0, ...new Set(steps)]) {
      const item = write(scale, "span", load ? `${load}` : "idle", "entry");
      const line = write(item, "i", "");
      line.style.height = load ? `${1.5 + 4 * load / Math.max(1, most)}px` : "1px";
      if (load) line.style.background = loadColour(load / Math.max(1, most));
    }
  }

  describe() {
    if (this.held) describeNode(this.panel, this.trace, this.node, this.held, this.cube.colours, this.by);
    this.panel.hidden = this.trace.elements === 0;
  }

  words(time) {
    const { trace } = this;
    if (!trace.end) return trace.scene.crossings ? "Nothing has to move." : "";
    if (!trace.cycles) return time >= trace.end ? "Done; nothing crossed a link." : "Before.";
    const drawn = trace.scene.note ? " drawn" : "";  // not those of the whole plan
    if (time >= trace.end) return `Done, after ${amount(trace.cycles, "cycle")}${drawn}.`;
    const cycle = Math.floor(time);
    const rounds = trace.marks.length - 1;
    return `Cycle ${cycle} of ${trace.cycles}${drawn}, round ${trace.roundOf(cycle)} of ${rounds}`;
  }
}

class Page {
  constructor(scenes) {
    this.views = scenes.map((scene, k) => new View(scene, scenes.length > 1 ? `${"AB"[k]}: ${scene.algorithm}` : "Step by step"));
    for (const view of this.views) view.root.querySelector(".price").hidden = scenes.length < 2;
    document.getElementById("plans").classList.toggle("two", scenes.length > 1);
    this.by = "target";
    this.part = (id) => document.getElementById(id);
    this.clock = new Clock(this.views.map((view) => view.trace), () => this.show());
    for (const view of this.views) {
      view.drawChart((cycle) => {
        this.clock.pause();
        this.clock.seek(this.clock.positionOf(view.trace, cycle));
      });
      view.chart.draw("cycle");
    }
    this.part("aligned").hidden = scenes.length < 2 || this.views.every(({ trace }) => !trace.price);
    document.querySelector(".transport").hidden = scenes.every((scene) => !scene.crossings);
    this.listen();
    this.show();
  }

  listen() {
    const { clock, part } = this;
    const click = (id, action) => part(id).addEventListener("click", action);
    click("first", () => { clock.pause(); clock.seek(0); });
    click("last", () => { clock.pause(); clock.seek(clock.steps); });
    click("back", () => clock.step(-1));
    click("next", () => clock.step(1));
    click("play", () => this.toggle());
    click("theme", () => this.nextTheme());
    click("more", () => set(part("more"), { "aria-expanded": part("choices").classList.toggle("open") }));
    click("help", () => part("keys").showModal());
    part("time").addEventListener("input", () => this.scrub());
    part("unit").addEventListener("change", () => this.setUnit(part("unit").value));
    part("by").addEventListener("change", () => this.setBy(part("by").value));
    part("align").addEventListener("change", () => clock.choose("align", part("align").value));
    part("speed").addEventListener("change", () => { clock.speed = Number(part("speed").value); });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  scrub() {
    const { clock } = this;
    const at = Number(this.part("time").value);
    clock.playing = false;
    clock.seek(clock.still.matches ? Math.round(at) : at);
  }

  toggle() {
    if (this.clock.playing) this.clock.pause();
    else this.clock.play();
  }

  setUnit(unit) {
    this.part("unit").value = unit;
    for (const view of this.views) view.chart.draw(unit);
    this.clock.choose("unit", unit);
  }

  setBy(by) {
    this.part("by").value = by;
    this.by = by;
    this.show();
  }

  nextTheme() {
    const now = document.documentElement.dataset.theme ?? "system";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    document.documentElement.dataset.theme = next;
    this.part("theme").textContent = `Colours: ${next}`;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.part("keys").open) return;
    const tag = event.target.tagName;
    if (tag === "SELECT") return;
    if (event.key === " " && (tag === "BUTTON" || tag === "SUMMARY")) return;
    const action = this.actionOf(event);
    if (!action) return;
    event.preventDefault();
    action();
  }

  actionOf(event) {
    const { clock } = this;
    const many = event.shiftKey ? 8 : 1;
    const jump = (position) => () => { clock.pause(); clock.seek(position); };
    if (/^[0-9]$/.test(event.key)) return jump(Math.round(clock.steps * Number(event.key) / 10));
    return {
      ArrowLeft: () => clock.step(-many),
      ArrowRight: () => clock.step(many),
      Home: jump(0),
      End: jump(clock.steps),
      " ": () => this.toggle(),
      r: () => this.setUnit(clock.unit === "cycle" ? "round" : "cycle"),
      c: () => this.setBy(this.by === "target" ? "source" : "target"),
      "?": () => this.part("keys").showModal(),
    }[event.key];
  }

  show() {
    const { clock, part, views } = this;
    for (const view of views) {
      view.show(clock.cycleOf(view.trace, clock.position), clock.windowOf(view.trace), this.by);
    }
    const slider = part("time");
    slider.max = clock.steps;
    slider.value = clock.position;
    slider.disabled = clock.steps === 0;
    const words = this.words();
    slider.setAttribute("aria-valuetext", words);
    part("now").textContent = words;
    const live = clock.playing ? "off" : "polite";  // nobody can listen to every cycle
    if (live !== this.live) document.querySelectorAll(".says").forEach((said) => set(said, { "aria-live": live }));
    this.live = live;
    part("play").textContent = clock.playing ? "Pause" : "Play";
    for (const id of ["first", "back", "next", "last", "play"]) part(id).disabled = clock.steps === 0;
    document.documentElement.dataset.settled = !clock.moving;
  }

  words() {
    const { clock } = this;
    if (!clock.steps) return "nothing moves over time";
    if (this.views.every(({ trace }) => !trace.cycles)) return clock.position < 1 ? "before" : "after";
    const k = Math.floor(clock.position);
    const mixed = this.views.length > 1 && (clock.align === "price" || clock.unit === "round");
    const kind = mixed ? "step" : clock.unit;
    return k >= clock.steps ? `end, ${amount(clock.steps, kind)}` : `${kind} ${k} of ${clock.steps}`;
  }
}

new Page(JSON.parse(document.getElementById("scenes").textContent));
