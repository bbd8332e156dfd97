/** Finds the instruction to follow: the newest user message that carries one, compacted or not. */

import { parseInstruction, type Instruction } from './grammar.ts';
import { type Mark, marksIn } from './marks.ts';
import { bounded, tagOf } from './text.ts';
import type { Task, TextRecord, View } from './types.ts';

const INJECTED =
  /^\s*(?:\[(?:compact|reactive|snipped|context|earlier|older|summary|previous|conversation|recalled|restored|attached|folded)[^\]\n]{0,300}\]|<[a-z][\w-]{0,40}[\s>])/i;
const SUMMARY = /^\s*(?:\[(?:reactive )?compact|<[\w-]*summary|This session is being continued)/i;
const NUDGE = /^\s*(?:please\s+)?(?:continue|go on|carry on|keep going|proceed|resume)\b/i;
const SUMMARY_SCAN = 200_000;

export type Found = { readonly kind: 'task'; readonly task: Task } | { readonly kind: 'chat'; readonly text: string };

/** A text that the context engine or the host put in, not the user. */
export function isInjected(text: string): boolean {
  return INJECTED.test(text) || isSummary(text);
}

export function isSummary(text: string): boolean {
  return SUMMARY.test(text);
}

export function findInstruction(view: View): Found {
  const messages = [...new Set(view.heard.map((heard) => heard.message))].toReversed();
  for (const message of messages) {
    const texts = view.heard.filter((heard) => heard.message === message);
    const found = fromMessage(view, message, texts);
    if (found) return found;
  }
  return { kind: 'chat', text: '' };
}

/** `undefined` when the message leaves the older ones in force. */
function fromMessage(view: View, message: number, texts: readonly TextRecord[]): Found | undefined {
  const parts = texts.map((heard) => heard.text);
  const own = parts.filter((text) => !isInjected(text));
  const summaries = parts.filter(isSummary);
  const newest = newestMark(view, summaries);
  const tags = new Set(newest === undefined ? [] : [newest.tag]);
  const known = own.find((text) => tags.has(tagOf(text))) ?? quotedIn(summaries, tags);
  if (summaries.length > 0 && known !== undefined) {
    const next = newest?.state === 'finished' ? laterInstruction(own, known) : undefined;
    return task(next ?? known, message);
  }
  const chosen = choose(own, view.answering.has(message), summaries.length > 0);
  if (chosen !== undefined) return task(chosen, message);
  const words = own.filter((text) => !NUDGE.test(text));
  const aside = words.length === 0 || view.answering.has(message);
  return aside ? undefined : { kind: 'chat', text: words.at(-1) ?? '' };
}

/**
 * The text to follow among those of one message. Beside tool results only a text that begins with an instruction is
 * taken for one; after a summary the user's text comes before what the engine restores, otherwise the last is newest.
 */
function choose(own: readonly string[], answers: boolean, summarised: boolean): string | undefined {
  const fits = ({ acts, actsAtOnce }: Instruction): boolean => (answers ? actsAtOnce : acts);
  const carrying = own.filter((text) => fits(parseInstruction(text)));
  return summarised ? carrying[0] : carrying.at(-1);
}

/** Of the task that some visible text says is under way, or done. */
function newestMark(view: View, summaries: readonly string[]): Mark | undefined {
  if (summaries.length === 0) return undefined;
  const texts = [...summaries.map((text) => bounded(text, SUMMARY_SCAN)), ...view.said.map((said) => said.text)];
  return texts.flatMap(marksIn).at(-1);
}

/** What the user asked for behind a request that is done: the request is carried beside the summary, and the next stands right behind it. */
function laterInstruction(own: readonly string[], done: string): string | undefined {
  const later = own.slice(own.lastIndexOf(done) + 1);
  return later.findLast((text) => parseInstruction(text).acts && !NUDGE.test(text));
}

/** A summary may quote the request as a paragraph of its own, below a heading. */
function quotedIn(summaries: readonly string[], tags: ReadonlySet<string>): string | undefined {
  if (tags.size === 0) return undefined;
  const paragraphs = summaries.flatMap((text) => bounded(text, SUMMARY_SCAN).split(/\n[ \t]*\n/));
  const candidates = paragraphs.flatMap((text) => [text, text.slice(text.indexOf('\n') + 1)]);
  return candidates.find((text) => tags.has(tagOf(text)));
}

function task(text: string, message: number): Found {
  const { steps } = parseInstruction(text);
  return { kind: 'task', task: { tag: tagOf(text), steps, message } };
}
