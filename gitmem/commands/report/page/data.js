// ---- What the page knows: its memories, from columns of their fields (gitmem.commands.report.page.payload).
const $ = (id) => document.getElementById(id);
const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
const MARKS = JSON.parse(document.body.dataset.marks);
const ORDER = Object.keys(MARKS), SERVED = document.body.dataset.served ?? "";

async function inflate(text) {
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text());
}

const data = await inflate($("_data").textContent);
const EMPTY = { key: 0, kind: "", title: "", place: "live", status: "", why: "", created: 0, by: "", tags: [], paths: [], places: [], refs: [], requires: [],
  produces: [], superseded_by: "", task: "", state: "", check: "", judged: 0, judged_at: "", culprit: "", broken: "", held: "",
  chain: [], weak: 0, flapping: 0, since: 0, factor: 0, cut: 0, short_id: "" };

// The key that most memories with this title have.
function namedFor(title) {
  const slug = title.toLowerCase().replace(/['\u2019]/g, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  if (slug.length <= 60) return slug;
  const cut = slug.slice(0, 60);
  return slug[60] === "-" ? cut : cut.slice(0, Math.max(0, cut.lastIndexOf("-")));
}

// By their numbers in the catalog; a field that is empty in all of them is in no column.
const memories = Array.from({ length: data.count }, (_, number) => {
  const memory = { number, needs: [], needed: [], inBody: "" };
  for (const name in EMPTY) memory[name] = data.memories[name]?.[number] || EMPTY[name];
  memory.key ||= namedFor(memory.title);
  if (!memory.places.length) memory.places = memory.paths;
  memory.since ||= memory.created;
  memory.factor ||= 1;
  memory.name = memory.short_id || memory.key;
  memory.inTitle = memory.title.toLowerCase();
  memory.inNames = [memory.key, memory.short_id, ...memory.tags, ...memory.paths].join(" ").toLowerCase();
  return memory;
});
const byKey = new Map(memories.map((memory) => [memory.key, memory]));
for (const [needed, key] of data.links) {
  memories[needed].needed.push(memories[key].key);
  memories[key].needs.push(memories[needed].key);
}

// The newest first, as the page lists them; fact-2 before fact-10 (text/slugs.py).
const natural = new Map(memories.map((memory) => [memory, memory.key.replace(/[0-9]+/g, (digits) => digits.padStart(20, "0"))]));
const byNumber = (a, b) => (natural.get(a) === natural.get(b) ? a.key < b.key : natural.get(a) < natural.get(b)) ? -1 : 1;
const inOrder = [...memories].sort((a, b) => b.created - a.created || byNumber(a, b));
inOrder.forEach((memory, nth) => { memory.nth = nth; });

// Texts, a block of memories at a time: they are in the page, or a page that is served asks for them.
const blocks = new Map();
function block(nth) {
  if (!blocks.has(nth)) {
    const read = SERVED ? fetched(nth) : inflate(all("script[data-texts]")[nth].textContent);
    blocks.set(nth, read);
    read.catch(() => blocks.delete(nth));
  }
  return blocks.get(nth);

  async function fetched(number) {
    const answer = await fetch(`texts?block=${number}&state=${encodeURIComponent(SERVED)}`);
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.json();
  }
}
