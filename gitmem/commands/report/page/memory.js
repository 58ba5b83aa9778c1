// ---- A memory as elements, as memory.html and gitmem.commands.report.page.markup have it. What memories say is put into
// the page as text only.
const element = (tag, name, ...inside) => {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside);
  return made;
};

const grouped = (number) => number.toLocaleString("en");

function sign(status, isNamed = false) {
  const made = element("i", `mark ${status || "plain"}`, MARKS[status] ?? "");
  made.setAttribute("aria-hidden", "true");
  return isNamed && status ? [made, element("span", "vh", `${status}: `)] : [made];
}

// Markdown: paragraphs, lists, headings and code; of links only those that show where they lead.
const markdown = (() => {
  const FENCE = /^ {0,3}(```+|~~~+)/, ITEM = /^\s{0,8}(?:[-*+]|\d{1,9}[.)])\s+(.*)$/, HEADING = /^ {0,3}#{1,6}\s+/;
  const SPAN = /`([^`\n]+)`|(https?:\/\/[!#-;=?-Z_a-z~]+)|\*\*([^*\n]+)\*\*/g, BESIDE = /^(?: {4}|\t|\|)/;
  const begins = (text) => !text.trim() || FENCE.test(text) || ITEM.test(text) || HEADING.test(text) || text[0] === "|";

  function address(url) {
    const link = element("a", "", url);
    link.href = url;
    link.rel = "noopener noreferrer nofollow";
    return link;
  }

  function spans(text) {
    const parts = [];
    let at = 0;
    for (const match of text.matchAll(SPAN)) {
      const [whole, code, url, strong] = match;
      parts.push(text.slice(at, match.index));
      at = match.index + whole.length;
      if (code !== undefined) parts.push(byKey.has(code) ? linkTo(code, element("code", "", code)) : element("code", "", code));
      else if (url !== undefined) {
        const shown = url.replace(/[.,;:!?)']+$/, "");
        at -= url.length - shown.length;
        parts.push(address(shown));
      } else parts.push(element("strong", "", strong));
    }
    return [...parts, text.slice(at)];
  }

  function items(lines) {
    const found = [];
    for (const text of lines) {
      const item = ITEM.exec(text);
      if (item) found.push(item[1]);
      else if (found.length) found[found.length - 1] += ` ${text.trim()}`;
    }
    return found.map((item) => element("li", "", ...spans(item)));
  }

  return { spans, blocks(text) {
    const lines = text.split("\n"), blocks = [];
    const until = (at, ends) => { while (at < lines.length && !ends(lines[at])) at += 1; return at; };
    const code = (from, to) => blocks.push(element("pre", "", element("code", "", lines.slice(from, to).join("\n"))));
    for (let at = 0, end; at < lines.length; at = end) {
      const fence = FENCE.exec(lines[at]), heading = HEADING.exec(lines[at]);
      if (fence) {
        end = until(at + 1, (one) => one.trim().startsWith(fence[1]));
        code(at + 1, end);
        end += 1;
      } else if (!lines[at].trim()) end = at + 1;
      else if (heading) {
        end = at + 1;
        blocks.push(element("p", "h", ...spans(lines[at].slice(heading[0].length).trimEnd().replace(/#+$/, "").trimEnd())));
      } else if (ITEM.test(lines[at])) {
        end = until(at + 1, (one) => !one.trim() || FENCE.test(one));
        blocks.push(element("ul", "", ...items(lines.slice(at, end))));
      } else if (BESIDE.test(lines[at])) {
        end = until(at + 1, (one) => !BESIDE.test(one));
        code(at, end);
      } else {
        end = until(at + 1, begins);
        blocks.push(element("p", "", ...spans(lines.slice(at, end).map((one) => one.trim()).join(" "))));
      }
    }
    for (const block of blocks) if (block.tagName === "PRE") block.tabIndex = 0;
    return blocks;
  } };
})();

function linkTo(key, ...inside) {
  const link = element("a", "", ...inside);
  link.href = `#${key}`;
  return link;
}

// A title, without links: code and strong text are kept; in pictures, only their words.
const TITLE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;
const plainly = (text) => text.replace(TITLE, (_, code, strong) => code ?? strong);

function titleInto(node, text, write = (inner, words) => inner.append(words)) {
  let at = 0;
  const words = (part) => { if (part) write(node, part); };
  for (const match of text.matchAll(TITLE)) {
    const [whole, code, strong] = match, inner = element(code === undefined ? "strong" : "code");
    words(text.slice(at, match.index));
    write(inner, code ?? strong);
    node.append(inner);
    at = match.index + whole.length;
  }
  words(text.slice(at));
  node.dir = "auto";
  return node;
}

// A reference, or a file: a file or commit of the code links to the forge.
const NAME = "(?:[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]*|\\.[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]*)";
const PLACE = new RegExp(`^(${NAME}(?:/${NAME})*)(?:/|:(\\d+)(?:-\\d+)?)?$`), IS_FILE = /\/|\.[A-Za-z]\w{0,9}(?::|$)/;

function placed(text, isPath) {
  const { files, commits } = document.body.dataset, found = files && PLACE.exec(text);
  if (commits && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)) return [commit(text)];
  if (found && (isPath || IS_FILE.test(text))) return [codeLink(`${files}${found[1]}${found[2] ? `#L${found[2]}` : ""}`, text)];
  return isPath ? [element("code", "", text)] : markdown.spans(text);
}

function codeLink(address, text) {
  const link = element("a", "", element("code", "", text));
  link.href = address;
  link.rel = "noopener noreferrer nofollow";
  return link;
}

function reference(key) {
  const memory = byKey.get(key);
  return memory ? linkTo(key, ...sign(memory.status, true), titleInto(element("span"), memory.title)) : element("code", "", key);
}

function moment(at) {
  const text = new Date(at * 1000).toISOString().replace(".000Z", "Z"), made = element("time", "", `${text.slice(0, 10)} ${text.slice(11, 16)}`);
  made.dateTime = text;
  return made;
}

function commit(name) {
  const base = document.body.dataset.commits;
  return base ? codeLink(base + name, name.slice(0, 12)) : element("code", "", name.slice(0, 12));
}

const spaced = (nodes) => nodes.flatMap((node, at) => (at ? [" ", node] : [node]));
const codes = (values) => spaced(values.map((value) => element("code", "", value)));

function reasonsOf(memory) {
  return [memory.why, memory.broken, memory.flapping && "its check gives different answers on the same code",
    memory.weak && "weak: its check also holds in an empty folder"].filter(Boolean);
}

function fieldsOf(memory) {
  const list = element("dl");
  const row = (name, ...inside) => list.append(element("dt", "", name), element("dd", "", ...inside));
  const listed = (keys, name) => element("ul", name, ...keys.map((key) => element("li", "", reference(key))));
  const provided = new Set(memory.needs.flatMap((key) => [key, ...byKey.get(key).produces]));
  const needs = [...memory.needs, ...memory.requires.filter((name) => !provided.has(name))];
  if (memory.short_id) row("Key", element("code", "", memory.key));
  if (memory.check) row("Proved by", element("code", "", memory.check));
  if (memory.judged) row("Judged", moment(memory.judged), ...(memory.judged_at ? [" at ", commit(memory.judged_at)] : []));
  if (memory.held) row("Last held at", commit(memory.held));
  if (memory.tags.length) row("Tags", element("span", "tags", ...codes(memory.tags)));
  if (memory.paths.length) row("About", element("span", "paths", ...spaced(memory.paths.map((path) => placed(path, true)[0]))));
  if (memory.refs.length) row("See", ...memory.refs.flatMap((ref, at) => [at ? " " : "", ...placed(ref)]));
  if (needs.length) row("Rests on", listed(needs, "needs"));
  if (memory.needed.length) row("Memories that rest on it", listed(memory.needed, "needed"));
  if (memory.produces.length) row("Provides", ...codes(memory.produces));
  if (memory.superseded_by) row("Superseded by", reference(memory.superseded_by));
  if (memory.task) row("Learned for", element("code", "", memory.task));
  if (memory.created || memory.by) {
    row("Written", [memory.created && moment(memory.created).dateTime.slice(0, 10), memory.by && `by ${memory.by}`].filter(Boolean).join(" "));
  }
  return list.children.length ? [list] : [];
}

// The inside of a memory: why it has its status, its text, and what else is known of it.
function details(memory, text) {
  const reasons = reasonsOf(memory), inside = element("div", "in");
  if (reasons.length) inside.append(element("p", `why ${memory.status || "plain"}`, reasons.join("; ")));
  if (text) {
    const body = element("div", "b", ...markdown.blocks(text));
    body.dir = "auto";
    inside.append(body);
  }
  if (memory.cut) {
    inside.append(element("p", "cut", `… and ${memory.cut} characters more: `, element("code", "", `gitmem show ${memory.name}`)));
  }
  inside.append(...fieldsOf(memory));
  return inside;
}

// The line of a memory in a list; what is behind it comes when it is opened.
function row(memory) {
  const made = element("details", "memory"), title = titleInto(element("b", "t"), memory.title), summary = element("summary", "", ...sign(memory.status, true), title);
  made.id = memory.key;
  made.dataset.kind = memory.kind;
  if (memory.status) made.dataset.status = memory.status;
  if (memory.place !== "live") {
    made.dataset.place = memory.place;
    summary.append(element("em", "", memory.place));
  }
  if (memory.state) summary.append(element("em", "", memory.state));
  summary.append(element("code", "", memory.name));
  made.append(summary);
  return made;
}
