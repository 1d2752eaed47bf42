// Order of search results: entries of the index and titles that contain the query, then pages by kind.
var Scorer = {
  score: ([docname, , , , score, , kind]) => {
    if (kind === "index" || kind === "title") return score + 30;
    if (/^(faq|start\/|howto\/)/.test(docname)) return score + 3;
    if (/^(about\/changelog|about\/style|reference\/errors|results\/leaderboard|metrics\/)/.test(docname)) return score - 3;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
