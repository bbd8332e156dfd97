/** What a command line is about, without what only shapes its output: two with one stem succeed and fail for the same reasons. */

/** Filters that only shorten or pick from what the command before them printed. */
const FILTERS: ReadonlySet<string> = new Set([
  'head',
  'tail',
  'grep',
  'sed',
  'cat',
  'less',
  'more',
  'tee',
  'cut',
  'wc',
]);

const CHANGE_FOLDER = /^cd\s+\S+\s*(?:&&|;)\s*/;
const REDIRECTION = /\s+(?:2>&1|2>\s?\/dev\/null)(?=\s|$)/g;
const OR_TRUE = /\s*\|\|\s*true\s*$/;

/** Longer command lines are scripts: they are their own stems. */
const MAX_CHARS = 2_000;

/** `cd x && npm test 2>&1 | tail -20` as `npm test`. */
export function commandStem(command: string): string {
  if (command.length > MAX_CHARS) return command;
  let stem = command.trim().replace(OR_TRUE, '').replace(REDIRECTION, '').replace(CHANGE_FOLDER, '');
  for (let bar = stem.lastIndexOf('|'); bar > 0 && stem[bar - 1] !== '|'; bar = stem.lastIndexOf('|')) {
    const filter =
      stem
        .slice(bar + 1)
        .trim()
        .split(/\s/, 1)[0] ?? '';
    if (!FILTERS.has(filter)) break;
    stem = stem.slice(0, bar).trimEnd();
  }
  return stem.trim();
}
