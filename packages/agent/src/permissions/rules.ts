/**
 * Permission rules as text: `tool`, `tool(pattern)` or `*`.
 *
 * `bash(npm test*)` is about commands: `*` stands for any text, and a pattern that ends in ` *` also matches
 * without it. `write_file(src/**)` is about paths relative to the workspace root (see glob-pattern.ts).
 * `*` or `**` alone as a pattern means everything. `read_file` rules hold for every tool that reads files, `write_file` rules for every tool that writes them.
 * Rules that forbid or ask ignore case and the Unicode form, since some file systems do.
 */
import { AgentError } from '../errors.ts';
import { compileGlob, type GlobMatcher } from '../workspace/glob-pattern.ts';

export interface PermissionRules {
  /** @default [] */
  readonly allow?: readonly string[];
  /** Wins over `ask` and `allow`. @default [] */
  readonly deny?: readonly string[];
  /** Wins over `allow`. @default [] */
  readonly ask?: readonly string[];
}

export type RuleKind = 'allow' | 'deny' | 'ask';

export interface Rule {
  /** As written. */
  readonly text: string;
  /** Tool name or `*`. */
  readonly tool: string;
  /** What stands between the parentheses; absent for a rule about every use of the tool. */
  readonly pattern?: string;
  readonly matchesPath: GlobMatcher;
  readonly matchesCommand: (command: string) => boolean;
  /** Its pattern is one command, to the letter. */
  readonly isExact?: boolean;
  /** The user's answer to a question, not a setting: it opens nothing protected, and yields to what a rule may be about. */
  readonly isRemembered?: boolean;
}

export interface RuleSet {
  readonly allow: readonly Rule[];
  readonly deny: readonly Rule[];
  readonly ask: readonly Rule[];
}

/** A rule the user had remembered, as it is kept. */
export interface RememberedRule {
  readonly kind: RuleKind;
  readonly text: string;
  /** @default false */
  readonly isExact?: boolean;
}

const RULE = /^(\*|[A-Za-z_][\w.-]*)(?:\(([\s\S]+)\))?$/;

/** @throws AgentError `invalid_rule` */
export function parseRules(rules: PermissionRules): RuleSet {
  return {
    allow: (rules.allow ?? []).map((text) => parseRule(text, 'allow')),
    deny: (rules.deny ?? []).map((text) => parseRule(text, 'deny')),
    ask: (rules.ask ?? []).map((text) => parseRule(text, 'ask')),
  };
}

/** @throws AgentError `invalid_rule` */
export function parseRemembered({ kind, text, isExact = false }: RememberedRule): Rule {
  const rule = { ...parseRule(text, kind), isRemembered: true };
  const { pattern } = rule;
  if (!isExact || pattern === undefined) return rule;
  const matchesCommand = (command: string): boolean =>
    kind === 'allow' ? command === pattern : foldCase(command) === foldCase(pattern);
  return { ...rule, isExact, matchesCommand, matchesPath: () => false };
}

/** A rule without a pattern, or with `*` alone, says nothing about what is done. */
export function isBroad(rule: Rule): boolean {
  if (rule.isExact === true) return false;
  return rule.pattern === undefined || rule.pattern === '*' || rule.pattern === '**';
}

/** `NFC` and lower case: two names that one file system takes for the same become equal. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function parseRule(text: string, kind: RuleKind): Rule {
  const found = RULE.exec(text.trim());
  const tool = found?.[1];
  if (tool === undefined) throw invalid(text, 'it must read tool, tool(pattern) or *');
  const pattern = found?.[2];
  if (tool === '*' && pattern !== undefined) throw invalid(text, 'a pattern needs the name of a tool');
  if (pattern === undefined) return { text, tool, matchesPath: always, matchesCommand: always };
  const exact = kind === 'allow';
  return {
    text,
    tool,
    pattern,
    matchesPath: pathMatcher({ text, tool, pattern }, exact),
    matchesCommand: commandMatcher(pattern, exact),
  };
}

function always(): boolean {
  return true;
}

function pathMatcher(rule: Pick<Rule, 'text' | 'tool'> & { pattern: string }, exact: boolean): GlobMatcher {
  const { text, tool, pattern } = rule;
  if (pattern === '*' || pattern === '**') return always;
  const plain = pattern.replace(/^\.\//, '');
  const compiled = compileGlob(exact ? plain : foldCase(plain));
  // a command pattern may be no path pattern at all; it then matches no path
  if (!compiled.ok && tool === 'bash') return () => false;
  if (!compiled.ok) throw invalid(text, compiled.reason);
  return exact ? compiled.matches : (path) => compiled.matches(foldCase(path));
}

function commandMatcher(pattern: string, exact: boolean): (command: string) => boolean {
  const fold = exact ? (text: string): string => text : foldCase;
  const pieces = fold(pattern).split('*');
  const bare = pattern.endsWith(' *') && pieces.length === 2 ? fold(pattern).slice(0, -2) : undefined;
  return (command) => {
    const text = fold(command);
    return text === bare || matchesPieces(text, pieces);
  };
}

/** Linear: each piece is taken at its first place after the one before, the last at the end. */
function matchesPieces(text: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? '';
  const last = pieces[pieces.length - 1] ?? '';
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return position + last.length <= text.length;
}

function invalid(text: string, reason: string): AgentError {
  return new AgentError('invalid_rule', `permission rule ${JSON.stringify(text)}: ${reason}`);
}
