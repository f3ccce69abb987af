// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Sphinx finds pages that have every word of a query. Users ask "wrong Jacobian" or "thousands of small fits". This adds the pages that
// have some of the words, and weighs index entries (docs/tools/search_words.json) by the words that they share with the query.
// This script is loaded before Sphinx's, so that its listener is called first.
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const searchAllWords = Search._performSearch;
  const stemmer = new Stemmer();
  // The words without endings, but not those that every text has.
  const stems = (text) => {
    const words = splitQuery(text.toLowerCase().trim()).filter((word) => !stopwords.has(word));
    return [...new Set(words.map((word) => stemmer.stemWord(word)))];
  };

  // Calls add(result, score) for each page of an index entry that shares words with the query.
  const searchEntries = (words, add) => {
    for (const [entry, places] of Object.entries(Search._index.indexentries)) {
      if (entry.endsWith(")")) continue; // A name of the API, such as "problem (c++ class)".
      const own = stems(entry);
      const shared = own.filter((word) => words.includes(word)).length;
      if (shared === 0) continue;
      for (const [file, id] of places) {
        const result = [Search._index.docnames[file], Search._index.titles[file], id ? "#" + id : "", null, 0, Search._index.filenames[file], "index"];
        add(result, (60 * shared * shared) / (own.length * words.length));
      }
    }
  };

  Search._performSearch = (query, ...rest) => {
    const whole = searchAllWords(query, ...rest);
    const words = stems(query);
    const pages = new Map(); // The best result and the sum of scores, by page.
    const add = (result, score) => {
      const page = pages.get(result[0]) ?? { result, best: 0, entry: 0, sum: 0 };
      if (score > page.best) Object.assign(page, { result, best: score });
      if (result[6] === "index") {
        page.sum += Math.max(0, score - page.entry); // Entries of a page count once.
        page.entry = Math.max(page.entry, score);
      } else {
        page.sum += score;
      }
      pages.set(result[0], page);
    };
    // Adds the best result of each page. A word that many pages have says little.
    const addBest = (results, weight) => {
      const best = new Map();
      for (const result of results) {
        if (!(best.get(result[0])?.[4] >= result[4])) best.set(result[0], result);
      }
      for (const result of best.values()) add([...result.slice(0, 6), "page"], (weight * Math.min(result[4], 20)) / (1 + Math.log(best.size)));
    };
    searchEntries(words, add);
    addBest(whole, 2);
    if (words.length > 1) {
      for (const word of words) addBest(searchAllWords(word, new Set([word]), new Set(), new Set([word]), new Set([word])), 1);
    }
    const ranked = [...pages.values()].sort((a, b) => a.sum - b.sum).map((page) => page.result);
    // Names of functions and fields: only for a query of one word, behind the pages.
    const names = words.length > 1 ? [] : whole.filter((result) => !ranked.includes(result) && result[6] === "object");
    return [...names, ...ranked];
  };
});
