/**
 * The conversation as text for the summary writer: the same projection of history the model was sent, each part capped, the whole
 * bounded by construction, so that the request fits even for one huge entry. Every text is a JSON string: foreign words are data.
 */
import type { PartEdit, Piece } from '../edit.ts';
import type { Part } from '../entry.ts';
import type { History } from '../history.ts';
import { headOf, tailOf } from '../layers/marker.ts';
import type { Span } from '../layers/range-edits.ts';
import type { Lens } from '../lens.ts';
import type { View, ViewEntry } from '../view.ts';
import { writeDigest } from './code-writer.ts';

function quoted(text: string, chars: number): string {
  if (text.length <= chars) return JSON.stringify(text);
  const head = headOf(text, Math.ceil(chars / 2));
  const tail = tailOf(text, Math.floor(chars / 2));
  return `${JSON.stringify(head)} (${text.length - head.length - tail.length} characters left out) ${JSON.stringify(tail)}`;
}

function partLine(part: Part, patch: PartEdit | undefined, chars: number): string {
  if (patch !== undefined) return `${part.kind} ${quoted(patch.text, chars)}`;
  switch (part.kind) {
    case 'text':
      return `text ${quoted(part.text, chars)}`;
    case 'call':
      return `call ${part.name} ${quoted(JSON.stringify(part.input) ?? '', chars)}`;
    case 'result':
      return `result${part.isError ? ' (error)' : ''} ${quoted(part.text, chars)}`;
    case 'media':
      return `media ${part.mediaType}`;
    case 'opaque':
      return `other ${part.name}`;
    case 'reasoning':
      return '';
  }
}

function pieceLine(piece: Piece, history: History, chars: number): string {
  if (typeof piece === 'string') return `summary ${quoted(piece, chars)}`;
  const part = history.at(piece.entry).parts[piece.part];
  return part === undefined ? '' : partLine(part, undefined, chars);
}

function entryLines(entry: ViewEntry, history: History, chars: number): string[] {
  if (entry.range !== undefined) {
    const { pieces, pins = [], notes = [] } = entry.range;
    // The narrative stands beside the transcript, and the facts around it are written by code again.
    const isNarrative = (index: number): boolean => entry.range?.narrative?.piece === index;
    const isNote = (index: number): boolean => notes.includes(index) || pins.some(([piece]) => piece === index);
    // What stands for a range is already short; cutting it again would lose what earlier summaries kept. What stands beside its text, such as the
    // host's state, is asked for or carried anew. Pins and notes are carried word for word as long as they have to be.
    return pieces.flatMap((piece, index) => {
      if (isNote(index) || isNarrative(index)) return [];
      const isBeside = index > 0 && typeof piece === 'string';
      return [`user ${pieceLine(piece, history, isBeside ? chars : chars * 8)}`];
    });
  }
  const source = history.at(entry.from);
  const who = source.origin === 'model' ? 'assistant' : source.origin;
  return source.parts.flatMap((part, index) => {
    const line = partLine(part, entry.patches?.get(index), chars);
    return line === '' ? [] : [`${who} ${line}`];
  });
}

/** Lines whose total stays under `maxChars`: the first quarter and the last three quarters of the room, whole lines. */
function bounded(lines: readonly string[], maxChars: number): string {
  const total = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (total <= maxChars) return lines.join('\n');
  const head: string[] = [];
  let used = 0;
  for (const line of lines) {
    // The first line may be an earlier summary: it stays whatever the quarter says.
    if (head.length > 0 && used + line.length + 1 > maxChars / 4) break;
    head.push(line);
    used += line.length + 1;
  }
  const tail: string[] = [];
  for (let i = lines.length - 1; i >= head.length; i -= 1) {
    const line = lines[i] ?? '';
    if (used + line.length + 60 > maxChars) break;
    tail.unshift(line);
    used += line.length + 1;
  }
  return [...head, `(${lines.length - head.length - tail.length} lines left out)`, ...tail].join('\n');
}

export interface TranscriptOptions {
  readonly history: History;
  readonly view: View;
  readonly span: Span;
  /** Characters the transcript may have. */
  readonly maxChars: number;
}

/** Share of the room one part may take. */
const PART_SHARE = 0.05;

export interface RebuildOptions extends Omit<TranscriptOptions, 'view'> {
  readonly lens: Lens;
}

/** Shares of the room of a rebuilt transcript: its beginning and its end as messages, what lies between as facts. */
const HEAD_SHARE = 0.25;
const FACTS_SHARE = 0.25;

/** The messages of a span themselves, whatever stands for them in view: as they are where they fit, else with the middle as facts by code. */
export function rebuildTranscript({ history, lens, span, maxChars }: RebuildOptions): string {
  const partChars = Math.max(200, Math.floor(maxChars * PART_SHARE));
  const entries: string[] = [];
  for (let index = span.from; index < span.to; index += 1)
    entries.push(entryLines({ from: index, to: index + 1, tokens: 0, bytes: 0 }, history, partChars).join('\n'));
  const total = entries.reduce((sum, text) => sum + text.length + 1, 0);
  if (total <= maxChars) return entries.join('\n');
  const head = fitting(entries, maxChars * HEAD_SHARE);
  const rest = entries.slice(head);
  const tail = fitting(rest.toReversed(), maxChars * (1 - HEAD_SHARE - FACTS_SHARE) - 100);
  const middle = { from: span.from + head, to: span.to - tail };
  const facts = writeDigest({
    history,
    lens,
    span: middle,
    offersRecall: false,
    maxChars: Math.floor(maxChars * FACTS_SHARE),
  });
  const note = `(${middle.to - middle.from} messages left out; what code knows of them:)`;
  return [...entries.slice(0, head), note, facts, ...entries.slice(entries.length - tail)].join('\n');
}

/** How many of `texts` fit into `room`, from the first on. */
function fitting(texts: readonly string[], room: number): number {
  let used = 0;
  const over = texts.findIndex((text) => {
    used += text.length + 1;
    return used > room;
  });
  return over < 0 ? texts.length : over;
}

export function renderTranscript({ history, view, span, maxChars }: TranscriptOptions): string {
  const partChars = Math.max(200, Math.floor(maxChars * PART_SHARE));
  const lines = view.entries
    .filter((entry) => entry.from >= span.from && entry.to <= span.to)
    .flatMap((entry) => entryLines(entry, history, partChars));
  return bounded(lines, maxChars);
}
