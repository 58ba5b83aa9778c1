// ---- Words: a text is cut into terms as gitmem.text.tokens does it, by its own tables. English only.
const analysis = (() => {
  const VOWEL = /[aeiouy]/, DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/;
  const SPECIAL = { skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli",
    only: "onli", singly: "singl" };
  const KEPT = new Set(["sky", "news", "howe", "atlas", "cosmos", "bias", "andes"]);
  const ALSO_KEPT = new Set(["inning", "outing", "canning", "herring", "earring", "evening", "proceed", "exceed", "succeed"]);
  const SECOND = { tional: "tion", enci: "ence", anci: "ance", abli: "able", entli: "ent", izer: "ize", ization: "ize",
    ational: "ate", ation: "ate", ator: "ate", alism: "al", aliti: "al", alli: "al", fulness: "ful", ousli: "ous",
    ousness: "ous", iveness: "ive", iviti: "ive", biliti: "ble", bli: "ble", ogi: "og", ogist: "og", fulli: "ful", lessli: "less", li: "" };
  const THIRD = { tional: "tion", ational: "ate", alize: "al", icate: "ic", iciti: "ic", ical: "ic", ful: "", ness: "", ative: "" };
  const FOURTH = ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion"];

  // Where the region begins behind the first consonant that follows a vowel.
  function region(word, from) {
    const found = /[aeiouy][^aeiouy]/.exec(word.slice(from));
    return found ? from + found.index + 2 : word.length;
  }
  const longest = (word, endings) => endings.filter((one) => word.endsWith(one)).sort((a, b) => b.length - a.length)[0];
  const isShort = (word) => /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word) || word.endsWith("past");

  // Source: M. F. Porter, "The English (Porter2) stemming algorithm", snowballstem.org, as released with Snowball 3.
  function stem(typed) {
    if (Object.hasOwn(SPECIAL, typed)) return SPECIAL[typed];
    if (KEPT.has(typed) || typed.length < 3) return typed;
    let word = typed.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
    const head = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/.exec(word);
    const first = head ? head[0].length : region(word, 0), second = region(word, first);
    const end = (ending, by) => { word = word.slice(0, word.length - ending.length) + by; };
    const within = (ending, from) => word.length - ending.length >= from;

    if (word.endsWith("sses")) end("sses", "ss");
    else if (/ie[ds]$/.test(word)) word = word.slice(0, word.length > 4 ? -2 : -1);
    else if (word.endsWith("s") && !/[us]s$/.test(word) && VOWEL.test(word.slice(0, -2))) word = word.slice(0, -1);
    if (ALSO_KEPT.has(word)) return word;

    const past = longest(word, ["eed", "eedly", "ed", "edly", "ing", "ingly"]);
    if (/^.ying$/.test(word)) return `${word[0]}ie`;
    if (past === "eed" || past === "eedly") {
      if (within(past, first)) end(past, "ee");
    } else if (past && VOWEL.test(word.slice(0, -past.length))) {
      end(past, "");
      if (/(?:at|bl|iz)$/.test(word)) word += "e";
      else if (DOUBLE.test(word)) { if (!/^[aeo]..$/.test(word)) word = word.slice(0, -1); }
      else if (word.length === first && isShort(word)) word += "e";
    }
    word = word.replace(/(.[^aeiouy])[yY]$/, "$1i");

    let last = longest(word, Object.keys(SECOND));
    if (last && within(last, first)) {
      if (last === "ogi") { if (/l...$/.test(word)) end(last, "og"); }
      else if (last === "li") { if (/[cdeghkmnrt]..$/.test(word)) end(last, ""); }
      else end(last, SECOND[last]);
    }
    last = longest(word, Object.keys(THIRD));
    if (last && within(last, first) && (last !== "ative" || within(last, second))) end(last, THIRD[last]);
    last = longest(word, FOURTH);
    if (last && within(last, second) && (last !== "ion" || /[st]...$/.test(word))) end(last, "");
    if (word.endsWith("e") && (within("e", second) || (within("e", first) && !isShort(word.slice(0, -1))))) end("e", "");
    else if (word.endsWith("ll") && within("l", second)) end("l", "");
    return word.replaceAll("Y", "y");
  }

  // What cuts texts by the tables of gitmem.text.tokens.
  function analyser(tables) {
    const general = new Set(tables.general), question = new Set(tables.question), memo = new Map(), stems = new Map();
    const range = (ends) => ends.map((one) => `\\u{${one.toString(16)}}`).join("-");
    const marks = new RegExp(`[${tables.marks.map((one) => range([one])).join("")}]`, "gu");
    const letters = new RegExp(`[${Object.keys(tables.letters).join("")}]`, "gu");
    const unspaced = new RegExp(`[${tables.unspaced.map(range).join("")}]`, "u");
    const emoji = new RegExp(`[${tables.emoji.map(range).join("")}]`, "gu");
    const gap = /[^\p{L}\p{N}_./]+/u, isPlain = /^[\0-\x7f]*$/;

    function fold(text) {
      if (isPlain.test(text)) return text;
      return text.normalize("NFKD").replace(marks, "").normalize("NFC").replace(letters, (one) => tables.letters[one]);
    }

    // Emoji, contractions and names such as C++ become words; i++ and main.c#L1 stay.
    function spellWords(text) {
      text = text.replace(/n['\u2019]t/g, "nt");
      text = text.replace(emoji, (one) =>
        ` emoji${one.codePointAt(0).toString(16).replace(/[0-9]/g, (digit) => tables.digits[digit])} `);
      if (!text.includes("++") && !text.includes("#")) return text;
      for (const [name, word] of Object.entries(tables.names)) {
        text = text.split(name).reduce((before, after, at, all) =>
          before + (/[\p{L}\p{N}_./]$/u.test(all[at - 1]) || /^[\p{L}_+#]/u.test(after) ? name : word) + after);
      }
      return text;
    }

    function chunks(typed) {
      const found = [], text = spellWords(fold(typed));
      for (let piece of (isPlain.test(text) ? text.split(/[^A-Za-z0-9_./]+/) : text.split(gap))) {
        if (!piece) continue;
        if (/^\.net\.*$/i.test(piece)) { found.push("dot.net"); continue; }
        if (!/[./]/.test(piece)) { found.push(piece); continue; }
        for (const border of ["..", "//", "./", "/."]) piece = piece.replaceAll(border, " ");
        for (const part of piece.split(" ")) {
          const chunk = part.replace(/^[./]+|[./]+$/g, "");
          if (chunk) found.push(chunk);
        }
      }
      return found;
    }

    function ofSegment(segment) {
      if (unspaced.test(segment)) return pairs(segment);
      const whole = segment.replaceAll("_", "").toLowerCase();
      if (whole.length > tables.max_term) return [whole.slice(0, tables.max_term)];
      const parts = isPlain.test(segment) ? segment.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [] : segment.split("_").filter(Boolean);
      if (parts.length > 1) return [whole, ...parts.filter((part) => part.length > 1).map((part) => part.toLowerCase())];
      if (!/^[\u0400-\u045f]/.test(segment) || segment[0] === segment[0].toLowerCase()) return whole ? [whole] : [];
      return [whole, Array.from(whole, (one) => tables.latin[one] ?? one).join("")];
    }

    // Scripts without spaces: overlapping pairs of characters, and the words between their runs.
    function pairs(segment) {
      const words = [];
      for (const part of segment.split("_")) {
        let run = [], isRun = false;
        const close = () => {
          if (run.length && isRun) for (let at = 0; at < Math.max(1, run.length - 1); at += 1) words.push(run.slice(at, at + 2).join(""));
          else if (run.length) words.push(...ofSegment(run.join("")));
          run = [];
        };
        for (const char of part) {
          if (unspaced.test(char) !== isRun) { close(); isRun = !isRun; }
          run.push(char);
        }
        close();
      }
      return words.map((word) => word.toLowerCase());
    }

    function wordsOf(chunk) {
      const segments = chunk.split(/[./]/);
      if (segments.length === 1) return ofSegment(chunk);
      const words = segments.flatMap(ofSegment).filter((word) => word.length > 1);
      const whole = segments.join("").replaceAll("_", "").toLowerCase();
      return whole && whole.length <= tables.max_term && !unspaced.test(chunk) ? [whole, ...words] : words;
    }

    function stemmed(word) {
      let found = stems.get(word);
      if (found === undefined) stems.set(word, found = stem(word));
      return found;
    }

    function ofChunk(chunk) {
      let found = memo.get(chunk);
      if (!found) memo.set(chunk, found = wordsOf(chunk).filter((word) => !general.has(word)).map(stemmed));
      return found;
    }

    const every = (typed) => typed.flatMap(wordsOf).map(stemmed);

    // The terms of a field of a memory: stop words count only where there is nothing else.
    function ofField(text) {
      const typed = chunks(text), found = typed.flatMap(ofChunk);
      return found.length ? found : every(typed);
    }

    // The different terms of what is typed: question words count only where there is nothing else.
    function query(text) {
      const typed = chunks(fold(Array.from(text).slice(0, tables.max_query).join("")));
      const found = new Set(typed.filter((chunk) => !question.has(chunk.toLowerCase())).flatMap(ofChunk));
      if (!found.size) for (const term of every(typed)) found.add(term);
      return [...found].slice(0, tables.max_query_terms);
    }
    return { chunks, ofChunk, ofField, query };
  }
  return { analyser, stem };
})();
