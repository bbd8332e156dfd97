/**
 * The code writer: a summary made without a model, the last rung of every trigger, and what completes a model's. The
 * user's messages as they are, then facts the lens reads off calls and results, the newest kept where room is short. It reads the history, not an earlier summary, so
 * nothing wears off over generations.
 */
import { type Entry, isUserWords } from '../entry.ts';
import { factsOf } from '../facts/facts-of.ts';
import type { History } from '../history.ts';
import { headOf } from '../layers/marker.ts';
import type { Span } from '../layers/range-edits.ts';
import type { Fact, Lens, Outcome } from '../lens.ts';

export interface CodeWriterOptions {
  readonly history: History;
  readonly span: Span;
  readonly lens: Lens;
  /** Characters the text may have. */
  readonly maxChars: number;
  /** True where the user's messages stand beside the text as they are. @default false */
  readonly hasUsers?: boolean | undefined;
  /** A narrative beside which only what it does not mention is written. */
  readonly known?: string | undefined;
}

interface Findings {
  readonly users: string[];
  readonly files: Map<string, string>;
  readonly commands: Map<string, string>;
  readonly errors: string[];
  lastWords: string;
}

const LINE_CHARS = 240;

/** One line of foreign text, as JSON so that it cannot pass for the engine's words, in at most `chars` characters or so. */
function quoted(text: string, chars = LINE_CHARS): string {
  let head = headOf(text, chars);
  let json = JSON.stringify(head);
  // Escapes make JSON longer than the text: cut by what is really written.
  while (json.length > chars + 2 && head.length > 1) {
    head = headOf(head, Math.max(1, Math.floor((head.length * chars) / json.length)));
    json = JSON.stringify(head);
  }
  return json + (head.length < text.length ? ` (${text.length - head.length} characters left out)` : '');
}

function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? '';
  return line.trim();
}

function ended({ exitCode, isError }: Outcome): string {
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return isError ? 'failed' : 'ok';
}

const VERB = { read: 'read', wrote: 'written', edited: 'edited' } as const;

function note(findings: Findings, fact: Fact, { text, outcome }: { text: string; outcome: Outcome }): void {
  if (fact.kind === 'read' || fact.kind === 'wrote' || fact.kind === 'edited') {
    findings.files.delete(fact.path);
    findings.files.set(fact.path, outcome.isError ? `${VERB[fact.kind]}, failed` : VERB[fact.kind]);
  } else if (fact.kind === 'ran') {
    findings.commands.delete(fact.command);
    findings.commands.set(fact.command, ended(outcome));
  }
  if (outcome.isError) findings.errors.push(firstLine(text));
}

function userText(entry: Entry): string {
  return entry.parts
    .filter(isUserWords)
    .map((part) => (part.kind === 'text' ? part.text : `(${part.kind})`))
    .join('\n');
}

function noteCalls(
  findings: Findings,
  { history, span, lens }: Pick<CodeWriterOptions, 'history' | 'span' | 'lens'>,
): void {
  for (const { fact, result, outcome } of factsOf(history, lens).calls) {
    if (result === undefined || outcome === undefined || result.entry < span.from || result.entry >= span.to) continue;
    const part = history.at(result.entry).parts[result.part];
    note(findings, fact, { text: part?.kind === 'result' ? part.text : '', outcome });
  }
}

function collect({ history, span, lens }: CodeWriterOptions): Findings {
  const findings: Findings = { users: [], files: new Map(), commands: new Map(), errors: [], lastWords: '' };
  for (let index = span.from; index < span.to; index += 1) {
    const entry = history.at(index);
    // The newest user message is carried beside the summary as it is.
    if (entry.origin === 'user' && index !== history.newestUser && entry.parts.some(isUserWords))
      findings.users.push(userText(entry));
    for (const part of entry.parts)
      if (part.kind === 'text' && entry.origin === 'model') findings.lastWords = part.text;
  }
  noteCalls(findings, { history, span, lens });
  return findings;
}

/** The newest lines that fit into `room`, in order, with an honest line for the rest. */
function section(title: string, lines: readonly string[], room: number): string {
  if (lines.length === 0) return '';
  const kept: string[] = [];
  let used = title.length + 40;
  for (const line of lines.toReversed()) {
    if (used + line.length + 1 > room) continue;
    used += line.length + 1;
    kept.unshift(line);
  }
  const missing = lines.length - kept.length;
  return [title, ...(missing > 0 ? [`(${missing} left out)`] : []), ...kept].join('\n');
}

/** The digest of a span, at most `maxChars` characters. */
export function writeDigest(options: CodeWriterOptions): string {
  const findings = collect(options);
  const { maxChars, known } = options;
  const isNews = (text: string): boolean => known === undefined || !known.includes(text);
  const files = [...findings.files].filter(([path]) => isNews(path)).map(([path, what]) => `- ${quoted(path)} ${what}`);
  const commands = [...findings.commands]
    .filter(([command]) => isNews(command))
    .map(([command, what]) => `- ${quoted(command)} ${what}`);
  const users = (options.hasUsers === true ? [] : findings.users)
    .filter(isNews)
    .map((text) => `- ${quoted(text, Math.floor(maxChars / 4))}`);
  const errors = findings.errors.filter(isNews).map((line) => `- ${quoted(line)}`);
  const lastWords =
    findings.lastWords === '' || known !== undefined ? '' : quoted(findings.lastWords, Math.floor(maxChars / 10));
  const sections = [
    section('Messages of the user:', users, maxChars * 0.4),
    section('Files, with the last operation:', files, maxChars * 0.2),
    section('Commands, with the last outcome:', commands, maxChars * 0.15),
    section('Errors, first line (data from tools):', errors, maxChars * 0.1),
    lastWords === '' ? '' : `Last words of the assistant: ${lastWords}`,
  ];
  return headOf(sections.filter((text) => text !== '').join('\n\n'), maxChars);
}
