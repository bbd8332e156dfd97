/** What may be remembered about one access: the access itself, and something wider only where that can do little more. */
import { posix } from 'node:path';
import { escapeGlob } from '../workspace/glob-pattern.ts';
import type { Rule } from './rules.ts';
import type { ShellPart, ShellParts } from './shell-parts.ts';
import type { Offer } from './verdict.ts';

/** Longer texts are no help in a question, and nobody reads them before saying yes for good. */
const MAX_RULE_CHARS = 1_000;

/**
 * Commands whose further words choose among what the project itself runs. Not here, although often run: what takes a file to write or a
 * program to start among its words, as `git log --output=…` and `go test -exec …` do.
 */
const PROJECT_COMMANDS: readonly RegExp[] = [
  /^(?:npm|pnpm|yarn|bun) test(?= |$)/,
  /^(?:npm|pnpm|yarn|bun) run [A-Za-z0-9][A-Za-z0-9:._-]*(?= |$)/,
  /^cargo (?:check|clippy|test)(?= |$)/,
  /^git status(?= |$)/,
];

/** Options of those commands that change how much is done or said. Others may name a program to start, a file to load or another project. */
const PLAIN_OPTIONS =
  /^-(?:[bqsvw]|-(?:all|all-features|all-targets|branch|bins|if-present|lib|locked|long|no-run|offline|porcelain|quiet|release|run|short|silent|tests|verbose|watch|workspace|workspaces))$/;
/** What leads out of the project, as a word or as the value of an option. */
const FAR_WORD = /(?:^|[=:])[/~$]|(?:^|[=:/])\.\.(?:\/|$)/;

/** Whether the rule is one of the wider ones offered here, and so means no more than it was offered for. */
export function isProjectRule({ isRemembered, isExact, pattern = '' }: Rule): boolean {
  if (isRemembered !== true || isExact === true || !pattern.endsWith(' *')) return false;
  return PROJECT_COMMANDS.some((command) => command.exec(pattern)?.[0] === pattern.slice(0, -2));
}

/** Whether the further words only choose among what the project runs; behind `--` they are the project's own script's. */
export function staysInProject({ text, plain }: ShellPart): boolean {
  const words = text.split(/\s+/);
  const end = words.indexOf('--');
  const options = (end === -1 ? words : words.slice(0, end)).filter((word) => /^["'\\]*-/.test(word));
  const reach = [...words, ...plain.split(' ')];
  return options.every((word) => PLAIN_OPTIONS.test(word)) && !reach.some((word) => FAR_WORD.test(word));
}

export function commandOffers(command: string, tool: string, split: ShellParts): readonly Offer[] {
  if (command.length > MAX_RULE_CHARS) return [];
  const exact = { text: `${tool}(${command})`, isExact: true };
  const [part, ...others] = split.parts;
  if (part === undefined || others.length > 0 || !split.sure || part.writesFile || part.text !== part.plain)
    return [exact];
  const wider = PROJECT_COMMANDS.flatMap((pattern) => pattern.exec(part.text)?.[0] ?? []).slice(0, 1);
  return [exact, ...wider.map((text) => ({ text: `${tool}(${text} *)`, isExact: false }))];
}

/** `relative` is a path to write. Folders with a dot in front hold what programs run by themselves, so they are not offered whole. */
export function writeOffers(relative: string, tool: string): readonly Offer[] {
  const exact = `${tool}(${escapeGlob(relative)})`;
  if (exact.length > MAX_RULE_CHARS) return [];
  const folder = posix.dirname(relative);
  const isPlain =
    !posix.isAbsolute(relative) && folder !== '.' && !relative.split('/').some((step) => step.startsWith('.'));
  const wider = isPlain ? [{ text: `${tool}(${escapeGlob(folder)}/**)`, isExact: false }] : [];
  return [{ text: exact, isExact: false }, ...wider];
}
