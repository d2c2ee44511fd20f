// The page around the worker: the editor, the tabs, and the state in the address.

const $ = (id) => document.getElementById(id);
const EXAMPLES = [
  { id: "annotation", title: "Annotation of a VM", name: "annotation.yaml", object: "annotation-object.yaml" },
  { id: "definition", title: "CustomResourceDefinition", name: "definition.yaml", object: "definition-object.yaml", old: "definition-old.yaml" },
  { id: "policy", title: "Admission policy", name: "policy.yaml", object: "policy-object.yaml" },
  { id: "rule-set", title: "RuleSet", name: "rule-set.yaml", object: "rule-set-object.yaml" },
  { id: "schema", title: "JSON Schema", name: "schema.json" },
];
const TABS = ["findings", "sentences", "targets", "costs", "verdict"];
const REQUESTS = { sentences: "sentences", targets: "targets", costs: "costs", verdict: "evaluate" };
// A request that takes longer is given up, and the worker with it.
const PATIENCE = 30_000;
const MOST_SHOWN = 300;

const state = { name: "rules.yaml", tab: "findings" };
let worker, waiting = new Map(), lastId = 0, run = 0, findings = [];

// Elements are made from text alone, so that nothing of an input is read as HTML.
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null));
  return made;
}

// Words between backticks are code.
const rich = (words) => words.split("`").map((part, index) => index % 2 ? el("code", {}, part) : part);

// Requests

function start() {
  worker = new Worker("worker.js");
  worker.onmessage = ({ data }) => settle(data);
  worker.onerror = (event) => [...waiting.keys()].forEach((id) => settle({ id, failed: event.message || "The worker stopped." }));
}

function settle({ id, answer, failed }) {
  const entry = waiting.get(id);
  if (!entry) return;
  clearTimeout(entry.timer);
  waiting.delete(id);
  entry.resolve(failed ? { error: failed, failed: true } : answer);
}

function ask(request) {
  const id = ++lastId;
  return new Promise((resolve) => {
    const timer = setTimeout(giveUp, PATIENCE);
    waiting.set(id, { resolve, timer });
    worker.postMessage({ id, request });
  });
}

function giveUp() {
  worker.terminate();
  start();
  const failed = `No answer after ${PATIENCE / 1000} seconds; the program was started again.`;
  [...waiting.keys()].forEach((id) => settle({ id, failed }));
}

// Editor

const text = $("text"), marks = $("marks"), lines = $("lines");

// UTF-16 indices of offsets in bytes of UTF-8.
function toIndices(value, offsets) {
  const sorted = [...new Set(offsets)].sort((one, other) => one - other);
  const found = new Map();
  let bytes = 0, at = 0;
  for (const char of value) {
    while (at < sorted.length && sorted[at] <= bytes) found.set(sorted[at++], found.index ?? 0);
    const code = char.codePointAt(0);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    found.index = (found.index ?? 0) + char.length;
  }
  while (at < sorted.length) found.set(sorted[at++], value.length);
  return found;
}

function paint() {
  const value = text.value;
  const placed = findings.slice(0, MOST_SHOWN).filter((it) => it.start && it.end);
  const indices = toIndices(value, placed.flatMap((it) => [it.start.offset, it.end.offset]));
  const spans = placed
    .map((it) => ({ from: indices.get(it.start.offset), to: indices.get(it.end.offset), level: it.level }))
    .sort((one, other) => one.from - other.from || other.to - one.to);
  const parts = [];
  let end = 0;
  for (const span of spans) {
    // Something that is missing has no width, and is shown at the character before if it is missing at the end of a line.
    const isEmpty = span.from === span.to;
    const from = Math.max(span.from - (isEmpty && (value[span.from] ?? "\n") === "\n" ? 1 : 0), end);
    const to = Math.max(span.to, Math.min(from + 1, value.length));
    if (from >= to) continue;
    parts.push(value.slice(end, from), el("mark", { class: span.level }, value.slice(from, to)));
    end = to;
  }
  parts.push(value.slice(end), "\n");
  marks.replaceChildren(...parts);
  const count = value.split("\n").length;
  const marked = new Map();
  for (const it of placed) if (marked.get(it.start.line) !== "error") marked.set(it.start.line, it.level);
  lines.replaceChildren(...(count > 20_000 ? [] : Array.from({ length: count }, (_, index) => {
    const level = marked.get(index + 1);
    return level ? el("span", { class: level }, `${index + 1}\n`) : `${index + 1}\n`;
  })));
  scroll();
}

function scroll() {
  marks.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  lines.style.transform = `translateY(${-text.scrollTop}px)`;
}

function jumpTo(found) {
  const indices = toIndices(text.value, [found.start.offset, found.end.offset]);
  text.focus();
  text.setSelectionRange(indices.get(found.start.offset), indices.get(found.end.offset));
  const height = parseFloat(getComputedStyle(text).lineHeight);
  text.scrollTop = Math.max(0, (found.start.line - 4) * height);
  scroll();
}

function jumpToLine(line) {
  const at = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  text.focus();
  text.setSelectionRange(at, at);
  text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
}

// Results

async function update() {
  const mine = ++run;
  save();
  const source = { text: text.value, name: state.name };
  say("checking …");
  const checked = await ask({ request: "check", ...source });
  if (mine !== run) return;
  findings = checked.findings ?? [];
  document.body.dataset.state = checked.error ? "failed" : "ready";
  if (!performance.getEntriesByName("first-result").length) performance.mark("first-result");
  paint();
  const counts = ["error", "warning", "info"].map((level) => [findings.filter((it) => it.level === level).length, level]);
  const words = counts.filter(([count]) => count > 0).map(([count, level]) => `${count} ${level}${count > 1 && level !== "info" ? "s" : ""}`);
  say(checked.error ?? (words.join(", ") || "no findings"));
  if (state.tab === "findings") return show(checked.error ? failure(checked) : findingList());
  const request = { request: REQUESTS[state.tab], ...source };
  if (state.tab === "verdict") {
    if (!$("object").value.trim()) return show(note("Write an object, in YAML or JSON, to see the verdict of the rules on it."));
    Object.assign(request, { object: $("object").value, old: $("old").value });
  }
  $("output").setAttribute("aria-busy", "true");
  const tab = state.tab, answer = await ask(request);
  if (mine !== run || tab !== state.tab) return;
  $("output").removeAttribute("aria-busy");
  if (answer.failed) say(answer.error);
  show(answer.error ? failure(answer) : VIEWS[tab](answer));
}

const say = (words) => { $("status").textContent = words; };
const show = (...nodes) => $("output").replaceChildren(...nodes.flat());
const note = (words) => el("p", { class: "note" }, words);
const failure = ({ error }) => el("p", { class: "failure" }, rich(error));
const badge = (word, kind = word) => el("span", { class: `badge ${kind.replaceAll(" ", "-")}` }, word);
const place = (line) => el("button", { type: "button", class: "place", onclick: () => jumpToLine(line) }, `line ${line}`);

function findingList() {
  if (!findings.length) return note("The other tabs show what the rules say, and where they can be enforced.");
  const fixable = findings.filter((it) => it.fix?.applicability === "safe").length;
  const all = fixable > 1 && el("button", { type: "button", id: "fix-all", onclick: () => repair(null) }, `Apply ${fixable} safe fixes`);
  const list = el("ol", { class: "findings" }, findings.slice(0, MOST_SHOWN).map(findingItem));
  const more = findings.length - MOST_SHOWN;
  return [all || null, list, more > 0 ? note(`and ${more} more`) : null].filter(Boolean);
}

function findingItem(found, index) {
  const at = found.start && el("button", { type: "button", class: "place", onclick: () => jumpTo(found) }, `${found.start.line}:${found.start.column}`);
  const label = found.fix?.applicability === "safe" ? "Fix" : "Fix, may change the meaning";
  const fix = found.fix && el("p", {}, el("button", { type: "button", class: "fix", onclick: () => repair(index) }, label), " ", rich(found.fix.title));
  return el("li", { class: found.level },
    el("p", {}, badge(found.level), el("code", { class: "code", title: found.name }, found.code), at || null),
    el("p", { class: "message" }, rich(found.message)),
    found.label ? el("p", { class: "label" }, rich(found.label)) : null,
    found.help ? el("p", { class: "help" }, rich(`help: ${found.help}`)) : null,
    fix || null);
}

async function repair(finding) {
  const request = { request: "repair", text: text.value, name: state.name };
  const answer = await ask(finding === null ? request : { ...request, finding });
  if (answer.error) return say(answer.error);
  text.value = answer.text;
  await update();
  $("panel").focus();
}

const VIEWS = {
  sentences({ rules }) {
    if (!rules.length) return note("There are no rules that have sentences here: annotations, RuleSets, and CEL in definitions and policies have them.");
    return el("dl", { class: "sentences" }, rules.flatMap((rule) => [
      el("dt", {}, el("code", {}, rule.name || "rule"), rule.line ? place(rule.line) : null),
      ...rule.sentences.map((sentence) => el("dd", {}, rich(sentence))),
      rule.unknown ? el("dd", { class: "help" }, `no formula: ${rule.unknown}`) : null,
    ].filter(Boolean)));
  },
  targets({ report }) {
    const words = ["exact", "wider", "narrower", "incomparable", "unsupported"];
    if (!report.targets.length) return note("No target expresses this source.");
    const used = words.filter((word) => report.targets.some((target) => target.totals[word] > 0));
    const head = el("tr", {}, el("th", { scope: "col" }, "Target"), used.map((word) => el("th", { scope: "col", class: "number" }, word)));
    const rows = report.targets.map((target) => el("tr", {}, el("th", { scope: "row" }, target.name),
      used.map((word) => el("td", { class: `number ${target.totals[word] ? word : "none"}` }, String(target.totals[word] || "–")))));
    // Rules and targets that differ for one reason are named together.
    const reasons = new Map();
    for (const rule of report.sets.flatMap((set) => set.rules)) {
      for (const [name, { fidelity, cause }] of Object.entries(rule.targets)) {
        if (fidelity === "exact" || !cause) continue;
        const key = `${fidelity} ${cause}`;
        if (!reasons.has(key)) reasons.set(key, { fidelity, cause, rules: new Set(), targets: new Set() });
        reasons.get(key).rules.add(rule.name);
        reasons.get(key).targets.add(name);
      }
    }
    const names = (set) => [...set].flatMap((name, index) => [index ? ", " : "", el("code", {}, name)]);
    const losses = [...reasons.values()].map(({ fidelity, cause, rules, targets }) => el("li", {},
      el("p", {}, badge(fidelity), el("b", {}, [...targets].join(", "))),
      el("p", {}, rich(cause)), el("p", { class: "help" }, rules.size > 1 ? "rules " : "rule ", names(rules))));
    return [
      el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Fidelity of targets" }, el("table", {}, el("thead", {}, head), el("tbody", {}, rows))),
      losses.length ? el("h2", {}, "What differs") : note("Every target says exactly what the rules say."),
      el("ul", { class: "losses" }, losses),
      ...(report.leftOut ?? report.left_out ?? []).map((it) => note(`${it.name} is left out: ${it.cause}`)),
    ];
  },
  costs({ definitions, kubernetes, limit, oldest }) {
    const parts = [];
    for (const found of oldest) {
      parts.push(el("p", {}, el("code", {}, found.name), found.kubernetes
        ? ` needs Kubernetes ${found.kubernetes} or newer` : " is rejected by the newest Kubernetes",
        found.reasons.length ? el("ul", {}, found.reasons.map((reason) => el("li", {}, rich(reason)))) : null));
    }
    for (const definition of definitions.filter((it) => it.rules.length)) parts.push(...costTable(definition, kubernetes, limit));
    return parts.length ? parts : note("Costs are estimated for rules in CEL of definitions, and for RuleSets.");
  },
  verdict({ objects, engine }) {
    if (!objects.length) return note("There is no object to evaluate.");
    return objects.map((object) => {
      const answer = object[engine];
      const head = el("p", {}, el("code", {}, object.name ?? `line ${object.line}`), answer ? badge(answer.verdict) : null,
        answer?.operation ? ` ${answer.operation}` : null);
      return el("section", { class: "verdict" }, head, object.error ? failure(object) : null, answer ? TRACES[engine](answer) : null);
    });
  },
};

function costTable({ name, version, rules, limited }, kubernetes, limit) {
  const share = (part) => part > 10
    ? `${part.toLocaleString("en", { maximumSignificantDigits: 2, notation: "compact", compactDisplay: "long" })} times`
    : `${(part * 100).toLocaleString("en", { maximumSignificantDigits: 2 })} %`;
  const format = (cost) => cost === null ? "–" : limited ? share(cost / limit) : cost.toLocaleString("en");
  // Neighbouring minors with the same costs share a column.
  const columns = [];
  kubernetes.forEach((minor, index) => {
    const last = columns.at(-1);
    const same = last && rules.every((rule) => rule.costs[index] === rule.costs[last.index]);
    if (same) last.to = minor; else columns.push({ index, from: minor, to: minor });
  });
  const heading = (it) => it.from === it.to ? it.from : `${it.from}–${it.to}`;
  const head = el("tr", {}, el("th", { scope: "col" }, "Rule"), columns.map((it) => el("th", { scope: "col", class: "number" }, heading(it))));
  const rows = rules.map((rule) => el("tr", {}, el("th", { scope: "row" }, place(rule.line), el("code", {}, rule.expression)),
    columns.map((it) => el("td", { class: `number${limited && rule.costs[it.index] > limit ? " over" : ""}` }, format(rule.costs[it.index])))));
  return [
    el("h2", {}, `${name} ${version ?? ""}`),
    note(limited ? `Share of the budget of one rule, ${limit.toLocaleString("en")}, by Kubernetes version` : "Estimated cost by Kubernetes version; servers set no limit here"),
    el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Costs of ${name}` }, el("table", {}, el("thead", {}, head), el("tbody", {}, rows))),
  ];
}

const TRACES = {
  spec: ({ rules }) => el("ul", { class: "trace" }, (rules ?? []).map((rule) => el("li", {},
    badge(rule.outcome), el("code", {}, rule.name), ` ${rule.reason ?? ""}`,
    rule.outcome === "violated" ? el("p", { class: "message" }, rule.message) : null,
    el("ul", {}, (rule.values ?? []).map((it) => el("li", {}, el("code", {}, it.location), ` ${JSON.stringify(it.value ?? null)}`,
      (it.failures ?? []).map((failure) => el("p", { class: "help" }, failure)))))))),
  crd: ({ errors, warnings, celCost, stored }) => [
    el("ul", { class: "trace" }, (errors ?? []).map((it) => el("li", {}, el("p", { class: "message" }, it.text))),
      (warnings ?? []).map((it) => el("li", {}, badge("warning"), it))),
    celCost == null ? null : el("p", { class: "help" }, `The rules cost ${celCost.toLocaleString("en")} of 10,000,000.`),
    stored ? el("details", {}, el("summary", {}, "As it would be stored"), el("pre", {}, JSON.stringify(stored, null, 2))) : null,
  ].filter(Boolean),
  policy: ({ policies, warnings }) => el("ul", { class: "trace" }, (policies ?? []).map((it) => el("li", {},
    badge(it.outcome), el("code", {}, it.policy), it.reason ? ` ${it.reason}` : null,
    (it.failures ?? []).map((failure) => el("p", { class: "message" }, failure.message)))),
    (warnings ?? []).map((it) => el("li", {}, badge("warning"), it))),
};
TRACES.crd = ((trace) => (answer) => el("div", {}, ...trace(answer)))(TRACES.crd);

// Tabs

function choose(tab, focus) {
  state.tab = TABS.includes(tab) ? tab : "findings";
  for (const name of TABS) {
    const button = $(`tab-${name}`), chosen = name === state.tab;
    button.setAttribute("aria-selected", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
    if (chosen && focus) button.focus();
  }
  $("panel").setAttribute("aria-labelledby", `tab-${state.tab}`);
  $("objects").hidden = state.tab !== "verdict";
  show();
}

$("tabs").addEventListener("click", ({ target }) => {
  if (target.id?.startsWith("tab-")) { choose(target.id.slice(4)); update(); }
});
$("tabs").addEventListener("keydown", (event) => {
  const at = TABS.indexOf(state.tab);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + TABS.length, Home: 0, End: TABS.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  choose(TABS[next % TABS.length], true);
  update();
});

// State in the address

const MARK = "#v1:";

async function pipe(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

async function toFragment() {
  const kept = { s: text.value, n: state.name, t: state.tab, o: $("object").value, d: $("old").value };
  const bytes = await pipe(new TextEncoder().encode(JSON.stringify(kept)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return MARK + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function fromFragment(fragment) {
  if (!fragment.startsWith(MARK)) return false;
  try {
    const binary = atob(fragment.slice(MARK.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await pipe(Uint8Array.from(binary, (char) => char.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const kept = JSON.parse(new TextDecoder().decode(bytes));
    fill(String(kept.s ?? ""), String(kept.n ?? "rules.yaml"), String(kept.o ?? ""), String(kept.d ?? ""));
    choose(kept.t);
    return true;
  } catch {
    say("The link is damaged; this is an example instead.");
    return false;
  }
}

let saving = 0;
async function save() {
  const mine = ++saving, fragment = await toFragment();
  // Browsers limit addresses; a text that is too long for a link is only kept in the page.
  if (mine === saving && fragment.length < 60_000) history.replaceState(null, "", fragment);
}

function fill(source, name, object, old) {
  text.value = source;
  state.name = name;
  $("name").textContent = name;
  $("object").value = object;
  $("old").value = old;
  $("update").open = old !== "";
  text.scrollTop = text.scrollLeft = 0;
  findings = [];
  paint();
}

async function load(id) {
  const example = EXAMPLES.find((it) => it.id === id) ?? EXAMPLES[0];
  const read = async (name) => name ? (await fetch(`examples/${name}`)).text() : "";
  fill(await read(example.name), example.name, await read(example.object), await read(example.old));
  $("example").value = example.id;
}

// Theme

const dark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
const nameTheme = () => { $("theme").textContent = isDark() ? "Light" : "Dark"; };
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
dark.addEventListener("change", nameTheme);
nameTheme();

// Start

let typing;
const later = () => { clearTimeout(typing); typing = setTimeout(update, 250); };
text.addEventListener("input", () => { findings = []; paint(); later(); });
text.addEventListener("scroll", scroll);
$("object").addEventListener("input", later);
$("old").addEventListener("input", later);
$("example").append(...EXAMPLES.map(({ id, title }) => el("option", { value: id }, title)));
$("example").addEventListener("change", async ({ target }) => { await load(target.value); await update(); });
$("copy").addEventListener("click", async () => {
  history.replaceState(null, "", await toFragment());
  try { await navigator.clipboard.writeText(location.href); say("link copied"); } catch { say("the link is in the address bar"); }
});
addEventListener("hashchange", async () => { if (await fromFragment(location.hash)) await update(); });

const options = new URLSearchParams(location.search);
document.body.classList.toggle("embed", options.has("embed"));
start();
choose(options.get("tab") ?? "findings");
if (!await fromFragment(location.hash)) await load(options.get("example"));
await update();
