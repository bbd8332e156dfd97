/** What a command line shows of files, read off its words: agents read with `cat`, `sed -n` and `grep` as often as with a tool for it. */
import type { Fact, Prints } from '../lens.ts';

/** Of each the number of words before its files that are no options: a script, a pattern. */
const PRINTERS: ReadonlyMap<string, number> = new Map([
  ...(['cat', 'head', 'tail', 'nl', 'bat', 'less', 'more'] as const).map((name) => [name, 0] as const),
  ['sed', 1],
]);
const FINDERS: ReadonlyMap<string, number> = new Map(
  (['grep', 'egrep', 'fgrep', 'rg', 'ag', 'awk'] as const).map((name) => [name, 1] as const),
);
/** Beside a printer they add little or nothing to an output. */
const SILENT: ReadonlySet<string> = new Set(['cd', 'echo', 'true', ':', 'set', 'printf']);

/** Longer command lines are scripts. */
const MAX_CHARS = 1_000;
/** Substitutions, files written, texts put in: what such a line shows is not what its words say. */
const OPAQUE = /\$\(|`|<<|>(?!&)|\bsed\b[^|;&\n]*\s(?:-\w*i|--in-place)/;
const LITERAL = /'[^']*'/g;
const QUIET = /\s*(?:2>\s?\/dev\/null|2>&1)/g;

const TOKEN = /&&|\|\||[|;&\n]|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|;&])+/g;
const IS_OPERATOR = /^(?:&&|\|\||[|;&\n])$/;
const QUOTES = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g;
/** Options that stand before their value. */
const VALUED = /^-(?:n|c|A|B|C|m|e|f|g|t)$/;
const NUMBER = /^[-+]?\d/;

interface Step {
  readonly words: readonly string[];
  readonly isPiped: boolean;
}

function stepsOf(command: string): readonly Step[] {
  const steps: { words: string[]; isPiped: boolean }[] = [{ words: [], isPiped: false }];
  for (const [token] of command.matchAll(TOKEN))
    if (IS_OPERATOR.test(token)) steps.push({ words: [], isPiped: token === '|' });
    else steps.at(-1)?.words.push(token.replace(QUOTES, '$1$2$3'));
  return steps.filter(({ words }) => words.length > 0);
}

/** The files among a program's words, `skipped` of them left out that come first. `sed -n '1,9p' a`: the script of `-n` is no number. */
function filesIn(words: readonly string[], skipped: number): readonly string[] {
  const own: string[] = [];
  words.forEach((word, index) => {
    const before = words[index - 1] ?? '';
    const isValue = VALUED.test(before) && NUMBER.test(word) && !word.includes('p');
    if (!word.startsWith('-') && !isValue) own.push(word);
  });
  return own.slice(skipped).filter((word) => !/[*?{$]/.test(word) && /[\w)\]]$/.test(word));
}

function isWhole({ words: [program = ''], isPiped }: Step): boolean {
  return !isPiped && (PRINTERS.has(program) || SILENT.has(program));
}

/** The files a step names, unless it only filters what another one shows. */
function shownBy({ words: [program = '', ...rest], isPiped }: Step): readonly string[] {
  const skipped = isPiped ? undefined : (PRINTERS.get(program) ?? FINDERS.get(program));
  return skipped === undefined ? [] : filesIn(rest, skipped);
}

/** Undefined where a command shows no file that its words name. */
export function printsOf(command: string): Prints | undefined {
  const plain = command.length > MAX_CHARS ? '' : command.replace(QUIET, '');
  if (OPAQUE.test(plain.replace(LITERAL, "''"))) return undefined;
  const steps = stepsOf(plain);
  const paths = steps.flatMap(shownBy);
  return paths.length === 0 ? undefined : { paths, isVerbatim: steps.every(isWhole) };
}

/** The fact of a command line. */
export function ranFact(command: string): Fact {
  const prints = printsOf(command);
  return prints === undefined ? { kind: 'ran', command } : { kind: 'ran', command, prints };
}
