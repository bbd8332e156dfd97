/** The headings of the table. */
export const SECTIONS = {
  parse: 'JSON.parse',
  turns: 'prepare, two new messages, fed turn by turn',
  whole: 'prepare, the whole array given again',
  cold: 'cold build',
  memory: 'memory',
  compaction: 'compaction without a model',
  estimate: 'estimate of tokens, error',
  counters: 'counters of tokens',
  letters: 'a megabyte of one letter',
  archive: 'archive',
  search: 'search',
  peers: 'prepare, peers: the whole history, two new messages',
} as const;
