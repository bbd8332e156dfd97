/** Writes the summary a context engine asks for: what it can be sure of, by code, from the text it is given. */

import type { SimMessage, SimRequest } from '../../brain.ts';
import { parseInstruction } from './grammar.ts';
import { isInjected } from './instruction.ts';
import { furthest, marksIn, type Mark } from './marks.ts';
import { oneLine, sliceWhole, tagOf } from './text.ts';
import { plainText, spokenText, unquote } from './transcript.ts';
import type { Step } from './types.ts';
import { textParts } from './view.ts';

const AIM = 2_000;
const GOAL_MAX = 500;
/** Low on purpose: paths and marks take more tokens than prose, and a cut summary is worth nothing. */
const CHARS_PER_TOKEN = 2.5;
const READ = /\bread_file\b[^\n]{0,40}?\bpath\\?["']?\s{0,3}[:=]\s{0,3}\\?["'`]([^"'`\\\n]{1,200})/g;
const CHANGED = /\b(?:write_file|edit_file)\b[^\n]{0,40}?\bpath\\?["']?\s{0,3}[:=]\s{0,3}\\?["'`]([^"'`\\\n]{1,200})/g;
const APPENDED = />>\s{0,3}\\?["']([^"'\\\n]{1,200})/g;
const LABELLED = /\bstep \d{1,4}\/\d{1,4}[^:\n]{0,30}: (read|edit|write) `([^`\n]{1,120})`/g;
const EARLIER = /^Files (read|changed): ([^\n]{1,2000})/gm;
const ROLE =
  /(?:^|\n|[{,]\s{0,4}"role"\s{0,3}:\s{0,3}")[^\w\n]{0,6}(?:user|human)\b[^\w\n]{0,8}(?:content["']?\s{0,3}:)?/gi;
const REQUEST_SCAN = 8_000;
/** What stands before the text of a message that was written out as JSON. */
const JSON_STRING =
  /^\s{0,3}(?:(?:text|message)\s)?(?:,\s{0,3}"content"\s{0,3}:\s{0,3})?(?:\[\s{0,3}\{\s{0,3}"type"\s{0,3}:\s{0,3}"text"\s{0,3},\s{0,3}"text"\s{0,3}:\s{0,3})?"/;
const CONSTRAINT = /\b(?:must|never|do not|don't)\b/i;

/** Text only, inside the output limit; the progress mark comes last but is never what is cut. */
export function summarise(request: SimRequest): string {
  const transcript = transcriptOf(request.messages);
  const text = plainText(transcript);
  const goal = goalOf(transcript, text);
  const mark = newestMark(spokenText(transcript) ?? text, tagOf(goal));
  const max = Math.min(AIM, Math.max(80, Math.floor(request.maxOutputTokens * CHARS_PER_TOKEN) - 40));
  const progress = mark ? `Progress: ${progressText(mark)}` : '';
  const room = max - progress.length - 2;
  const body = [
    section('Current goal', `\n${sliceWhole(goal, GOAL_MAX)}`),
    section('Files read', listed(text, [READ], 'read')),
    section('Files changed', listed(text, [CHANGED, APPENDED], 'changed')),
    section('Remaining work', remaining(goal, mark)),
    section('User constraints', constraints(goal)),
  ].join('\n\n');
  const kept = body.length > room ? `${sliceWhole(body, Math.max(0, room - 1))}…` : body;
  return [kept, progress].filter((part) => part !== '').join('\n\n');
}

/** The last text is the order to summarise, unless the transcript is in it too. */
function transcriptOf(messages: readonly SimMessage[]): readonly SimMessage[] {
  const last = messages.at(-1);
  if (!last || messages.length === 1) return messages;
  const order = last.parts.findLastIndex((part) => part.kind === 'text');
  return [...messages.slice(0, -1), { role: last.role, parts: last.parts.filter((_, index) => index !== order) }];
}

function section(title: string, text: string): string {
  return `${title}:${text.startsWith('\n') ? '' : ' '}${text.trim() === '' ? 'none' : text}`;
}

function goalOf(messages: readonly SimMessage[], text: string): string {
  if (messages.length > 1) {
    const own = messages.filter((message) => message.role === 'user');
    const texts = own.flatMap(textParts).filter((part) => !isInjected(part));
    const acting = texts.findLast((part) => parseInstruction(part).acts);
    return acting ?? texts.at(-1) ?? '';
  }
  return quotedGoal(text);
}

/** In a written-out transcript, what follows the last user mark that is an instruction. */
function quotedGoal(text: string): string {
  const starts = [...text.matchAll(ROLE)].map((match) => (match.index ?? 0) + match[0].length).slice(-300);
  const texts = starts.map((start) => requestAt(text, start));
  return texts.findLast((part) => parseInstruction(part).actsAtOnce) ?? texts[0] ?? sliceWhole(text, GOAL_MAX);
}

function requestAt(text: string, start: number): string {
  const raw = text.slice(start, start + REQUEST_SCAN);
  const json = JSON_STRING.exec(raw);
  if (json) return unquote(raw.slice(json[0].length).replace(/(?<!\\)"[^]*$/, '')).trim();
  const end = raw.search(/\n\W{0,6}(?:assistant|user|human|tool|system)\b/i);
  return (end === -1 ? raw : raw.slice(0, end)).replace(/^[\s:\]}>)-]+/, '').trim();
}

function listed(text: string, patterns: readonly RegExp[], kind: 'read' | 'changed'): string {
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  for (const [, verb, path = ''] of text.matchAll(LABELLED))
    if ((verb === 'read') === (kind === 'read')) found.push(path);
  for (const [, verb, list = ''] of text.matchAll(EARLIER)) if (verb === kind) found.push(...list.split(', '));
  const paths = [...new Set(found.filter((path) => path !== 'none' && !path.includes('…')))];
  return oneLine(paths.slice(-30).join(', '), 500);
}

/**
 * Where the newest task stands. Recalled text in the transcript may quote older marks, so that the last one is not
 * trusted by itself: the task of the goal goes first, and within a task the furthest mark since it last ended.
 */
function newestMark(text: string, goalTag: string): Mark | undefined {
  const all = marksIn(text);
  const tag = all.some((mark) => mark.tag === goalTag) ? goalTag : all.at(-1)?.tag;
  const marks = all.filter((mark) => mark.tag === tag);
  const ended = marks.findLastIndex((mark) => mark.state === 'finished');
  return furthest(marks.slice(ended + 1)) ?? marks.at(-1);
}

/** A mark of calls that complete their step is done: a summary is asked for only between turns. */
function progressText(mark: Mark): string {
  if (mark.state === 'called') return `${mark.text} done`;
  return mark.state === 'part' && mark.address ? `${mark.text} (recall: ${mark.address})` : mark.text;
}

function remaining(goal: string, mark: Mark | undefined): string {
  const { steps } = parseInstruction(goal);
  if (mark?.state === 'finished') return 'nothing';
  if (mark === undefined) return labels(steps);
  const done = mark.state === 'part' ? mark.step - 1 : mark.step;
  if (done >= mark.of) return 'the closing report';
  return mark.tag === tagOf(goal) ? labels(steps.slice(done)) : `steps ${done + 1} to ${mark.of}`;
}

function labels(steps: readonly Step[]): string {
  return oneLine(steps.map((step) => step.label).join('; '), 400);
}

function constraints(goal: string): string {
  const sentences = goal.slice(0, 20_000).split(/[.!\n](?:\s|$)/);
  const found = sentences.map((text) => text.trim()).filter((text) => CONSTRAINT.test(text));
  return oneLine(found.slice(0, 5).join('; '), 400);
}
