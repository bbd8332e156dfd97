/** Reading whole directories: the patterns are listed first, then everything found is read in one message. */

import { recallText } from './gather.ts';
import { addressesIn, isStub } from './stubs.ts';
import { labelOf, ticked } from './steps.ts';
import { normalPath } from './text.ts';
import type { CallRecord, Move, PlannedCall, Scene, Step } from './types.ts';
import { isFailure } from './view.ts';

export function readAllStep(patterns: readonly string[], extras: readonly string[]): Step {
  const also = extras.length > 0 ? ` and ${extras.map(ticked).join(', ')}` : '';
  return {
    label: labelOf(`read every file of ${patterns.map(ticked).join(', ')}${also}`),
    next: (scene) => next(scene, patterns, extras),
  };
}

function next(scene: Scene, patterns: readonly string[], extras: readonly string[]): Move {
  const listings = patterns.map((pattern) => listing(scene, pattern));
  const calls = listings.flatMap((found) => (found.kind === 'ask' ? [found.call] : []));
  if (calls.length > 0) return { kind: 'call', calls, last: false, note: 'listing the files first' };
  const found = filesOnly(listings.flatMap((one) => (one.kind === 'files' ? one.files : [])));
  const { readCap } = scene.settings;
  const chosen = [...new Set([...found.slice(0, readCap), ...extras.map(normalPath)])];
  if (chosen.length === 0) return { kind: 'pass', note: 'no file was found, so there is nothing to read.' };
  const reads = chosen.map((path) => ({ name: 'read_file', input: { path } }));
  const over = found.length > readCap ? `, the first ${readCap} of them` : '';
  return {
    kind: 'call',
    calls: reads,
    last: true,
    note: `${found.length} ${found.length === 1 ? 'file' : 'files'} found${over}`,
  };
}

/** The files a pattern finds, or the call that lists them. */
export function listFiles(scene: Scene, pattern: string): Listing {
  const found = listing(scene, pattern);
  return found.kind === 'ask' ? found : { kind: 'files', files: filesOnly(found.files) };
}

export type Listing =
  | { readonly kind: 'ask'; readonly call: PlannedCall }
  | { readonly kind: 'files'; readonly files: readonly string[] };

function listing({ view, since }: Scene, pattern: string): Listing {
  const isListing = (call: CallRecord): boolean => call.name === 'glob' && call.input['pattern'] === pattern;
  const result = since.findLast(isListing)?.result;
  const again: Listing = { kind: 'ask', call: { name: 'glob', input: { pattern } } };
  if (!result) return again;
  if (isFailure(result)) return { kind: 'files', files: [] };
  if (!isStub(result)) return { kind: 'files', files: pathLines(result.text) };
  const [address] = addressesIn(result.text);
  const found = address === undefined ? undefined : recallText(view, address);
  if (found?.kind === 'text') return { kind: 'files', files: pathLines(found.text) };
  return found?.kind === 'ask' ? { kind: 'ask', call: found.call } : again;
}

/** The lines that are paths: remarks of the tool such as "(no matches)" or "12 more omitted" are not. */
function pathLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const isRemark = (line: string): boolean => /^[([…]/.test(line) || /\bomitted\b|^\.\.\./.test(line);
  return lines.filter((line) => line !== '' && !isRemark(line)).map(normalPath);
}

/** Directories are in a recursive listing too: they end in a slash, or another path begins with them. */
function filesOnly(paths: readonly string[]): string[] {
  const parents = new Set(paths.flatMap(parentsOf));
  return [...new Set(paths)].filter((path) => !path.endsWith('/') && !parents.has(path));
}

function parentsOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
}
