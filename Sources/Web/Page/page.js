"use strict";
// The page of Tactus. It sends and receives only OSC, in binary frames of a WebSocket.

const $ = (id) => document.getElementById(id);
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made && name !== "list") made[name] = value; else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// MARK: OSC

const osc = {
  /** The bytes of a message. Arguments are pairs of a type and a value: ["f", 120]. */
  encode(address, args) {
    const bytes = [];
    const text = (string) => {
      bytes.push(...new TextEncoder().encode(string), 0);
      while (bytes.length % 4) bytes.push(0);
    };
    text(address);
    text("," + args.map(([type]) => type).join(""));
    const view = new DataView(new ArrayBuffer(8));
    for (const [type, value] of args) {
      if (type === "s") { text(value); continue; }
      if (type === "i") view.setInt32(0, value);
      if (type === "f") view.setFloat32(0, value);
      if (type === "d") view.setFloat64(0, value);
      for (let i = 0; i < (type === "d" ? 8 : 4); i++) bytes.push(view.getUint8(i));
    }
    return new Uint8Array(bytes);
  },

  /** Calls back with each message of a packet: its address, its arguments, and its time in milliseconds since 1970 (null: at once). */
  decode(buffer, receive, time = null) {
    const view = new DataView(buffer.buffer || buffer, buffer.byteOffset || 0, buffer.byteLength);
    let at = 0;
    const text = () => {
      let end = at;
      while (view.getUint8(end)) end++;
      const string = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at, end - at));
      at = (end + 4) & ~3;
      return string;
    };
    const tag = () => {
      const seconds = view.getUint32(at), fraction = view.getUint32(at + 4);
      at += 8;
      if (!seconds && fraction <= 1) return null;
      return (seconds - 2208988800 + (seconds < 2 ** 31 ? 2 ** 32 : 0)) * 1000 + fraction / 2 ** 32 * 1000;
    };
    const address = text();
    if (address === "#bundle") {
      const when = tag();
      while (at < view.byteLength) {
        const length = view.getUint32(at);
        osc.decode(new Uint8Array(view.buffer, view.byteOffset + at + 4, length), receive, when);
        at += 4 + length;
      }
      return;
    }
    const args = [];
    for (const type of text().slice(1)) {
      if (type === "i") { args.push(view.getInt32(at)); at += 4; }
      else if (type === "f") { args.push(Number(view.getFloat32(at).toPrecision(7))); at += 4; }
      else if (type === "d") { args.push(view.getFloat64(at)); at += 8; }
      else if (type === "s") args.push(text());
      else if (type === "t") args.push(tag());
      else if (type === "T" || type === "F") args.push(type === "T");
    }
    receive(address, args, time);
  },
};

// MARK: The connection

const storage = {
  get(key) { try { return localStorage.getItem("tactus." + key); } catch { return null; } },
  set(key, value) {
    try { value === null ? localStorage.removeItem("tactus." + key) : localStorage.setItem("tactus." + key, value); } catch {}
  },
};

const connection = {
  socket: null, isOpen: false, heard: 0, delay: 250,
  listeners: new Map(), values: new Map(),

  on(address, listener) {
    if (!this.listeners.has(address)) this.listeners.set(address, []);
    this.listeners.get(address).push(listener);
  },

  open() {
    clearTimeout(this.timer);
    this.begun = performance.now();
    const socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/");
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.heard = performance.now();
      this.write("/tactus/pair", ["s", token || ""]);
    };
    socket.onmessage = (event) => {
      this.heard = performance.now();
      if (event.data instanceof ArrayBuffer) osc.decode(event.data, (...message) => this.receive(...message));
    };
    socket.onclose = () => { if (this.socket === socket) this.lose(); };
  },

  isStuck(now) { return this.socket && this.socket.readyState === WebSocket.CONNECTING && now - this.begun > 4000; },

  /** Reconnects after a delay, which grows with each attempt up to 3 s. */
  lose() {
    const socket = this.socket;
    this.socket = null;
    this.isOpen = false;
    if (socket) { socket.onclose = null; socket.close(); }
    clock.sent.clear();
    document.body.classList.add("away");
    $("link").className = "lost";
    $("link").textContent = "Not connected. Trying again…";
    beats.clear();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(this.delay * 1.6, 3000);
  },

  paired(mode, given) {
    if (given) { token = given; storage.set("token", given); }
    const isIn = mode === "control" || mode === "viewer";
    $("pairing").hidden = isIn;
    document.body.classList.toggle("viewer", mode === "viewer");
    if (!isIn) {
      $("link").textContent = mode === "refused" ? "Wrong PIN or key." : "Not paired";
      if (mode === "refused") { token = null; storage.set("token", null); }
      $("pin").focus();
      return;
    }
    this.isOpen = true;
    this.delay = 250;
    for (const one of document.querySelectorAll("main button, main input, main select")) {
      if (!one.closest("#stage, #pairing")) one.disabled = isViewer();
    }
    fillSession();
    fillPattern();
    document.body.classList.remove("away");
    $("link").className = "";
    $("link").textContent = mode === "viewer" ? "Connected, read-only" : "Connected";
    this.write("/tactus/subscribe");
    for (const one of [sounds, presets, documents, songs, sections]) one.refresh();
    clock.restart();
  },

  receive(address, args, time) {
    if (address === "/tactus/paired") return this.paired(...args);
    this.values.set(address, args);
    this.tellListeners(address, time);
  },

  tellListeners(address, time = null) {
    for (const listener of this.listeners.get(address) || []) listener(this.values.get(address), time);
  },

  write(address, ...args) {
    if (this.socket && this.socket.readyState === WebSocket.OPEN) this.socket.send(osc.encode(address, args));
  },

  /** Sends a command of the user's. */
  send(name, ...args) {
    if (!this.isOpen) return tell("Not connected: nothing was sent.");
    if (isViewer()) return tell("This device may only read: nothing was changed.");
    this.write("/tactus/" + name, ...args);
  },

  value(name) { return this.values.get("/tactus/" + name); },
};

// The token is in the fragment, which browsers never send. It is removed from the address.
let token = storage.get("token");
const given = /[#&]t=([A-Za-z0-9_-]+)/.exec(location.hash);
if (given) {
  token = given[1];
  storage.set("token", token);
  history.replaceState(null, "", location.pathname);
}

let noteTimer;
function tell(text) {
  $("note").textContent = text;
  $("note").hidden = false;
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => { $("note").hidden = true; }, 6000);
}
// What was told of a session no longer applies to the next one. A refusal repeats the value of this one.
let notedSession = null;
connection.on("/tactus/session", ([path]) => {
  if (path !== notedSession) $("note").hidden = true;
  notedSession = path;
});

const isViewer = () => document.body.classList.contains("viewer");
const value = (name, listener) => connection.on("/tactus/" + name, listener);

value("error", ([address, reason]) => {
  // Warnings are not about the user's action. On stage they would only cover the beat.
  if (address || $("stage").hidden) tell(reason);
  // The control shows the known value again. A query could be a command: some addresses act without arguments.
  if (connection.values.has(address)) connection.tellListeners(address);
});

// MARK: Time

/** The offset of the server's clock from this page's, from the quickest of the last sixteen round trips. */
const clock = {
  samples: [], sent: new Map(), number: 0, offset: null,
  restart() {
    this.samples = [];
    this.sent.clear();
    for (let i = 0; i < 5; i++) setTimeout(() => this.ping(), i * 120);
  },
  ping() {
    if (!connection.isOpen) return;
    this.number = (this.number + 1) & 0xffff;
    this.sent.set(this.number, performance.now());
    if (this.sent.size > 8) this.sent.delete(this.sent.keys().next().value);
    connection.write("/tactus/time", ["i", this.number]);
  },
  answer([number, time]) {
    const now = performance.now(), sent = this.sent.get(number);
    this.sent.delete(number);
    if (sent === undefined || !time) return;
    this.samples.push({ trip: now - sent, offset: time - (now + sent) / 2 });
    if (this.samples.length > 16) this.samples.shift();
    this.offset = this.samples.reduce((best, one) => one.trip < best.trip ? one : best).offset;
  },
  /** Converts a time of the server's clock to this page's clock. */
  local(time) { return this.offset === null || time === null ? performance.now() : time - this.offset; },
};
connection.on("/tactus/now", (args) => clock.answer(args));
setInterval(() => {
  // Detects a connection that has ended without a close, or was never established.
  const now = performance.now(), asked = Math.min(...clock.sent.values());
  const isDead = connection.isOpen && now - asked > 4000 && connection.heard < asked;
  if (isDead || connection.isStuck(now)) connection.lose(); else clock.ping();
}, 2000);
addEventListener("online", () => { if (!connection.isOpen) connection.lose(); });
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  connection.delay = 250;
  if (connection.isOpen) clock.restart(); else connection.lose();
  screen.stayOn();
});

// MARK: Music

const isSession = () => (connection.value("song") || [0])[0] > 0;
const isPlaying = () => (connection.value("toggle") || [0])[0] === 1;

/** The tempo that sounds; 0 while it changes. */
function soundingTempo() {
  const sounding = connection.value("sounding");
  if (sounding && sounding[1] > 0) return sounding[0];
  return (connection.value("tempo") || [120])[0];
}

/** The meter that sounds, and whether it is the metronome's own. */
function soundingMeter() {
  const sounding = connection.value("sounding");
  const isOwn = !(sounding && sounding[1] > 0);
  return [...isOwn ? connection.value("meter") || [4, 4] : sounding.slice(1, 3), isOwn];
}

/** Beats that have not sounded yet. Tactus reports them half a second ahead. */
const beats = {
  queue: [],
  clear() { this.queue = []; },

  /** Stores the server's time, because the clock offset becomes more exact with each answer. */
  add([bar, beat, role, strength], time) { this.queue.push({ bar, beat, role, strength, time }); },

  revoke(time) { this.queue = this.queue.filter((one) => one.time < time - 1); },

  /** Draws the beats that are nearer to this frame of the display than to the next one. */
  frame(now, interval) {
    const due = now + interval / 2 + screen.lead;
    const isReady = (one) => clock.local(one.time) <= due;
    if (!this.queue.some(isReady)) return;
    const ready = this.queue.filter(isReady);
    this.queue = this.queue.filter((one) => !isReady(one));
    for (const one of ready) {
      // The page was suspended.
      if (clock.local(one.time) < now - 400) continue;
      if (one.role === "subdivision") { screen.vibrate(one); continue; }
      lights.show(one);
      stage.show(one);
      screen.flash(one);
    }
  },
};
connection.on("/tactus/beat/ahead", (args, time) => beats.add(args, time));
connection.on("/tactus/beat/revoked", (args, time) => beats.revoke(time));
// Subdivisions are reported when they are rendered. Layers are not shown.
connection.on("/tactus/beat", (args, time) => { if (args[2] === "subdivision" && screen.shakes) beats.add(args, time); });

const lights = {
  count: 4,
  build() {
    const accents = pattern();
    this.count = accents.length;
    const box = $("lights");
    box.classList.toggle("many", accents.length > 8);
    box.replaceChildren(...accents.map((kind, index) => element("span", { className: "light " + kind, textContent: index + 1 })));
  },
  show(one) {
    const box = $("lights");
    while (one.beat > box.children.length && box.children.length < 99) {
      box.append(element("span", { className: "light beat", textContent: box.children.length + 1 }));
      this.count = box.children.length;
    }
    [...box.children].forEach((light, index) => light.classList.toggle("on", index === one.beat - 1));
    const isCount = one.bar < 1;
    $("place").textContent = isCount ? `Count-in, beat ${one.beat}` : `Bar ${one.bar}, beat ${one.beat}`;
  },
  rest() {
    for (const light of $("lights").children) light.classList.remove("on");
    const state = (connection.value("state") || ["idle"])[0];
    $("place").textContent = state === "idle" ? "Stopped" : state[0].toUpperCase() + state.slice(1);
  },
};

const kinds = { X: "accent", x: "beat", o: "soft", ".": "silent" };
/** The kind of each beat of the bar, as set. */
function pattern() {
  const [notes, unit, isOwn] = soundingMeter();
  const [up, down] = connection.value("beat-unit") || [0, 0];
  const count = isOwn && up > 0 ? Math.max(1, Math.ceil(notes / unit / (up / down) - 1e-9)) : notes;
  const text = isOwn ? (connection.value("accents") || [""])[0] : "";
  if (text) return [...text].map((letter) => kinds[letter] || "beat");
  const starts = new Set([0]);
  let place = 0;
  for (const group of isOwn ? ((connection.value("groups") || [""])[0]).split("+").map(Number) : []) {
    if (group > 0) { starts.add(place); place += group; }
  }
  return Array.from({ length: Math.min(count, 99) }, (_, index) => starts.has(index) ? "accent" : "beat");
}

// MARK: This screen

const screen = {
  lead: Number(storage.get("lead") || 0), flashes: storage.get("flash") || "off",
  shakes: storage.get("vibrate") === "1", lock: null,
  flash(one) {
    this.vibrate(one);
    const isAccent = one.role === "accent";
    if (!one.strength || this.flashes === "off" || this.flashes === "accent" && !isAccent) return;
    $("flash").className = isAccent ? "accent" : "beat";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { $("flash").className = ""; }, 70);
  },
  vibrate(one) {
    if (!this.shakes || !one.strength || !navigator.vibrate) return;
    navigator.vibrate(one.role === "accent" ? 60 : one.role === "beat" ? 25 : 8);
  },
  async stayOn() {
    if (storage.get("awake") !== "1" || !navigator.wakeLock || document.hidden) return;
    try { this.lock = await navigator.wakeLock.request("screen"); } catch {}
  },
};

const stage = {
  show(one) {
    const beat = $("stage-beat");
    beat.textContent = one.beat;
    beat.classList.add("on");
    beat.classList.toggle("accent", one.role === "accent");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => beat.classList.remove("on", "accent"), 140);
    this.bar(one.bar);
  },
  bar(bar) {
    const section = connection.value("section");
    $("stage-bar").textContent = isSession() && section && section[2] > 0
      ? `Bar ${section[2]}${section[3] ? " of " + section[3] : ""}` : bar > 0 ? `Bar ${bar}` : bar < 1 ? "Count-in" : "";
  },
  fill() {
    const song = connection.value("song") || [0, 0, ""], section = connection.value("section") || ["", "", 0, 0];
    $("stage-song").textContent = isSession() ? song[2] || `Song ${song[0]}` : `${number(soundingTempo())} beats a minute`;
    $("stage-section").textContent = isSession() ? section[0] : soundingMeter().slice(0, 2).join("/");
    $("stage-section").style.borderColor = safeColour(section[1]) || "transparent";
    const next = (connection.value("upcoming") || [""])[0];
    $("stage-next").textContent = next ? "Next: " + next : "";
    if (!isPlaying()) { $("stage-beat").textContent = "–"; }
  },
};

const number = (value) => Number(value).toFixed(3).replace(/\.?0+$/, "");
const safeColour = (text) => text && CSS.supports("color", text) ? text : "";
const minutes = (seconds) => seconds < 0 ? "open" : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

// MARK: Controls

/** Sends only the newest value, once per frame of the display. */
function gathered(send) {
  let waiting = null;
  return (value) => {
    if (waiting === null) requestAnimationFrame(() => { const last = waiting; waiting = null; send(last); });
    waiting = value;
  };
}

function fader(label, name, { mute, type = "f", min = 0, max = 1, step = 0.01, show = (v) => Math.round(v * 100) + "%" } = {}) {
  const id = "f-" + name.replace(/\//g, "-");
  const input = element("input", { type: "range", id, min, max, step });
  const output = element("output", { htmlFor: id });
  let touched = -1e9;
  const send = gathered((value) => connection.send(name, [type, value]));
  input.addEventListener("input", () => {
    touched = performance.now();
    output.textContent = show(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
    send(Number(input.value));
  });
  const fill = ([value]) => {
    input.value = value;
    output.textContent = show(value);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  value(name, (args) => {
    // While the fader is moved, received values are older than its own.
    if (performance.now() - touched > 400) return fill(args);
    clearTimeout(input.settle);
    input.settle = setTimeout(() => fill(connection.value(name)), 450);
  });
  const made = element("div", { className: mute ? "fader" : "fader bare" }, element("label", { htmlFor: id, textContent: label }), output, input);
  if (mute) {
    const button = element("button", { textContent: "Mute", "aria-label": `Mute ${label}`, "aria-pressed": "false" });
    button.addEventListener("click", () => connection.send(mute, ["i", button.getAttribute("aria-pressed") === "true" ? 0 : 1]));
    value(mute, ([on]) => { button.setAttribute("aria-pressed", on ? "true" : "false"); button.textContent = on ? "Muted" : "Mute"; });
    made.append(button);
  }
  return made;
}

function field(label, control) {
  const made = element("div", { className: "field" });
  control.id = control.id || "c-" + label.toLowerCase().replace(/\W+/g, "-");
  made.append(element("label", { htmlFor: control.id, textContent: label }), control);
  return made;
}

function select(choices, change) {
  const made = element("select", {}, ...choices.map(([value, text]) => element("option", { value, textContent: text })));
  made.addEventListener("change", () => change(made.value));
  made.fill = (wanted, text = wanted) => {
    if (![...made.options].some((one) => one.value === String(wanted))) made.append(element("option", { value: wanted, textContent: text }));
    made.value = wanted;
  };
  return made;
}

/** A text field that sends its text on blur or Enter, and shows the previous text again if it is refused. */
function entry(name, properties = {}) {
  const made = element("input", { autocomplete: "off", autocapitalize: "off", spellcheck: false, enterKeyHint: "done", ...properties });
  made.addEventListener("change", () => connection.send(name, ["s", made.value.trim()]));
  made.addEventListener("keydown", (event) => { if (event.key === "Enter") made.blur(); });
  value(name, ([text]) => { made.value = text; });
  return made;
}

/** A list that Tactus sends in pages of 64 rows. Each message contains the row's number, the number of rows, and the row. */
class List {
  /** wantsWhole: false for a list that may be very long. Then only the rows around one of them are requested. */
  constructor(name, draw, { wantsWhole = true } = {}) {
    Object.assign(this, { name, draw, wantsWhole, rows: new Map(), first: 1, count: 0, isBrowsed: false });
    value(name, (args) => this.receive(args));
  }
  refresh(around = 1) {
    this.isBrowsed = false;
    this.first = this.wantsWhole || around <= 56 ? 1 : around - 8;
    this.ask(this.first);
  }
  /** Shows the previous or next page, until the list is refreshed. */
  browse(step) {
    this.isBrowsed = true;
    this.first = Math.max(1, this.first + step * 64);
    this.ask(this.first);
  }
  get hasBefore() { return this.first > 1; }
  get hasAfter() { return this.first + 63 < this.count; }
  ask(first) { connection.write("/tactus/" + this.name, ...first > 1 ? [["i", first]] : []); }
  receive([index, count, ...row]) {
    if (index === 0 || index === this.first) this.rows.clear();
    this.count = count;
    if (index > 0) this.rows.set(index, row);
    const isPageEnd = (index - this.first) % 64 === 63;
    if (isPageEnd && this.wantsWhole && index < count) this.ask(index + 1);
    if (isPageEnd || index === 0 || index === count) this.draw();
  }
}

/** A list of buttons, one of which may be pressed. Unchanged buttons are not replaced, because a finger may be on one. */
function fillList(id, items, hint = "") {
  const list = $(id), texts = JSON.stringify(items.map(({ text, facts }) => [text, facts]));
  if (list.texts !== texts) {
    list.texts = texts;
    list.replaceChildren(...items.map(({ text, facts = "" }, index) => {
      const button = element("button", {}, text, ...facts ? [element("small", { textContent: facts })] : []);
      button.addEventListener("click", () => list.acts[index]());
      return element("li", {}, button);
    }));
    if (!items.length && hint) list.append(element("li", { className: "hint", textContent: hint }));
  }
  list.acts = items.map(({ act }) => act);
  [...list.querySelectorAll("button")].forEach((button, index) => {
    const { isCurrent, isOff = false } = items[index];
    button.setAttribute("aria-pressed", isCurrent ? "true" : "false");
    button.disabled = isOff || isViewer();
  });
}

function press(name) { connection.send(name); }
for (const button of document.querySelectorAll("[data-press]")) {
  button.addEventListener("click", () => press(button.dataset.press));
}

// MARK: Play

function nudge(step) { connection.send("tempo/nudge", ["f", step]); }
for (const button of document.querySelectorAll("[data-nudge]")) {
  button.addEventListener("click", () => nudge(Number(button.dataset.nudge)));
}
for (const id of ["start", "session-toggle"]) $(id).addEventListener("click", () => press("toggle"));
$("tap").addEventListener("pointerdown", (event) => {
  event.preventDefault();
  connection.send("tap", ["d", performance.now() / 1000]);
});
$("tap").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.key !== " " || event.repeat) return;
  event.preventDefault();
  connection.send("tap", ["d", performance.now() / 1000]);
});

const tempo = {
  from: null, moved: 0, sent: 0,
  type(first = "") {
    if (isViewer()) return;
    $("tempo-form").hidden = false;
    $("tempo-input").value = first || number(soundingTempo());
    $("tempo-input").focus();
    if (!first) $("tempo-input").select();
  },
  leave() { $("tempo-form").hidden = true; $("tempo").focus(); },
  set(text) {
    const wanted = Number(text.replace(",", "."));
    if (!(wanted > 0)) return tell(`${text} is not a tempo: type a number such as 96 or 133.5`);
    if (isSession()) {
      const sounding = soundingTempo();
      if (!sounding) return tell("The tempo changes here: it can be nudged, not set");
      connection.send("tempo/nudge", ["f", wanted - sounding]);
    } else connection.send("tempo", ["f", wanted]);
  },
};
$("tempo").addEventListener("pointerdown", (event) => {
  $("tempo").setPointerCapture(event.pointerId);
  tempo.from = event.clientY;
  tempo.moved = 0;
  tempo.sent = 0;
});
$("tempo").addEventListener("pointermove", (event) => {
  if (tempo.from === null) return;
  tempo.moved = tempo.from - event.clientY;
  // Five pixels per beat a minute. The first eight may come from a trembling finger.
  const wanted = Math.abs(tempo.moved) < 8 ? 0 : Math.trunc((Math.abs(tempo.moved) - 3) / 5) * Math.sign(tempo.moved);
  if (wanted === tempo.sent) return;
  nudge(wanted - tempo.sent);
  tempo.sent = wanted;
});
$("tempo").addEventListener("pointerup", () => {
  if (tempo.from !== null && Math.abs(tempo.moved) < 8) tempo.type();
  tempo.from = null;
});
$("tempo").addEventListener("pointercancel", () => { tempo.from = null; });
$("tempo").addEventListener("wheel", (event) => { event.preventDefault(); nudge(event.deltaY < 0 ? 1 : -1); }, { passive: false });
$("tempo").addEventListener("keydown", (event) => {
  const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 };
  if (steps[event.key]) { event.preventDefault(); nudge(steps[event.key]); }
  else if (event.key === "Enter") { event.preventDefault(); tempo.type(); }
  else if (/^[0-9]$/.test(event.key)) { event.preventDefault(); tempo.type(event.key); }
});
$("tempo-form").addEventListener("submit", (event) => { event.preventDefault(); tempo.set($("tempo-input").value); tempo.leave(); });
$("tempo-input").addEventListener("keydown", (event) => { if (event.key === "Escape") tempo.leave(); });
$("tempo-input").addEventListener("blur", () => setTimeout(() => { if (document.activeElement.parentElement !== $("tempo-form")) $("tempo-form").hidden = true; }, 150));

function fillTempo() {
  const sounding = soundingTempo(), text = sounding ? number(sounding) : "…";
  $("tempo-number").textContent = text;
  $("tempo-number").classList.toggle("long", text.length > 5);
  $("tempo").setAttribute("aria-valuenow", sounding);
  $("tempo").setAttribute("aria-valuetext", sounding ? `${text} beats a minute` : "changing");
  stage.fill();
}

function fillPlaying() {
  const on = isPlaying();
  for (const id of ["start", "session-toggle"]) {
    $(id).textContent = on ? isSession() ? "Pause" : "Stop" : "Start";
    $(id).setAttribute("aria-pressed", on);
  }
  if (!on) { beats.clear(); lights.rest(); stage.fill(); }
}
for (const name of ["toggle", "state", "song"]) value(name, fillPlaying);
for (const name of ["tempo", "sounding", "song"]) value(name, fillTempo);
for (const name of ["meter", "beat-unit", "accents", "groups", "sounding"]) value(name, () => { lights.build(); fillPattern(); stage.fill(); });

value("song/nudge", ([by]) => {
  $("nudge").hidden = by === 0;
  $("nudge-amount").textContent = `${by > 0 ? "+" : "−"}${number(Math.abs(by))} beats a minute`;
});

const presets = new List("presets", () => {
  const current = (connection.value("preset") || [0])[0];
  $("presets-card").hidden = !presets.rows.size;
  $("presets").replaceChildren(...[...presets.rows].map(([index, [name, tempo]]) => {
    const button = element("button", { textContent: `${name} · ${number(tempo)}`, "aria-pressed": index === current ? "true" : "false", disabled: isViewer() });
    button.addEventListener("click", () => connection.send("preset", ["i", index]));
    return button;
  }));
}, { wantsWhole: false });
value("preset", ([, count]) => { if (count !== presets.rows.size) presets.refresh(); presets.draw(); });

// MARK: Mix

for (const [label, name, mute] of [
  ["Mix", "volume", "mute"], ["Accent", "volume/accent", "mute/accent"], ["Beat", "volume/beat", "mute/beat"],
  ["Subdivision", "volume/subdivision", "mute/subdivision"], ["Cue", "volume/cue", "mute/cue"],
]) $("mix-voices").append(fader(label, name, { mute }));
for (let parts = 2; parts <= 9; parts++) $("mix-subdivisions").append(fader(`${parts} a beat`, `subdivision/${parts}`));
for (let layer = 1; layer <= 8; layer++) {
  const made = fader(`Layer ${layer}`, `volume/layer-${layer}`);
  made.hidden = true;
  for (const name of [`layer/${layer}`, "section/layers", "song"]) value(name, () => {
    made.hidden = isSession() ? !(connection.value("section/layers") || [""])[0].split(" ").includes(String(layer)) : !(connection.value(`layer/${layer}`) || [""])[0];
    $("mix-layers").hidden = ![...$("mix-layers").querySelectorAll(".fader")].some((one) => !one.hidden);
  });
  $("mix-layers").append(made);
}
$("mix-layers").hidden = true;
const soundChoice = select([], (name) => connection.send("sound", ["s", name]));
const fillSound = () => { const [name] = connection.value("sound") || [""]; if (name) soundChoice.fill(name, name.split("/").pop()); };
const sounds = new List("sounds", () => {
  soundChoice.replaceChildren(...[...sounds.rows.values()].map(([name]) => element("option", { value: name, textContent: name })));
  fillSound();
});
value("sound", fillSound);
$("mix-sound").append(field("Sound set", soundChoice));

// MARK: Pattern

const integer = (label, properties, change) => {
  const made = element("input", { type: "number", inputMode: "numeric", step: 1, ...properties });
  made.addEventListener("change", () => change(Math.round(Number(made.value))));
  return made;
};
const notes = integer("Beats", { id: "meter-notes", min: 1, max: 99 }, (count) => connection.send("meter", ["i", count], ["i", Number(units.value)]));
const units = select([1, 2, 4, 8, 16, 32].map((one) => [one, `1/${one}`]), (unit) => connection.send("meter", ["i", Number(notes.value)], ["i", Number(unit)]));
units.id = "meter-unit";
const names = { "0/0": "as the meter", "1/1": "whole", "1/2": "half", "3/4": "dotted half", "1/4": "quarter", "3/8": "dotted quarter", "1/8": "eighth", "3/16": "dotted eighth", "1/16": "sixteenth" };
const beatUnit = select(Object.entries(names), (text) => { const [up, down] = text.split("/").map(Number); connection.send("beat-unit", ["i", up], ["i", down]); });
$("meter-fields").append(field("Notes in a bar", notes), field("of", units), field("The tempo counts", beatUnit));
value("meter", ([count, unit]) => { notes.value = count; units.fill(unit, `1/${unit}`); });
value("beat-unit", ([up, down]) => beatUnit.fill(`${up}/${down}`));
$("group-fields").append(field("Groups, such as 3+2+2", entry("groups")), field("As text: X x o .", entry("accents", { id: "accents-text" })));

function fillPattern() {
  const accents = pattern(), box = $("accents");
  const letters = Object.fromEntries(Object.entries(kinds).map(([letter, kind]) => [kind, letter]));
  const words = { accent: "accent", beat: "beat", soft: "soft", silent: "silent" };
  const focus = [...box.children].indexOf(document.activeElement);
  box.replaceChildren(...accents.map((kind, index) => {
    const button = element("button", { className: kind, "aria-label": `Beat ${index + 1}: ${words[kind]}` },
      element("b", { textContent: index + 1 }), element("small", { textContent: words[kind] }));
    button.disabled = isSession() || isViewer();
    button.addEventListener("click", () => {
      const order = ["accent", "beat", "soft", "silent"], next = pattern();
      next[index] = order[(order.indexOf(next[index]) + 1) % 4];
      connection.send("accents", ["s", next.map((one) => letters[one]).join("")]);
    });
    return button;
  }));
  if (focus >= 0 && box.children[focus]) box.children[focus].focus();
}

$("feel").append(fader("Swing", "swing", { show: (v) => v ? Math.round(50 + v * 25) + " : " + Math.round(50 - v * 25) : "straight" }));
const [soundingBars, silentBars] = ["gap-sound", "gap-silent"].map((id) => integer("gap", { id, min: 0, max: 99 }, () => sendGap()));
function sendGap() {
  const [on, off] = [Number(soundingBars.value), Number(silentBars.value)];
  if (!on && off) return;
  connection.send("gap", ["i", off ? on : 0], ["i", on ? off : 0]);
}
/** In a session this is the player's own gap, in addition to the bars that the document silences. */
function fillGap() {
  const [on, off] = connection.value(isSession() ? "song/gap" : "gap") || [0, 0];
  [soundingBars.value, silentBars.value] = [off ? on : 0, off];
}
for (const name of ["gap", "song/gap", "song"]) value(name, fillGap);
$("feel").append(element("div", { className: "row fields" }, field("Bars that sound", soundingBars), field("Bars that are silent", silentBars)));
const quantise = select([["now", "at once"], ["beat", "on the beat"], ["bar", "on the bar"]], (name) => connection.send("quantise", ["s", name]));
value("quantise", ([name]) => quantise.fill(name));
$("feel").append(field("Changes take effect", quantise));
for (let layer = 1; layer <= 8; layer++) {
  const made = field(`Layer ${layer}`, entry(`layer/${layer}`, { id: `layer-${layer}` }));
  $("layers").append(made);
  // Shows the layers that are used, and the next one.
  const fill = () => { made.hidden = layer > 1 && !(connection.value(`layer/${layer}`) || [""])[0] && !(connection.value(`layer/${layer - 1}`) || [""])[0]; };
  fill();
  value(`layer/${layer}`, fill);
  value(`layer/${layer - 1}`, fill);
}

// MARK: Session

/**
 * Opens a document, or closes it if the name is empty. Both stop the music. While it plays a second touch is needed, because one wrong
 * touch must not end it.
 */
function openDocument(name, warning) {
  const now = performance.now(), isAsked = asked.name === name && now - asked.time < 6000;
  if (isPlaying() && !isAsked) {
    asked = { name, time: now };
    return tell(warning);
  }
  asked = { name: null, time: 0 };
  connection.send("session", ["s", name]);
}
let asked = { name: null, time: 0 };

const documents = new List("sessions", () => {
  const path = (connection.value("session") || [""])[0];
  fillList("documents", [...documents.rows.values()].map(([name, title, songs, seconds, tempo]) => ({
    text: title || name,
    facts: !songs ? "Has faults, can't be played"
      : [songs > 1 ? `${songs} songs` : "", seconds > 0 ? minutes(seconds) : "", tempo ? number(tempo) + " a minute" : ""].filter(Boolean).join(" · "),
    isCurrent: path && path.endsWith("/" + name), isOff: !songs,
    act: () => openDocument(name, `${title || name} stops the music. Touch it again to open it.`),
  })), "Songs and setlists in the session folder are listed here. The folder contains none.");
});
value("session", () => documents.draw());

const songs = new List("songs", () => {
  const [current] = connection.value("song") || [0];
  $("setlist").hidden = songs.rows.size < 2;
  fillList("songs", [...songs.rows].map(([index, [title]]) => ({
    text: `${index}. ${title || "Untitled"}`, isCurrent: index === current, act: () => connection.send("song", ["i", index]),
  })));
});
const sections = new List("sections", () => {
  const [current] = connection.value("section/number") || [0];
  $("section-list").hidden = sections.rows.size < 2;
  fillList("sections", [...sections.rows].map(([index, [name, label, bars]]) => ({
    text: name || label || `Section ${index}`, facts: bars ? bars === 1 ? "1 bar" : `${bars} bars` : "", isCurrent: index === current,
    act: () => connection.send("goto", ["i", index]),
  })));
  $("section-pages").hidden = !sections.hasBefore && !sections.hasAfter;
  $("sections-before").disabled = !sections.hasBefore;
  $("sections-after").disabled = !sections.hasAfter;
}, { wantsWhole: false });
for (const [id, step] of [["sections-before", -1], ["sections-after", 1]]) $(id).addEventListener("click", () => sections.browse(step));
function readSong() {
  songs.refresh();
  sections.refresh((connection.value("section/number") || [1])[0]);
}
value("session", readSong);
let lastSong = "";
// Each jump sends it again, which must not reload the list.
value("song", (args) => { if (lastSong !== (lastSong = String(args))) readSong(); });
function fillSections() {
  const [current] = connection.value("section/number") || [0], [name] = connection.value("section") || [""], known = sections.rows.get(current);
  const isThere = known && known[0] === name;
  // The document was read again, or the music is on another page of a long list and the user does not browse it.
  if (current > 0 && !isThere && (known || !sections.isBrowsed)) return sections.refresh(current);
  if (isThere) sections.isBrowsed = false;
  sections.draw();
}
let sectionTimer;
for (const name of ["section", "section/number"]) value(name, () => { clearTimeout(sectionTimer); sectionTimer = setTimeout(fillSections, 50); });
$("refresh-documents").addEventListener("click", () => documents.refresh());
$("close-session").addEventListener("click", () => openDocument("", "Closing the session stops the music. Touch it again to close it."));
$("hold").addEventListener("click", () => connection.send("hold", ["i", $("hold").getAttribute("aria-pressed") === "true" ? 0 : 1]));
value("hold", ([on]) => { $("hold").setAttribute("aria-pressed", on ? "true" : "false"); $("hold").textContent = on ? "Held" : "Hold"; });
// The first press marks the bar that plays as the first, the second marks the last, the third lets the music continue.
function showLoop() {
  const [, from] = connection.value("loop/from") || [0, 0];
  const [section, first, end, last] = connection.value("loop") || [0, 0, 0, 0];
  $("loop").setAttribute("aria-pressed", first > 0 ? "true" : "false");
  $("loop").textContent = from > 0 ? `Loop from bar ${from}: press in its last bar`
    : first === 0 ? "Loop bars"
    : section === end ? `Looping ${first}–${last}: press to end`
    : `Looping ${section}:${first} – ${end}:${last}: press to end`;
}
value("loop", showLoop);
value("loop/from", showLoop);
$("speed-field").append(fader("Speed", "speed", { type: "i", min: 10, max: 200, step: 1, show: (v) => v + "%" }));

function fillSession() {
  const song = connection.value("song") || [0, 0, ""], section = connection.value("section") || ["", "", 0, 0];
  const left = connection.value("left") || [-1, -1];
  $("now-playing").hidden = !isSession();
  for (const one of document.querySelectorAll(".session-only")) one.hidden = !isSession();
  for (const one of $("pattern").querySelectorAll("input, select")) one.disabled = isSession() && ![quantise, soundingBars, silentBars].includes(one) || isViewer();
  $("song-number").textContent = song[1] > 1 ? `Song ${song[0]} of ${song[1]}` : "";
  $("song-title").textContent = song[2] || "Untitled";
  $("section-name").textContent = section[0] || "–";
  $("section-name").style.borderColor = safeColour(section[1]);
  // A section whose length is a time has no number of bars, but ends by itself.
  const end = section[3] ? " of " + section[3] : left[0] < 0 ? ", until you go on" : "";
  $("section-bar").textContent = section[2] ? `Bar ${section[2]}${end}` : "";
  $("section-progress").hidden = !section[3];
  $("section-progress").value = section[3] ? section[2] / section[3] : 0;
  $("left-section").textContent = minutes(left[0]);
  $("left-song").textContent = minutes(left[1]);
  $("upcoming").textContent = (connection.value("upcoming") || [""])[0] || "the end";
  stage.fill();
}
for (const name of ["song", "section", "left", "upcoming", "session"]) value(name, fillSession);

// MARK: Timing

/** The player's hits, relative to the clicks. */
const timing = {
  reach: 50, shown: 32, hits: [], history: [], total: 0,

  hit([bar, beat, part, drum, milliseconds]) {
    this.hits.push(milliseconds);
    if (this.hits.length > this.shown) this.hits.shift();
    this.wants = true;
  },

  summary([total, missed, mean, spread, drift, inside, isCalibrated]) {
    if (total < this.total || total === 0) { this.hits = []; this.history = []; }
    this.total = total;
    const window = (connection.value("listen/window") || [20])[0];
    const words = total === 0 ? "Listening" : Math.abs(mean) < 0.5 ? "On the click" : `${Math.abs(mean).toFixed(0)} ms ${mean < 0 ? "early" : "late"}`;
    $("timing-mean").textContent = words;
    $("timing-words").textContent = total < 2 ? "" : `Spread ${spread.toFixed(0)} ms · ${Math.round(inside * 100)} % within ${number(window)} ms`;
    $("timing-counts").textContent = total === 1 ? "1 hit" : `${total} hits` + (missed ? `, ${missed} clicks missed` : "");
    $("timing-calibrated").textContent = isCalibrated ? "The inputs are calibrated." : "Not calibrated: the spread is right, early and late are not.";
    const now = performance.now(), last = this.history.at(-1);
    if (total > 1 && (!last || now - last.at > 1000)) this.history.push({ at: now, mean, spread });
    while (this.history.length > 180) this.history.shift();
    if (!this.described || now - this.described > 2000) {
      this.described = now;
      $("hits").setAttribute("aria-label", `The last ${this.hits.length} hits: ${words}. ${$("timing-words").textContent}`);
    }
    this.wants = true;
  },

  report([section, ...lines]) {
    $("timing-report").hidden = !lines.length;
    $("timing-report").querySelector("h2").textContent = section || "The last take";
    $("timing-report").querySelector("ul").replaceChildren(...lines.map((text) => element("li", { textContent: text })));
  },

  /** A canvas at the resolution of the display, and the page's colours. */
  canvas(id) {
    const canvas = $(id), ratio = devicePixelRatio || 1, style = getComputedStyle(document.body);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    return { context, width, height, colour };
  },

  draw() {
    if (!this.wants || $("timing").hidden) return;
    this.wants = false;
    this.drawHits();
    this.drawHistory();
  },

  /** Early is left. The newest hit is the lowest row; a hit outside the window is a ring. */
  drawHits() {
    const { context, width, height, colour } = this.canvas("hits");
    const target = (connection.value("listen/target") || [0])[0], window = (connection.value("listen/window") || [20])[0];
    const x = (ms) => width / 2 + Math.max(-1, Math.min(1, ms / this.reach)) * (width / 2 - 12);
    context.fillStyle = colour("off");
    context.globalAlpha = 0.6;
    context.fillRect(x(target - window), 0, x(target + window) - x(target - window), height);
    context.globalAlpha = 1;
    context.fillStyle = colour("ink");
    context.fillRect(x(0) - 1, 0, 2, height);
    this.hits.forEach((ms, index) => {
      const age = this.hits.length - 1 - index, radius = age === 0 ? 9 : 5;
      context.globalAlpha = 1 - age / this.shown * 0.7;
      context.beginPath();
      context.arc(x(ms), height - 14 - age * (height - 28) / (this.shown - 1), radius, 0, 2 * Math.PI);
      context.fillStyle = context.strokeStyle = colour("accent");
      context.lineWidth = 2;
      if (Math.abs(ms - target) <= window) context.fill(); else context.stroke();
    });
    context.globalAlpha = 1;
  },

  drawHistory() {
    const { context, width, height, colour } = this.canvas("timing-history");
    const y = (ms) => height / 2 + Math.max(-1, Math.min(1, ms / this.reach)) * (height / 2 - 2);
    const step = width / 180, points = this.history.map((one, index) => ({ ...one, x: index * step }));
    context.fillStyle = colour("line");
    context.fillRect(0, y(0), width, 1);
    if (points.length < 2) return;
    context.beginPath();
    for (const one of points) context.lineTo(one.x, y(one.mean - one.spread));
    for (const one of points.toReversed()) context.lineTo(one.x, y(one.mean + one.spread));
    context.fillStyle = colour("off");
    context.fill();
    context.beginPath();
    for (const one of points) context.lineTo(one.x, y(one.mean));
    context.strokeStyle = colour("accent");
    context.lineWidth = 3;
    context.stroke();
  },
};
connection.on("/tactus/hit", (args) => timing.hit(args));
connection.on("/tactus/take", (args) => timing.report(args));
value("timing", (args) => timing.summary(args));
for (const name of ["listen/window", "listen/target"]) value(name, () => { timing.wants = true; });
addEventListener("resize", () => { timing.wants = true; });
let lastView = storage.get("view");
value("listening", ([on]) => {
  $("tab-timing").hidden = !on;
  // Only now is it known whether the view that was open last exists.
  if (on && lastView === "tab-timing") show($("tab-timing"));
  lastView = null;
  if (!on && !$("timing").hidden) show(tabs[0]);
});
const milliseconds = (name, properties) => {
  const made = integer(name, properties, (ms) => connection.send(name, ["f", ms]));
  value(name, ([ms]) => { made.value = ms; });
  return made;
};
const grid = integer("grid", { id: "timing-grid", min: 0, max: 8 }, (parts) => connection.send("listen/grid", ["i", parts]));
value("listen/grid", ([parts]) => { grid.value = parts; });
$("timing-fields").append(
  field("In time: within, in ms", milliseconds("listen/window", { id: "timing-window", min: 1, max: 100 })),
  field("Aim, ms after the click", milliseconds("listen/target", { id: "timing-target", min: -100, max: 100 })),
  field("Parts of a beat; 0: the clicks", grid));

// MARK: Stage

const flashes = select([["off", "never"], ["accent", "on accents"], ["beat", "on each beat"]], (mode) => { screen.flashes = mode; storage.set("flash", mode); });
flashes.fill(screen.flashes);
const lead = integer("lead", { id: "lead", min: -200, max: 200, value: screen.lead }, (ms) => { screen.lead = Math.max(-200, Math.min(200, ms || 0)); storage.set("lead", screen.lead); });
const toggle = (text, key, isPossible, change) => {
  const button = element("button", { textContent: text, "aria-pressed": storage.get(key) === "1" ? "true" : "false", disabled: !isPossible });
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", on);
    storage.set(key, on ? "1" : "0");
    change(on);
  });
  return button;
};
$("screen-fields").append(
  field("Flash the whole screen", flashes), field("Show beats earlier, in ms", lead),
  toggle("Vibrate", "vibrate", !!navigator.vibrate, (on) => { screen.shakes = on; }),
  toggle("Keep the screen on", "awake", !!navigator.wakeLock, (on) => { if (on) screen.stayOn(); else if (screen.lock) screen.lock.release(); }),
  toggle("Full screen", "full", !!document.documentElement.requestFullscreen, (on) => {
    if (on) document.documentElement.requestFullscreen().catch(() => {}); else if (document.fullscreenElement) document.exitFullscreen();
  }));
$("screen-hint").textContent = [
  "Flashing light can cause seizures in people who are sensitive to it.",
  navigator.vibrate ? "" : "This browser can't vibrate.",
  navigator.wakeLock ? "" : "Over plain http this browser can't keep the screen on: set the phone's auto-lock to never.",
].filter(Boolean).join(" ");

// MARK: Views and keys

const tabs = [...document.querySelectorAll("[role=tab]")];
function show(tab) {
  for (const other of tabs) {
    const isChosen = other === tab;
    other.setAttribute("aria-selected", isChosen);
    other.tabIndex = isChosen ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !isChosen;
  }
  storage.set("view", tab.id);
  if (tab.id === "tab-session" && connection.isOpen) documents.refresh();
  timing.wants = true;
  scrollTo(0, 0);
}
tabs.forEach((tab) => {
  tab.addEventListener("click", () => show(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const there = tabs.filter((one) => !one.hidden);
    const next = there[(there.indexOf(tab) + step + there.length) % there.length];
    show(next);
    next.focus();
  });
});
addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea, [role=tab]") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === " " && !event.target.closest("button, summary")) { event.preventDefault(); press("toggle"); }
  else if (event.key === "t") connection.send("tap", ["d", performance.now() / 1000]);
  else if (event.key === "n") press("next");
  else if (event.key === "p") press("previous");
});
$("pair-form").addEventListener("submit", (event) => { event.preventDefault(); connection.write("/tactus/pair", ["s", $("pin").value]); });

show($(lastView) && !$(lastView).hidden ? $(lastView) : tabs[0]);
lights.build();
fillPattern();
fillSession();
let lastFrame = 0, interval = 16;
function draw() {
  const now = performance.now();
  if (now - lastFrame < 50) interval += (now - lastFrame - interval) / 16;
  lastFrame = now;
  beats.frame(now, interval);
  timing.draw();
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
screen.stayOn();
connection.open();
