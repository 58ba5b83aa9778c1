// ---- The order of `gitmem recall`: candidates as SQLite's FTS5 finds them, then gitmem.recall.bm25 and gitmem.recall.
function ranker(sizes, memories, bodies, made) {
  const words = analysis.analyser(sizes.words), w = sizes.weights;
  const DAY = 86400, total = memories.length, FIELDS = w.fields.length;
  // By term: its name, in how many memories it is, and in which, each with its weighted count.
  const names = [], numbers = new Map(), docs = [], counts = [];
  // By memory: its terms, field by field, and where each field ends.
  const terms = [], ends = [], lengths = new Array(FIELDS).fill(0);
  const bags = new Map();

  function number(term) {
    let found = numbers.get(term);
    if (found === undefined) {
      numbers.set(term, found = names.length);
      names.push(term);
      docs.push([]);
      counts.push([]);
    }
    return found;
  }

  function add(at) {
    const memory = memories[at], all = [], borders = [], own = new Map();
    const texts = [memory.title, [...memory.tags, memory.task].join(" "), memory.key, memory.places.join(" "), bodies[at]];
    texts.forEach((text, field) => {
      const before = all.length;
      for (const term of words.ofField(text)) all.push(number(term));
      for (let nth = before; nth < all.length; nth += 1) own.set(all[nth], (own.get(all[nth]) ?? 0) + sizes.found_by[field]);
      borders.push(all.length);
      lengths[field] += all.length - before;
    });
    terms.push(Int32Array.from(all));
    ends.push(borders);
    for (const [term, count] of own) { docs[term].push(at); counts[term].push(count); }
  }

  const df = (term) => docs[numbers.get(term)]?.length ?? 0;
  const rarity = (count) => Math.log(1 + (Math.max(total, count) - count + 0.5) / (count + 0.5));
  const by = (value) => (a, b) => value(a) - value(b) || (a < b ? -1 : 1);
  const sum = (values) => values.reduce((all, one) => all + one, 0);

  function isShown(memory) {
    const [adopted, failed] = sizes.adopted;
    return memory.place === "live" && !sizes.unread.includes(memory.kind) && (memory.kind !== adopted || memory.status === failed);
  }

  // The best by SQLite's bm25() over all memories, of those that are shown (sqlite.org/fts5.html, 5.1.1).
  function candidates(asked) {
    let rarest = asked.filter(df).sort(by(df));
    if (sum(rarest.map(df)) > sizes.few) {
      const telling = rarest.filter((term) => df(term) <= sizes.everywhere * total);
      if (sum(telling.map(df)) >= sizes.candidates) rarest = telling;
    }
    const scores = new Map(), average = sum(lengths) / total;
    for (const term of rarest) {
      const id = numbers.get(term), hits = docs[id].length, idf = Math.log((total - hits + 0.5) / (hits + 0.5));
      docs[id].forEach((at, nth) => {
        const count = counts[id][nth], room = count + 1.2 * (1 - 0.75 + (0.75 * terms[at].length) / average);
        scores.set(at, (scores.get(at) ?? 0) + (idf > 0 ? idf : 1e-6) * ((count * (1.2 + 1)) / room));
      });
    }
    const best = Array.from(scores).filter(([at]) => isShown(memories[at]));
    return best.sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, sizes.candidates).map(([at]) => at);
  }

  function bag(at) {
    let found = bags.get(at);
    if (found) return found;
    found = { at, counts: new Map(), length: 0, title: new Set(fieldOf(at, 0)), pairs: new Map() };
    for (let field = FIELDS - 1, order = [field, ...Array(field).keys()], nth = 0; nth < FIELDS; nth += 1) {
      const own = fieldOf(at, order[nth]), weight = w.fields[order[nth]];
      found.length += weight * own.length;
      for (const term of own) found.counts.set(names[term], (found.counts.get(names[term]) ?? 0) + weight);
    }
    found.title = new Set(Array.from(found.title, (term) => names[term]));
    const average = sum(lengths.map((length, field) => (w.fields[field] * length) / total)) || 1;
    found.norm = w.k1 * (1 - w.b + (w.b * found.length) / average);
    if (bags.size > 2000) bags.clear();
    bags.set(at, found);
    return found;
  }

  const fieldOf = (at, field) => terms[at].subarray(field ? ends[at][field - 1] : 0, ends[at][field]);
  const saturated = (count, norm) => (count * (w.k1 + 1)) / (count + norm);

  function worth(one, values) {
    let all = 0;
    for (const [term, value] of values) if (one.counts.has(term)) all += value * saturated(one.counts.get(term), one.norm);
    return all;
  }

  function question(asked) {
    const known = new Map(asked.filter(df).map((term) => [term, rarity(df(term))])), short = new Map();
    for (const term of w.shorthand ? asked : []) {
      for (const other of sizes.variants[term] ?? []) {
        if (!df(other) || known.has(other) || short.has(other)) continue;
        const own = rarity(df(other));
        short.set(other, [term, w.shorthand * Math.min(own, known.get(term) ?? own)]);
      }
    }
    return { terms: known, short, total: sum([...known.values()]) };
  }

  function score(one, asked) {
    const share = asked.total ? sum([...asked.terms].map(([term, value]) => (one.counts.has(term) ? value : 0))) / asked.total : 0;
    const forms = new Map([...asked.short].filter(([, [term]]) => !one.counts.has(term)).map(([form, [, value]]) => [form, value]));
    return worth(one, asked.terms) * (1 - w.coverage + w.coverage * share) + worth(one, forms);
  }

  // What neighbouring words of the question are worth in titles and texts.
  function addPairs(scores, found, asked) {
    const order = [...asked.terms.keys()], next = new Map(order.slice(1).map((term, nth) => [numbers.get(order[nth]), numbers.get(term)]));
    const among = new Map(), seen = new Map();
    for (const one of found) {
      const own = new Map();
      for (const field of [fieldOf(one.at, 0), fieldOf(one.at, FIELDS - 1)]) {
        for (let nth = 1; nth < field.length; nth += 1) {
          if (next.get(field[nth - 1]) === field[nth]) own.set(field[nth - 1], (own.get(field[nth - 1]) ?? 0) + 1);
        }
      }
      seen.set(one, own);
      for (const pair of own.keys()) among.set(pair, (among.get(pair) ?? 0) + 1);
    }
    for (const [one, own] of seen) {
      for (const [pair, count] of own) {
        scores.set(one.at, scores.get(one.at) + w.pair * rarity(among.get(pair)) * saturated(count, one.norm));
      }
    }
  }

  // What the best have in common, as if it had been asked for.
  function mixRelated(scores, found, asked) {
    const best = [...found].sort((a, b) => scores.get(b.at) - scores.get(a.at) || a.at - b.at).slice(0, w.related_memories);
    const top = scores.get(best[0].at), shares = new Map();
    for (const one of best) {
      const mass = Math.exp(scores.get(one.at) - top) / one.length;
      for (const [term, count] of one.counts) shares.set(term, (shares.get(term) ?? 0) + mass * count);
    }
    const taken = [...shares].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, w.related_terms);
    const all = sum(taken.map((pair) => pair[1]));
    const values = new Map(taken.map(([term, share]) => [term, asked.terms.size * (share / all) * rarity(df(term))]));
    const weight = sum([...values.values()]), scale = weight ? Math.min(1, asked.total / weight) : 0;
    const mixed = w.related * Math.min(1, found.length / w.related_memories);
    for (const one of found) scores.set(one.at, (1 - mixed) * scores.get(one.at) + mixed * scale * worth(one, values));
  }

  function lexical(asked, ats) {
    const found = [], scores = new Map();
    for (const one of ats.map(bag)) {
      const own = score(one, asked);
      if (own > 0) { found.push(one); scores.set(one.at, own); }
    }
    addPairs(scores, found, asked);
    if (w.related && found.length) mixRelated(scores, found, asked);
    for (const one of found) {
      const share = one.title.size ? [...one.title].filter((term) => asked.terms.has(term)).length / one.title.size : 0;
      scores.set(one.at, scores.get(one.at) * (1 + w.title * share));
    }
    return scores;
  }

  const age = (memory) => (memory.since && made ? Math.max(0, made - memory.since) / DAY : 0);

  function recency(memory) {
    const half = sizes.half_lives[memory.kind] ?? null;
    return 1 - sizes.recency * (1 - (half === null ? 1 : 2 ** (-age(memory) / half)));
  }

  // The memories that fit what is typed, the best first.
  function rank(typed) {
    const asked = words.query(typed), forms = asked.flatMap((term) => sizes.variants[term] ?? []);
    const scores = lexical(question(asked), candidates([...new Set([...asked, ...forms])]));
    const ranked = Array.from(scores, ([at, value]) => [value * recency(memories[at]) * memories[at].factor, memories[at]]);
    ranked.sort((a, b) => b[0] - a[0] || age(a[1]) - age(b[1]) || (a[1].key < b[1].key ? -1 : 1));
    return ranked.filter((pair) => pair[0] >= ranked[0][0] * sizes.floor).map((pair) => pair[1]);
  }

  // Whether a word as it stands in a text is one of those that are typed, in any form.
  function matcher(typed) {
    const asked = new Set(words.query(typed));
    return (chunk) => words.chunks(chunk).some((one) => words.ofChunk(one).some((term) => asked.has(term)));
  }
  return { add, rank, matcher };
}
