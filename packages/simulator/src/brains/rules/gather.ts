/**
 * Gets the exact text of a file: from the view where it is intact, else by recall, else by reading it again. Each call
 * asks for one thing at most, so the search goes on from what earlier calls of the same step brought.
 */

import { hitsIn, isPartialRead, isRange, isStub, addressesIn, readPage, type Hit } from './stubs.ts';
import { samePath, stringOf } from './text.ts';
import type { CallRecord, PlannedCall, ResultRecord, Scene, View } from './types.ts';
import { isFailure } from './view.ts';

export type Content =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'ask'; readonly call: PlannedCall; readonly why: string }
  | { readonly kind: 'none'; readonly why: string };

/** `lost` means that this way leads nowhere and the next one should be tried. */
type Attempt = Content | { readonly kind: 'lost' };

const LOST: Attempt = { kind: 'lost' };
/** From here on it is the file itself that is read, since recall has led nowhere. */
const LAST_ATTEMPT = 3;
const MANY_PARTS = 12;
const MAX_CHAIN = 3;
/** What stands in for an empty answer, since a provider takes none. */
const EMPTY = /^\s*[([](?:empty(?: file)?|no (?:output|content)|file is empty)[^)\]\n]{0,80}[)\]]\s*$/i;
const MAX_PAGES = 60;
const MAX_ASKS = 3;
const MAX_REREADS = 2;
const CHANGING_COMMAND =
  /^\s*(?:sed\s+-i|mv|cp|rm|patch|truncate|git\s+(?:checkout|apply|restore|reset|stash|pull|merge))\b|\|\s*tee\b/;

export function findContent(scene: Scene, path: string): Content {
  const reads = scene.view.calls.filter((call) => isWholeRead(call, path));
  const own = reads.filter((call) => scene.since.includes(call));
  const again = own.length === 0 && (leadsNowhere(scene) || isStale(scene, path, reads.at(-1)));
  const ways = again ? [] : [fromReads, fromAddress, fromQuery];
  for (const way of ways) {
    const found = way(scene, path, own.length > 0 ? own : reads);
    if (found.kind !== 'lost') return found;
  }
  return reread(scene, path, own);
}

/** Recall of one address, page after page; calls of earlier steps count where their answers are intact. */
export function recallText(view: View, address: string, depth = 1): Attempt {
  const recalls = view.calls.filter((call) => call.name === 'recall' && call.input['address'] === address);
  let text = '';
  let offset = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = recalls.findLast((call) => offsetOf(call) === offset)?.result;
    const other = result && pointsOn(result, address);
    if (other !== undefined) return depth < MAX_CHAIN ? recallText(view, other, depth + 1) : LOST;
    if (!result || isStub(result)) return askPage(view, recalls, { address, offset });
    const { body, next } = readPage(result.text, offset);
    if (isFailure(result) || body === '') return LOST;
    text += body;
    if (next === undefined) return { kind: 'text', text };
    offset = next;
  }
  return LOST;
}

/** What was kept at an address may itself be a preview that names where the whole text is. */
function pointsOn(result: ResultRecord, address: string): string | undefined {
  if (!result.text.startsWith('<persisted-output>')) return undefined;
  return addressesIn(result.text).find((other) => other !== address);
}

/** Where later pages are in view and this one is gone, the text is too long to be gathered by pages. */
function askPage(view: View, recalls: readonly CallRecord[], page: { address: string; offset: number }): Attempt {
  const { address, offset } = page;
  const made = recalls.filter((call) => offsetOf(call) === offset).length;
  const isPast = recalls.some((later) => offsetOf(later) > offset);
  if (isPast || made >= MAX_ASKS || !view.tools.has('recall')) return LOST;
  const call = { name: 'recall', input: offset === 0 ? { address } : { address, offset } };
  return { kind: 'ask', call, why: `getting the exact text back from ${address}` };
}

function fromReads({ view }: Scene, _path: string, reads: readonly CallRecord[]): Attempt {
  for (const { result } of reads.toReversed()) {
    if (!result || isFailure(result)) continue;
    if (!isStub(result)) return { kind: 'text', text: EMPTY.test(result.text) ? '' : result.text };
    for (const address of addressesIn(result.text)) {
      const found = recallText(view, address);
      if (found.kind !== 'lost') return found;
    }
  }
  return LOST;
}

/** The address this step is fetching already, if the query that led to it is gone. */
function fromAddress({ view, since, address }: Scene): Attempt {
  const recall = since.findLast((call) => call.name === 'recall' && stringOf(call.input['address']) !== '');
  const known = recall ? stringOf(recall.input['address']) : address;
  if (known === undefined || !view.tools.has('recall')) return LOST;
  const found = recallText(view, known);
  return found.kind === 'ask' || isWhole(found) ? found : LOST;
}

function fromQuery({ view, since }: Scene, path: string): Attempt {
  if (!view.tools.has('recall')) return LOST;
  const asked = since.filter((call) => call.name === 'recall' && call.input['query'] === path);
  const result = asked.at(-1)?.result;
  if (!result || isStub(result)) {
    const call = { name: 'recall', input: { query: path } };
    const why = `looking for what was read of ${path}`;
    const isPast = asked.length === 0 && since.some((made) => made.name === 'recall');
    return isPast || asked.length >= MAX_ASKS ? LOST : { kind: 'ask', call, why };
  }
  const hit = isFailure(result) ? undefined : bestHit(hitsIn(result.text), path);
  if (!hit) return LOST;
  const found = recallText(view, hit.address);
  return found.kind === 'ask' || isWhole(found) ? found : LOST;
}

function reread({ view, since }: Scene, path: string, own: readonly CallRecord[]): Content {
  const failed = own.at(-1)?.result;
  if (failed && isFailure(failed)) return { kind: 'none', why: `${path} could not be read` };
  if (!view.tools.has('read_file'))
    return { kind: 'none', why: `the text of ${path} is not in view and I have no tool for it` };
  const tries = since.filter((call) => isWholeRead(call, path)).length;
  if (tries >= MAX_REREADS) return { kind: 'none', why: `the exact text of ${path} could not be had` };
  return { kind: 'ask', call: { name: 'read_file', input: { path } }, why: `reading ${path} again` };
}

/** A hit must say that it is a whole read of the file; where one shows a change, no recalled text can be trusted. */
function bestHit(hits: readonly Hit[], path: string): Hit | undefined {
  const about = hits.filter((hit) => !isRange(hit.address) && mentions(hit.text, path));
  if (about.some((hit) => /\b(?:edit_file|write_file)\b/.test(hit.text))) return undefined;
  return about.find((hit) => isReadOf(hit.text, path));
}

/** The path must be what was read: a read of another file may well mention it. */
function isReadOf(text: string, path: string): boolean {
  const call = /\bread_file\b([^\n]{0,400})/.exec(text)?.[1] ?? '';
  if (/"(?:limit|offset)\\?"\s{0,3}:\s{0,3}[1-9]/.test(call)) return false;
  const named = /\bpath\\?"?\s{0,3}[:=]\s{0,3}\\?"?([^"\\\n]{1,300})/.exec(call)?.[1];
  return named !== undefined && samePath(named, path);
}

/** The path as a whole word, so that `a.md` does not match in `data.md`. */
function mentions(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + path.length] ?? ' ';
    if (!/[\w-]/.test(before) && !/[\w/-]/.test(after)) return true;
  }
  return false;
}

function isWhole(found: Attempt): boolean {
  return found.kind === 'text' && !isPartialRead(found.text);
}

function isWholeRead(call: CallRecord, path: string): boolean {
  const { input } = call;
  if (call.name !== 'read_file' || input['limit'] !== undefined || input['offset']) return false;
  return samePath(stringOf(input['path']), path);
}

function offsetOf(call: CallRecord): number {
  return Number(call.input['offset'] ?? 0);
}

/** Begun for the third time, or many calls spent without even being in the middle of a long text. */
function leadsNowhere({ attempt, parts, since }: Scene): boolean {
  return attempt >= LAST_ATTEMPT || (parts >= MANY_PARTS && since.every((call) => offsetOf(call) === 0));
}

/** Whether the file changed after it was last read, or may have in a step that is no longer in view. */
function isStale({ view, steps, index }: Scene, path: string, read: CallRecord | undefined): boolean {
  const changes = view.calls.filter((call) => changesFile(call, path));
  const newest = changes.at(-1);
  if (newest) return read === undefined || newest.message >= read.message;
  return steps.slice(0, index).some((step) => step.changes !== undefined && samePath(step.changes, path));
}

function changesFile(call: CallRecord, path: string): boolean {
  if (call.name === 'write_file' || call.name === 'edit_file') return samePath(stringOf(call.input['path']), path);
  return call.name === 'bash' && commandChanges(stringOf(call.input['command']), path);
}

/** A redirection into the file, or a command known to change files that names it. */
function commandChanges(command: string, path: string): boolean {
  const targets = command.split('>').slice(1);
  if (targets.some((target) => samePath(/^[\s'"]*([^\s'";&|]+)/.exec(target)?.[1] ?? '', path))) return true;
  return CHANGING_COMMAND.test(command) && mentions(command, path);
}
