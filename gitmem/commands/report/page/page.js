// ---- The page: lists that grow as they are scrolled, search, filters, links that open what they lead to, neighbourhoods.
// How many lines of a list are made at once, how far from the screen, in pixels, and up to how many memories all are.
const LINES = 50, NEAR = 1500, WHOLE = 500;
const FEW = 50, MORE = 250, AROUND = 90, SLICE_MS = 12;
const main = $("_report"), found = $("_found"), words = $("_words"), hits = $("_hits"), kind = $("_kind"), old = $("_old");
const wanted = new Set();
let matches = [], shown = 0, active = -1, left = 0, ranking = null, matched = () => false;

// ---- lists
const chunks = new Map();
const observer = new IntersectionObserver((seen) => {
for (const { target, isIntersecting } of seen) isIntersecting ? fill(target) : empty(target);
}, { rootMargin: `${NEAR}px 0px` });

function chunk(some) {
const made = element("div", "chunk");
made.style.height = `${some.length * (window.innerWidth < 704 ? 5 : 2.8)}rem`;
made.memories = some;
for (const memory of some) chunks.set(memory.key, made);
observer.observe(made);
return made;
}

function fill(box) {
if (box.firstChild) return;
box.append(...box.memories.map(row));
box.style.height = "";
}

// What is far away is taken out again, but where something is open, or has the focus.
function empty(box) {
if (memories.length <= WHOLE || !box.firstChild || box.querySelector("details[open]") || box.contains(document.activeElement)) return;
box.style.height = `${box.offsetHeight}px`;
box.replaceChildren();
}

function listing() {
const heading = (text, number) => element("h3", "", text, " ", element("small", "", grouped(number)));
const inChunks = (some) => Array.from({ length: Math.ceil(some.length / LINES) }, (_, nth) => chunk(some.slice(nth * LINES, (nth + 1) * LINES)));
const kinds = new Map(), gone = inOrder.filter((memory) => memory.place !== "live");
for (const memory of inOrder) {
  if (memory.place === "live") kinds.set(memory.kind, [...(kinds.get(memory.kind) ?? []), memory]);
}
const sorted = [...kinds].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
for (const [name, some] of sorted) {
  some.sort((a, b) => urgency(a) - urgency(b));
  $("_list").append(element("section", "kind", heading(name.replaceAll("_", " "), some.length), ...inChunks(some)));
}
if (gone.length) {
  const summary = element("summary", "", heading("Retired, superseded or expired", gone.length));
  $("_list").append(element("details", "old", summary, ...inChunks(gone)));
}
if (memories.length <= WHOLE) for (const box of chunks.values()) fill(box);
}

const urgency = (memory) => (memory.status && memory.status !== "verified" ? ORDER.indexOf(memory.status) : ORDER.length);

// ---- texts, and what ranks by them
const bodyOf = async (memory) => (await block(Math.floor(memory.number / data.block)))[memory.number % data.block];
let bodies = null, preparing = null, isAsking = false;

// Read all texts and, where the page ranks by itself, count their words; in slices, so that typing is not held up.
function prepare() {
preparing ??= (async () => {
  const blocks = await Promise.all(Array.from({ length: Math.ceil(memories.length / data.block) }, (_, nth) => block(nth)));
  bodies = blocks.flat();
  const made = !SERVED && data.ranking ? ranker(data.ranking, memories, bodies, data.made) : null;
  for (let at = 0, begun = performance.now(); at < memories.length; at += 1) {
    memories[at].inBody = bodies[at].toLowerCase();
    made?.add(at);
    if (performance.now() - begun > SLICE_MS) {
      await new Promise((done) => { const next = new MessageChannel(); next.port1.onmessage = done; next.port2.postMessage(0); });
      begun = performance.now();
    }
  }
  ranking = made;
  document.body.dataset.ready = "";
  if (!found.hidden) update();
})().catch(lost);
return preparing;
}

// A page that is served asks for texts that are no longer there: the memory has moved.
function lost() {
preparing = null;
if (SERVED && found.hidden) renew();
}

// ---- search
const begins = (text, at) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);

// Behind what ranks: all words must be there as typed; in a title they count most, then in a key or tag, then in the text.
function score(memory, asked) {
let sum = 0;
for (const word of asked) {
  const title = memory.inTitle.indexOf(word), name = memory.inNames.indexOf(word), body = memory.inBody.indexOf(word);
  if (title < 0 && name < 0 && body < 0) return 0;
  if (title >= 0) sum += begins(memory.inTitle, title) ? 12 : 8;
  if (name >= 0) sum += begins(memory.inNames, name) ? 6 : 4;
  if (body >= 0) sum += begins(memory.inBody, body) ? 2 : 1;
}
return sum + (asked.length > 1 && memory.inTitle.includes(asked.join(" ")) ? 10 : 0);
}

const rank = (memory) => (memory.status ? ORDER.indexOf(memory.status) : ORDER.length);
const passes = (memory) => (old.checked || memory.place === "live") && (!wanted.size || wanted.has(memory.status)) && (!kind.value || memory.kind === kind.value);

// What fits: *first* in its order, then all others that have every word.
function find(asked, first = []) {
const before = first.filter(passes), seen = new Set(before), ranked = [];
for (const memory of inOrder) {
  if (seen.has(memory) || !passes(memory)) continue;
  const value = asked.length ? score(memory, asked) : 1;
  if (value) ranked.push([value, memory]);
}
ranked.sort((a, b) => b[0] - a[0] || rank(a[1]) - rank(b[1]) || a[1].nth - b[1].nth);
return [...before, ...ranked.map((pair) => pair[1])];
}

// Put text into a node with the words marked.
function marked(node, text, asked) {
  const lower = text.toLowerCase();
  const spans = [];
  for (const word of asked) {
    for (let at = lower.indexOf(word); at >= 0 && spans.length < 60; at = lower.indexOf(word, at + word.length)) {
      spans.push([at, at + word.length]);
    }
  }
  if (!spans.length && asked.length) {
    for (const match of text.matchAll(/[\p{L}\p{N}_./]+/gu)) if (matched(match[0])) spans.push([match.index, match.index + match[0].length]);
  }
  spans.sort((a, b) => a[0] - b[0]);
  let done = 0;
  for (const [start, end] of spans) {
    if (start < done) continue;
    node.append(text.slice(done, start), element("mark", "", text.slice(start, end)));
    done = end;
  }
  node.append(text.slice(done));
  return node;
}

function snippet(memory, body, asked) {
  const places = asked.map((word) => memory.inBody.indexOf(word)).filter((at) => at >= 0);
  let start = places.length ? Math.max(0, Math.min(...places) - AROUND / 2) : 0;
  if (start) start = body.indexOf(" ", start) + 1 || start;
  const text = body.slice(start, start + 2 * AROUND).replace(/\s+/g, " ").trim();
  return (start ? "… " : "") + text + (start + 2 * AROUND < body.length ? " …" : "");
}

function hit(memory, at, asked) {
  const item = element("li");
  item.id = `_hit${at}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.dataset.key = memory.key;
  const title = titleInto(element("b"), memory.title, (node, text) => marked(node, text, asked));
  item.append(...sign(memory.status), title);
  const text = bodies ? snippet(memory, bodies[memory.number], asked) : "";
  if (text) {
    const line = marked(element("span", "n"), text, asked);
    line.dir = "auto";
    item.append(line);
  }
  const told = [memory.kind.replaceAll("_", " "), memory.status, memory.place === "live" ? "" : memory.place, memory.short_id];
  const names = element("span", "k", told.filter(Boolean).join(" · ") + " · ");
  item.append(marked(names, memory.key, asked));
  return item;
}

const asked = () => [...new Set(words.value.toLowerCase().split(/\s+/).filter(Boolean))];
const isAsked = () => asked().length > 0 || wanted.size > 0 || kind.value !== "" || old.checked;

function draw(upTo) {
  const typed = asked(), items = [];
  for (; shown < Math.min(upTo, matches.length); shown += 1) items.push(hit(matches[shown], shown, typed));
  hits.append(...items);
  $("_more").hidden = shown >= matches.length;
  $("_more").textContent = `Show ${Math.min(MORE, matches.length - shown)} more of ${grouped(matches.length - shown)}`;
}

function update() {
  if (!isAsked()) return close();
  if (found.hidden) {
    left = window.scrollY;
    found.hidden = false;
    main.hidden = true;
    words.setAttribute("aria-expanded", "true");
    window.scrollTo(0, 0);
  }
  prepare();
  matched = ranking && asked().length ? ranking.matcher(words.value) : () => false;
  show(find(asked(), ranking && asked().length ? ranking.rank(words.value) : []));
  if (SERVED && asked().length) rankByServer();
  for (const chip of all("#_chips button")) chip.setAttribute("aria-pressed", String(wanted.has(chip.dataset.status)));
}

function show(ranked) {
  matches = ranked;
  hits.replaceChildren();
  shown = 0;
  draw(FEW);
  point(matches.length && asked().length ? 0 : -1);
  const number = matches.length;
  $("_count").textContent = number ? `${grouped(number)} ${number === 1 ? "memory" : "memories"}` : "No memory has all of these words";
}

// A page that is served asks gitmem itself, which ranks as `gitmem recall` does; one question at a time, the newest next.
async function rankByServer() {
  if (isAsking) return;
  isAsking = true;
  const typed = words.value, answer = await fetch(`find?words=${encodeURIComponent(typed)}`).catch(() => null);
  const keys = answer?.ok ? await answer.json() : [];
  isAsking = false;
  if (found.hidden || !asked().length) return;
  if (words.value !== typed) return rankByServer();
  show(find(asked(), keys.map((key) => byKey.get(key)).filter(Boolean)));
}

// It is renewed where the memory or the code has moved, but not while a search is open.
async function renew() {
  const answer = await fetch("state").catch(() => null);
  $("_ended").hidden = answer !== null;
  if (answer?.ok && (await answer.text()) !== SERVED && found.hidden) location.reload();
}

function close() {
  wanted.clear();
  words.value = kind.value = "";
  old.checked = false;
  if (found.hidden) return;
  found.hidden = true;
  main.hidden = false;
  newest();
  hits.replaceChildren();
  active = -1;
  words.setAttribute("aria-expanded", "false");
  words.removeAttribute("aria-activedescendant");
  window.scrollTo(0, left);
}

// A picture whose newest part is on the right, and a graph that begins at its first failure; what was hidden forgets how
// far it was scrolled.
function newest() {
  for (const box of all("#_graph .scroll")) {
    const failed = box.querySelector(".node.failed rect");
    if (failed) box.scrollTo(failed.x.baseVal.value - 40, failed.y.baseVal.value - 80);
  }
  for (const box of all(".scroll.end")) box.scrollLeft = box.scrollWidth;
}

function point(at) {
  hits.children[active]?.setAttribute("aria-selected", "false");
  active = at;
  const item = hits.children[at];
  if (!item) return words.removeAttribute("aria-activedescendant");
  item.setAttribute("aria-selected", "true");
  words.setAttribute("aria-activedescendant", item.id);
  if (at) item.scrollIntoView({ block: "nearest" });
}

function go(key) {
  close();
  if (location.hash === `#${key}`) reveal();
  else location.hash = key;
}

function move(by) {
  if (!hits.children.length) return;
  if (active + by >= hits.children.length && shown < matches.length) draw(shown + MORE);
  point(Math.max(0, Math.min(hits.children.length - 1, active + by)));
}

words.addEventListener("input", update);
words.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
  if (by) move(by);
  else if (event.key === "Enter" && hits.children[active]) go(hits.children[active].dataset.key);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    words.focus();
    words.select();
  } else if (event.key === "Escape") {
    if (!found.hidden) {
      close();
      words.focus();
    } else if (event.target === words) {
      words.value = "";
      words.blur();
    }
  }
});
hits.addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item) go(item.dataset.key);
});
$("_more").addEventListener("click", () => draw(shown + MORE));
new IntersectionObserver((seen) => { if (seen.at(-1).isIntersecting) draw(shown + FEW); }, { rootMargin: "200px 0px" }).observe($("_more"));
words.addEventListener("focus", prepare);
$("_close").addEventListener("click", () => { close(); words.focus(); });
kind.addEventListener("change", update);
old.addEventListener("change", update);

// ---- filters: what there is of
function filters() {
  const statuses = new Set(memories.map((memory) => memory.status));
  for (const status of ORDER.filter((one) => statuses.has(one))) {
    const chip = element("button");
    chip.type = "button";
    chip.dataset.status = status;
    chip.setAttribute("aria-pressed", "false");
    chip.append(...sign(status), status);
    chip.addEventListener("click", () => {
      wanted.has(status) ? wanted.delete(status) : wanted.add(status);
      update();
    });
    $("_chips").append(chip);
  }
  for (const name of [...new Set(memories.map((memory) => memory.kind))].sort()) {
    const option = element("option", "", name.replaceAll("_", " "));
    option.value = name;
    kind.append(option);
  }
}
for (const tile of all("[data-filter]")) {
  tile.addEventListener("click", (event) => {
    event.preventDefault();
    wanted.clear();
    wanted.add(tile.dataset.filter);
    update();
    words.focus();
  });
}

// ---- links: what they lead to is opened
function reveal() {
  let id = location.hash.slice(1);
  try { id = decodeURIComponent(id); } catch { return; }
  if (chunks.has(id)) fill(chunks.get(id));
  const node = id && $(id);
  if (!node) return;
  if (!found.hidden) close();
  if (!node.matches("details.memory")) return node.scrollIntoView();
  for (let up = node; up; up = up.parentElement?.closest("details")) up.open = true;
  node.firstElementChild.focus({ preventScroll: true });
  node.scrollIntoView();
  requestAnimationFrame(() => node.scrollIntoView());
}
window.addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  // A second click on the same link changes no address.
  if (link && !event.defaultPrevented && link.getAttribute("href") === location.hash) reveal();
});

// ---- what rests on what
const linked = (key, way) => byKey.get(key)?.[way] ?? [];

function lineage(key, way) {
  const seen = new Set([key]);
  for (const one of seen) for (const next of linked(one, way)) seen.add(next);
  return seen;
}

for (const graph of all("#_report > section svg.graph")) {
  const clear = () => {
    graph.classList.remove("focused");
    for (const node of all(".near", graph)) node.classList.remove("near");
  };
  const focus = (event) => {
    const node = event.target.closest?.(".node");
    clear();
    if (!node) return;
    const before = lineage(node.dataset.key, "needs"), behind = lineage(node.dataset.key, "needed");
    graph.classList.add("focused");
    for (const one of all(".node", graph)) {
      if (before.has(one.dataset.key) || behind.has(one.dataset.key)) one.classList.add("near");
    }
    for (const path of all(".edges path", graph)) {
      const { from, to } = path.dataset;
      if ((before.has(from) && before.has(to)) || (behind.has(from) && behind.has(to))) path.classList.add("near");
    }
  };
  graph.addEventListener("pointerover", focus);
  graph.addEventListener("pointerleave", clear);
  graph.addEventListener("focusin", focus);
  graph.addEventListener("focusout", clear);
}

// The neighbourhood of one memory: two links to the left, two to the right.
const WIDE = 190, HIGH = 40, STEP = 240, LANE = 50, MOST = 7;
const drawn = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
const short = (text, letters) => (text.length > letters ? `${text.slice(0, Math.floor(letters) - 1).trimEnd()}…` : text);

function columnsOf(key) {
  const columns = new Map([[0, [key]]]), seen = new Set([key]);
  for (const [way, sense] of [["needs", -1], ["needed", 1]]) {
    for (const far of [1, 2]) {
      const next = (columns.get(sense * (far - 1)) ?? []).flatMap((one) => linked(one, way));
      const fresh = [...new Set(next)].filter((one) => !seen.has(one)).slice(0, MOST);
      fresh.forEach((one) => seen.add(one));
      if (fresh.length) columns.set(sense * far, fresh);
    }
  }
  return columns;
}

function neighbourhood(node) {
  if (!linked(node.id, "needs").length && !linked(node.id, "needed").length) return;
  const columns = columnsOf(node.id), least = Math.min(...columns.keys());
  const tall = Math.max(...Array.from(columns.values(), (keys) => keys.length));
  const width = (columns.size - 1) * STEP + WIDE + 4, height = (tall - 1) * LANE + HIGH + 4;
  const svg = drawn("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": "What this memory rests on, and what rests on it" });
  const places = new Map();
  for (const [column, keys] of columns) {
    keys.forEach((key, at) => places.set(key, [2 + (column - least) * STEP, 2 + ((tall - keys.length) / 2 + at) * LANE]));
  }
  const edges = drawn("g", { class: "edges", "aria-hidden": "true" });
  svg.append(edges);
  for (const [key, [x, y]] of places) {
    for (const next of linked(key, "needed").filter((one) => places.get(one)?.[0] > x)) {
      const [x2, y2] = places.get(next), from = x + WIDE, bend = (x2 - from) / 2;
      const isFlow = ["failed", "suspect"].includes(byKey.get(key).status) && byKey.get(next).status === "suspect";
      edges.append(drawn("path", { class: isFlow ? "flow" : "",
        d: `M${from} ${y + HIGH / 2}C${from + bend} ${y + HIGH / 2} ${x2 - bend} ${y2 + HIGH / 2} ${x2} ${y2 + HIGH / 2}` }));
    }
    const { status } = byKey.get(key), title = plainly(byKey.get(key).title), indent = status ? 28 : 11;
    const link = drawn("a", { class: `node ${status || "plain"}${key === node.id ? " self" : ""}`, href: `#${key}` });
    link.append(drawn("title", {}, `${status ? `${status}: ` : ""}${title}`), drawn("rect", { x, y, width: WIDE, height: HIGH, rx: 7 }));
    if (status) link.append(drawn("text", { "aria-hidden": "true", class: "m", x: x + 14, y: y + 26 }, MARKS[status]));
    link.append(drawn("text", { "aria-hidden": "true", class: "n", x: x + indent, y: y + 17 }, short(title, (WIDE - indent - 8) / 7.7)),
      drawn("text", { "aria-hidden": "true", class: "k", x: x + indent, y: y + 32 }, short(key, (WIDE - indent - 8) / 7)));
    svg.append(link);
  }
  const box = element("div", "scroll");
  box.append(svg);
  node.lastElementChild.append(box);
}
// The inside of a memory is made when it is opened.
async function open(node) {
  if (node.children.length > 1) return;
  const memory = byKey.get(node.id), text = bodies ? bodies[memory.number] : await bodyOf(memory).catch(lost);
  if (text === undefined || node.children.length > 1) return;
  node.append(details(memory, text));
  neighbourhood(node);
}
document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.memory[open]")) open(event.target);
}, true);

// ---- begin
const days = Math.floor((Date.now() / 1000 - Number(document.body.dataset.made)) / 86400);
if (days > 0 && $("_age")) $("_age").textContent = `, ${days === 1 ? "a day" : `${days} days`} ago`;
newest();
words.closest(".search").hidden = memories.length === 0;
filters();
listing();
if (SERVED) setInterval(renew, 2000);
else (window.requestIdleCallback ?? setTimeout)(prepare);
reveal();
