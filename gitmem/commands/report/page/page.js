"use strict";
// The page is whole without this: it adds search, filters, links that open what they lead to, and neighbourhoods.
// What memories say is only ever read from the page as text, and put into it as text.
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const MARKS = JSON.parse(document.body.dataset.marks);
  const ORDER = Object.keys(MARKS), SERVED = document.body.dataset.served ?? "";
  const FEW = 50, MORE = 250, AROUND = 90;
  const main = $("_report"), found = $("_found"), words = $("_words"), hits = $("_hits"), kind = $("_kind"), old = $("_old");
  const wanted = new Set();
  let read = null, matches = [], shown = 0, active = -1, left = 0;

  const element = (tag, name, text) => {
    const made = document.createElement(tag);
    if (name) made.className = name;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // ---- search: what the page says of each memory, read once
  function memories() {
    read ??= all("details.memory").map((node, at) => {
      const text = (selector) => node.querySelector(selector)?.textContent ?? "";
      const memory = { at, key: node.id, kind: node.dataset.kind, status: node.dataset.status ?? "",
        place: node.dataset.place ?? "live", title: text(".t"), body: text(".b") };
      memory.inTitle = memory.title.toLowerCase();
      memory.inNames = `${memory.key} ${text(".tags")} ${text(".paths")}`.toLowerCase();
      memory.inBody = memory.body.toLowerCase();
      return memory;
    });
    return read;
  }

  const begins = (text, at) => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);

  // All words must be there; in a title they count most, then in a key or tag, then in the text.
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

  function find(asked) {
    const ranked = [];
    for (const memory of memories()) {
      if (!old.checked && memory.place !== "live") continue;
      if (wanted.size && !wanted.has(memory.status)) continue;
      if (kind.value && memory.kind !== kind.value) continue;
      const value = asked.length ? score(memory, asked) : 1;
      if (value) ranked.push([value, memory]);
    }
    ranked.sort((a, b) => b[0] - a[0] || rank(a[1]) - rank(b[1]) || a[1].at - b[1].at);
    return ranked.map((pair) => pair[1]);
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

  function snippet(memory, asked) {
    const places = asked.map((word) => memory.inBody.indexOf(word)).filter((at) => at >= 0);
    let start = places.length ? Math.max(0, Math.min(...places) - AROUND / 2) : 0;
    if (start) start = memory.body.indexOf(" ", start) + 1 || start;
    const text = memory.body.slice(start, start + 2 * AROUND).replace(/\s+/g, " ").trim();
    return (start ? "… " : "") + text + (start + 2 * AROUND < memory.body.length ? " …" : "");
  }

  function sign(status) {
    const made = element("i", `mark ${status || "plain"}`, MARKS[status] ?? "");
    made.setAttribute("aria-hidden", "true");
    return made;
  }

  function hit(memory, at, asked) {
    const item = element("li");
    item.id = `_hit${at}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.dataset.key = memory.key;
    const title = marked(element("b"), memory.title, asked);
    title.dir = "auto";
    item.append(sign(memory.status), title);
    const text = snippet(memory, asked);
    if (text) {
      const line = marked(element("span", "n"), text, asked);
      line.dir = "auto";
      item.append(line);
    }
    const told = [memory.kind.replaceAll("_", " "), memory.status, memory.place === "live" ? "" : memory.place];
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
    $("_more").textContent = `Show ${Math.min(MORE, matches.length - shown)} more of ${matches.length - shown}`;
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
    show(find(asked()));
    if (SERVED && asked().length) rankByServer(words.value);
    for (const chip of all("#_chips button")) chip.setAttribute("aria-pressed", String(wanted.has(chip.dataset.status)));
  }

  function show(ranked) {
    matches = ranked;
    hits.replaceChildren();
    shown = 0;
    draw(FEW);
    point(matches.length && asked().length ? 0 : -1);
    const number = matches.length;
    $("_count").textContent = number ? `${number} ${number === 1 ? "memory" : "memories"}` : "No memory has all of these words";
  }

  // A page that is served asks gitmem itself, which ranks as `gitmem recall` does: by stems, and not only what has every word.
  async function rankByServer(typed) {
    const answer = await fetch(`find?words=${encodeURIComponent(typed)}`).catch(() => null);
    if (!answer?.ok || words.value !== typed) return;
    const places = new Map((await answer.json()).map((key, at) => [key, at]));
    if (words.value !== typed) return;
    const fits = find([]).filter((memory) => places.has(memory.key)).sort((a, b) => places.get(a.key) - places.get(b.key));
    show([...fits, ...find(asked()).filter((memory) => !places.has(memory.key))]);
  }

  // It is renewed where the memory or the code has moved, but not while a search is open.
  async function renew() {
    const answer = await fetch("state").catch(() => null);
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

  // A picture whose newest part is on the right; what was hidden forgets how far it was scrolled.
  function newest() {
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
  $("_close").addEventListener("click", () => { close(); words.focus(); });
  kind.addEventListener("change", update);
  old.addEventListener("change", update);

  // ---- filters: what there is of
  function filters() {
    const nodes = all("details.memory");
    const statuses = new Set(nodes.map((node) => node.dataset.status));
    for (const status of ORDER.filter((one) => statuses.has(one))) {
      const chip = element("button");
      chip.type = "button";
      chip.dataset.status = status;
      chip.setAttribute("aria-pressed", "false");
      chip.append(sign(status), status);
      chip.addEventListener("click", () => {
        wanted.has(status) ? wanted.delete(status) : wanted.add(status);
        update();
      });
      $("_chips").append(chip);
    }
    for (const name of [...new Set(nodes.map((node) => node.dataset.kind))].sort()) {
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
  const linked = (key, way) => all(`ul.${way} a[href^='#']`, $(key) ?? document.createElement("p")).map((a) => a.hash.slice(1));

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
        const fresh = [...new Set(next)].filter((one) => !seen.has(one) && $(one)).slice(0, MOST);
        fresh.forEach((one) => seen.add(one));
        if (fresh.length) columns.set(sense * far, fresh);
      }
    }
    return columns;
  }

  function neighbourhood(node) {
    if (node.dataset.drawn || !node.querySelector("ul.needs a, ul.needed a")) return;
    node.dataset.drawn = "yes";
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
        const isFlow = ["failed", "suspect"].includes($(key).dataset.status) && $(next).dataset.status === "suspect";
        edges.append(drawn("path", { class: isFlow ? "flow" : "",
          d: `M${from} ${y + HIGH / 2}C${from + bend} ${y + HIGH / 2} ${x2 - bend} ${y2 + HIGH / 2} ${x2} ${y2 + HIGH / 2}` }));
      }
      const status = $(key).dataset.status ?? "", title = $(key).querySelector(".t").textContent, indent = status ? 28 : 11;
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
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details.memory[open]")) neighbourhood(event.target);
  }, true);

  // ---- begin
  const days = Math.floor((Date.now() / 1000 - Number(document.body.dataset.made)) / 86400);
  if (days > 0 && $("_age")) $("_age").textContent = `, ${days === 1 ? "a day" : `${days} days`} ago`;
  newest();
  words.closest(".search").hidden = false;
  filters();
  if (SERVED) setInterval(renew, 2000);
  reveal();
  (window.requestIdleCallback ?? setTimeout)(memories);
})();
