// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Ranks the pages of the site for a query, in place of Sphinx's search, which shows only pages that have every word of a query.
// docs/tools/search.py writes the texts (search_pages.js). The method is BM25F (Robertson and Zaragoza, "The probabilistic relevance
// framework", 2009, section 3.6), with a bonus for headings that resemble the query.

// makeRanker(texts, stem, stopwords) returns a function from a query to [{page, title, heading, anchor, score}, ...], the best first.
// texts is searchPages; stem removes the ending of an English word; stopwords is a set of words that every text has.
function makeRanker(texts, stem, stopwords) {
  const isQuestionWord = new Set(
    (
      "again already also always am any anything become becomes best call called calling calls can could do does doing don done dont easily easy " +
      "else even ever every explain explained find from get gets getting give go good got had happen happened happens has have help how i if " +
      "instead is it its just keep keeping keeps kept know knows let like look make makes me mean means more much must my need needs never often " +
      "one ought our out over please possible proper properly quite rather really right s safe same seem seems shall should show simple simply so " +
      "some someone something still t tell than then there they thing things think try trying up us use used user uses " +
      "using very via want wants was way we what when where whether which while who why will work works would yes yet you your"
    ).split(" "),
  );

  // Spellings of one word become one: centre and center, colour and color, optimise and optimize, modelling and modeling.
  const normalize = (word) => {
    if (word.length < 3) return word;
    const american = word
      .replace(/is(e[drs]?|ing|ations?|able)$/, "iz$1")
      .replace(/ys(e[drs]?|ing)$/, "yz$1")
      .replace(/([a-z]{3})our(s?|ed|ing|al|able)$/, "$1or$2")
      .replace(/([bt])re(s?|d)$/, "$1er$2")
      .replace(/ence(s?)$/, "ense$1")
      .replace(/^(fast|few|hard|high|long|low|quick|short|slow|small)(er|est)$/, "$1")
      .replace(/^(large|simple)(r|st)$/, "$1");
    return stem(american).replace(/([b-df-hj-np-tv-z])\1$/, "$1");
  };

  // A name such as CubicInterpolator, least_squares or num_threads is found as a whole and by its parts.
  const termsOfWord = (word) => {
    const parts = word
      .replace(/([a-z\d])([A-Z])/g, "$1 $2")
      .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
      .split(/[\s_]+/)
      .filter((part) => part);
    const whole = normalize(parts.join("").toLowerCase());
    return parts.length < 2 ? [whole] : [whole, ...parts.map((part) => normalize(part.toLowerCase()))];
  };
  const wordsOf = (text) => text.match(/[\p{L}\p{N}_]*[\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? [];
  const carriesMeaning = (word) => !isQuestionWord.has(word.toLowerCase()) && !stopwords.has(word.toLowerCase());
  const termsOf = (text) => wordsOf(text).filter(carriesMeaning).flatMap(termsOfWord);

  // Fields of a page and their weights. A word of the title says more about a page than a word of its text.
  const weights = { title: 12, users: 9, heading: 4, name: 2.5, link: 3, text: 1 };
  const vocabularyTerms = texts.vocabulary.map((word) => termsOf(word));
  const lengthOf = (source) => source.counts.reduce((sum, number, i) => sum + (i % 2) * number, 0);
  const meanLength = texts.pages.reduce((sum, source) => sum + lengthOf(source), 0) / texts.pages.length;
  const pages = texts.pages.map((source) => {
    const [title, ...headings] = source.headings;
    const page = { name: source.page, title: title?.[0] ?? source.page, labels: [], weighted: new Map() };
    const count = (term, weight) => page.weighted.set(term, (page.weighted.get(term) ?? 0) + weight);
    const countAll = (numbers, weight) => {
      for (let i = 0; i < numbers.length; i += 2) for (const term of vocabularyTerms[numbers[i]]) count(term, weight * numbers[i + 1]);
    };
    const addLabel = (text, anchor, field) => {
      const terms = [...new Set(termsOf(text))];
      terms.forEach((term) => count(term, weights[field]));
      page.labels.push({ text, anchor, terms, field });
    };
    addLabel(page.title, "", "title");
    headings.forEach(([text, anchor]) => addLabel(text, anchor, "heading"));
    source.users.forEach((text) => addLabel(text, "", "users"));
    source.names.flatMap(termsOf).forEach((term) => count(term, weights.name));
    countAll(source.links, weights.link);
    // A word counts less in a long text. Titles, headings and words of users are short.
    countAll(source.counts, weights.text / (0.5 + (0.5 * lengthOf(source)) / meanLength));
    return page;
  });
  // Pages that have a term.
  const frequencies = new Map();
  for (const page of pages) for (const term of page.weighted.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const known = [...frequencies.keys()];
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const importance = (term) => Math.log(1 + (pages.length - (frequencies.get(term) ?? 0) + 0.5) / ((frequencies.get(term) ?? 0) + 0.5));

  // Whether one letter more, less or other, or two neighbours exchanged, makes one word of the other.
  const isOneEdit = (a, b) => {
    if (Math.abs(a.length - b.length) > 1) return false;
    let start = 0;
    while (start < a.length && a[start] === b[start]) ++start;
    let end = 0;
    while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) ++end;
    const restA = a.slice(start, a.length - end);
    const restB = b.slice(start, b.length - end);
    if (restA.length <= 1 && restB.length <= 1) return true;
    return restA.length === 2 && restB.length === 2 && restA[0] === restB[1] && restA[1] === restB[0];
  };

  // What a term of a query that no page has may stand for: [{weight, terms}, ...].
  const guesses = (term) => {
    const numbered = term.match(/^(\p{L}+)(\p{N}+)$/u); // "ROS2" where pages say "ROS 2".
    if (numbered && frequencies.has(numbered[1])) return [{ weight: 0.9, terms: numbered.slice(1) }];
    for (let i = 3; i <= term.length - 3; ++i) {
      const parts = [term.slice(0, i), term.slice(i)].map(normalize);
      if (parts.every((part) => frequencies.has(part))) return [{ weight: 0.9, terms: parts }];
    }
    if (term.length < 4) return [];
    const related = (other) => other.length >= 5 && term.length >= 5 && Math.abs(other.length - term.length) <= 3 && (other.startsWith(term) || term.startsWith(other));
    return known
      .filter((other) => other.length >= 4 && (isOneEdit(term, other) || related(other)))
      .map((other) => ({ weight: 0.7, terms: [other] }));
  };

  // Groups of terms that mean the same. Each becomes a list of lists of stems.
  const groups = texts.synonyms.map((group) => group.map((text) => wordsOf(text).filter(carriesMeaning).map((word) => termsOfWord(word)[0])).filter((phrase) => phrase.length > 0));
  const standsAt = (terms, place, phrase) => phrase.every((term, i) => terms[place + i] === term);

  // The terms of a word of a query: as a whole, by its parts, and by what it may stand for.
  const formsOf = (word) => {
    const [whole, ...parts] = termsOfWord(word);
    const forms = [{ weight: 1, terms: [whole] }];
    if (parts.length > 0) forms.push({ weight: 0.9, terms: parts });
    return parts.length > 0 || frequencies.has(whole) ? forms : [...forms, ...guesses(whole)];
  };

  // A query as a list of slots: {size, alternatives: [{weight, terms}, ...]}. A slot is a word or a phrase with synonyms.
  const slotsOf = (query) => {
    const words = wordsOf(query);
    const meaningful = words.filter(carriesMeaning);
    const used = meaningful.length > 0 ? meaningful : words;
    const wholes = used.map((word) => termsOfWord(word)[0]);
    const slots = [];
    for (let i = 0; i < used.length; ) {
      let size = 1;
      const alternatives = [];
      const synonyms = groups.map((group) => [group, group.filter((phrase) => standsAt(wholes, i, phrase)).sort((a, b) => b.length - a.length)[0]]).filter(([, phrase]) => phrase);
      if (synonyms.length > 0) size = Math.max(...synonyms.map(([, phrase]) => phrase.length));
      for (const [group, phrase] of synonyms) {
        if (phrase.length < size) continue;
        for (const other of group) if (other !== phrase) alternatives.push({ weight: 0.6, terms: other });
      }
      alternatives.push(...(size === 1 ? formsOf(used[i]) : [{ weight: 1, terms: wholes.slice(i, i + size) }]));
      // Two words that are one elsewhere: "check board", "time stamp".
      const joined = i + 1 < used.length ? normalize((used[i] + used[i + 1]).toLowerCase()) : "";
      if (size === 1 && frequencies.has(joined)) {
        const parts = [wholes[i], wholes[i + 1]];
        // A name of two common words, such as least_squares, is not rarer than they.
        const weight = parts.every((part) => frequencies.has(part)) ? Math.min(1, mean(parts.map(importance)) / importance(joined)) : 1;
        slots.push({ size: 2, alternatives: [{ weight, terms: [joined] }, { weight: 1, terms: parts }] });
        i += 2;
        continue;
      }
      slots.push({ size, alternatives });
      i += size;
    }
    return slots;
  };

  // How much a page is about a term, between 0 and the importance of the term.
  const weightOf = (page, term) => {
    const weighted = page.weighted.get(term) ?? 0;
    return (importance(term) * weighted) / (6 + weighted);
  };
  // The importance of a slot is that of its best known alternative.
  const slotImportance = (slot) => slot.size * Math.max(0, ...slot.alternatives.map((a) => a.weight * mean(a.terms.map((t) => (frequencies.has(t) ? importance(t) : 0)))));
  // How much of a slot a list of terms covers, between 0 and 1.
  const covers = (slot, terms) => Math.max(0, ...slot.alternatives.map((a) => a.weight * mean(a.terms.map((term) => (terms.includes(term) ? 1 : 0)))));

  // The label of a page that is most like the query, between 0 and 1: the share of the query in it, times its share in the query.
  const bestLabel = (page, slots, total) => {
    let best = { likeness: 0, label: page.labels[0] };
    for (const label of page.labels) {
      const shared = slots.reduce((sum, slot) => sum + slot.important * covers(slot, label.terms), 0);
      if (shared === 0) continue;
      const own = label.terms.filter((term) => !slots.some((slot) => slot.alternatives.some((a) => a.terms.includes(term)))).reduce((sum, term) => sum + importance(term), shared);
      const likeness = ((shared / total) * shared) / own;
      if (likeness > best.likeness) best = { likeness, label };
    }
    return best;
  };

  // The reference lists names; a guide explains them.
  const usefulness = (name) => (/^(theory\/bibliography|internals\/glossary)/.test(name) ? 0.5 : /^(api|internals)\//.test(name) ? 0.55 : 1);

  return (query) => {
    const slots = slotsOf(query);
    slots.forEach((slot) => (slot.important = slotImportance(slot)));
    const total = slots.reduce((sum, slot) => sum + slot.important, 0);
    if (total === 0) return [];
    const results = [];
    for (const page of pages) {
      const found = slots.map((slot) => slot.size * Math.max(...slot.alternatives.map((a) => a.weight * mean(a.terms.map((term) => weightOf(page, term))))));
      const sum = found.reduce((a, b) => a + b, 0) / total;
      if (sum === 0) continue;
      const { likeness, label } = bestLabel(page, slots, total);
      const isTitle = likeness === 1 && label.field === "title"; // "Problem", the page of the class.
      const score = (isTitle ? 1 : usefulness(page.name)) * (sum + 0.3 * likeness);
      results.push({ page: page.name, title: page.title, heading: label.field === "heading" ? label.text : null, anchor: label.anchor, score });
    }
    return results.sort((a, b) => b.score - a.score).slice(0, 20);
  };
}

if (typeof document !== "undefined") {
  document.addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined") return;
    const stemmer = new Stemmer();
    const rank = makeRanker(searchPages, (word) => stemmer.stemWord(word), new Set(stopwords));
    // The text below a result without the marks of formulas.
    const toText = Search.htmlToText;
    Search.htmlToText = (...page) => toText(...page)?.replace(/\\[()[\]\\]|\\(begin|end)\{\w+\}/g, " ").replace(/\\(\w+)/g, "$1");
    const searchAllWords = Search._performSearch;
    Search._performSearch = (query, ...rest) => {
      const index = Search._index;
      const pages = rank(query).map(({ page, title, heading, anchor, score }) => {
        return [page, title, anchor ? "#" + anchor : "", heading, score, index.filenames[index.docnames.indexOf(page)], "title"];
      });
      // Names of functions and fields: only for a query of one word. The name itself is behind the best pages, longer ones are last.
      const names = /\s/.test(query.trim()) ? [] : searchAllWords(query, ...rest).filter((result) => result[6] === "object");
      const isName = (result) => result[1].toLowerCase().split("::").pop() === query.trim().toLowerCase().split("::").pop();
      const best = pages.splice(0, 3);
      // The best is the last.
      return [...names.filter((name) => !isName(name)), ...pages.reverse(), ...names.filter(isName), ...best.reverse()];
    };
  });
}
