// What comes first in the search: pages that tell how, before those that tell why or since when.

const LAST = /^(changelog|contributing|architecture|decisions\/|papers\/|errata|benchmarks|cube|jax-measured)/;

var Scorer = {
  score: ([page, , , , score]) => score - (LAST.test(page) ? 12 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
