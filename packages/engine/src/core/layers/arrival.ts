/**
 * Shapes tool results before they are first sent, which costs nothing: what stands in view already becomes a pointer, noise is folded, what is over
 * the limits leaves a preview by its kind. Only entries no request held; what the model has seen stays as it is.
 */
import type { Address } from '../archive.ts';
import { callOf, inWords, type NamedCall, readsFile } from '../calls.ts';
import type { PartEdit } from '../edit.ts';
import type { Part } from '../entry.ts';
import type { Place } from '../history.ts';
import { defaultLens } from '../lenses/default.ts';
import type { Lens } from '../lens.ts';
import { foldableChars } from '../previews/may-fold.ts';
import { foldedText, previewOf } from '../previews/preview.ts';
import type { Skeleton } from '../previews/skeleton.ts';
import { placeOfWhole, withPointers } from '../rereads/pointer.ts';
import { repeatsIn, type Repeats } from '../rereads/repeats.ts';
import { shownTexts } from '../rereads/shown-texts.ts';
import { isVerbatim, locate } from '../view.ts';
import { scaled } from '../window.ts';
import type { Layer, LayerInput, Proposal } from './layer.ts';
import { NOTHING } from './layer.ts';
import { shapedMarker, unchangedMarker } from './marker.ts';
import { planPart, resultsFrom } from './part-edits.ts';
import { RECALL_TOOL } from '../unread-recalls.ts';

export type CallRule = (call: NamedCall) => boolean;

/** Of `arrival`; all have defaults. Characters are those at a 200,000-token window. */
export interface ArrivalOptions {
  /** Shorter results stay whole, and shorter stretches of lines that repeat an older result are no repeats. @default 400 */
  readonly minChars?: number;
  /** A text folded or pointed from has to be this much shorter. @default 500 */
  readonly minSavedChars?: number;
  /** Longer results leave a preview. @default 16_000 */
  readonly limitChars?: number;
  /** The limit for files that were read: what is edited by its exact text. @default 60_000 (reading tools cap at 50 KB themselves, and add a line) */
  readonly readLimitChars?: number;
  /** Characters of a preview. @default 6_000 */
  readonly previewChars?: number;
  /** All results of one message together, the largest first. @default 200_000 (toolLimits.ts:49 as the seed cites it) */
  readonly messageChars?: number;
  /** Errors up to this long stay whole. @default 4_000 */
  readonly errorChars?: number;
  /** Whose results are never touched: what was got back is to be read. @default the context's `recallTool` */
  readonly recallTool?: string | undefined;
  /** Calls whose results are the text of a file. @default reads as the lens knows them, and commands that only print a file */
  readonly isRead?: CallRule;
  /** Calls whose results stay whole. @default none */
  readonly keepsWhole?: CallRule;
  /** Calls whose results may become pointers at what stands in view. @default all */
  readonly mayPoint?: CallRule;
  /** Makes skeletons of source code. @default by indentation */
  readonly skeleton?: Skeleton;
}

/** The economic policy's numbers; shares and sizes were set by `npm run measure:arrival`. */
export const DEFAULT_ARRIVAL: Required<Omit<ArrivalOptions, 'skeleton' | 'recallTool'>> = {
  minChars: 400,
  minSavedChars: 500,
  limitChars: 16_000,
  readLimitChars: 60_000,
  previewChars: 6_000,
  messageChars: 200_000,
  errorChars: 4_000,
  isRead: readsFile,
  keepsWhole: () => false,
  mayPoint: () => true,
};

type Settings = typeof DEFAULT_ARRIVAL & Pick<ArrivalOptions, 'skeleton' | 'recallTool'>;

/** Share of a text that folding has to save. */
const FOLD_SHARE = 0.2;

/**
 * Share of a text that has to stand in view already. Half saved most over the recorded sessions: a text with less in common is worth more
 * whole, as what later reads can be pointed at.
 */
const POINT_SHARE = 0.5;

/** Sizes as they hold in the window. */
const SIZES = [
  'minChars',
  'minSavedChars',
  'limitChars',
  'readLimitChars',
  'previewChars',
  'messageChars',
  'errorChars',
] as const;

type Sizes = Readonly<Record<(typeof SIZES)[number], number>>;

function sizesIn(settings: Settings, windowTokens: number): Sizes {
  const sizes = SIZES.map((name) => [name, scaled(settings[name], windowTokens)] as const);
  return Object.fromEntries(sizes) as Sizes;
}

type ResultPart = Extract<Part, { kind: 'result' }>;

/** A result that may be shaped. */
interface Result extends Place {
  readonly text: string;
  readonly call: NamedCall;
}

interface Work extends LayerInput {
  readonly settings: Settings;
  readonly lens: Lens;
  /** First entry that was never sent nor answered. */
  readonly start: number;
}

interface Planned {
  readonly edit: PartEdit;
  readonly address: Address;
  readonly exact: string;
}

/** JSON around one block of text, and around the list of them. */
const BLOCK_CHARS = 28;

/** Whether the words of a result are all there is to it. */
function isWords({ content, text, mediaCount }: ResultPart): boolean {
  if (mediaCount > 0) return false;
  if (typeof content === 'string') return content === text;
  if (!Array.isArray(content)) return false;
  return (JSON.stringify(content)?.length ?? 0) <= JSON.stringify(text).length + BLOCK_CHARS * content.length + 2;
}

function resultAt(place: Place, work: Work): Result | undefined {
  const { history, settings, lens, recallTool = RECALL_TOOL } = work;
  const part = history.at(place.entry).parts[place.part];
  const call = callOf(history, place, lens);
  if (part?.kind !== 'result' || call === undefined || !isWords(part)) return undefined;
  if (call.name === (settings.recallTool ?? recallTool) || settings.keepsWhole(call)) return undefined;
  const isShortError = call.isError && part.text.length <= scaled(settings.errorChars, work.window.windowTokens);
  return isShortError ? undefined : { ...place, text: part.text, call };
}

/** The results that came since the last request and stand as they came. */
function arrived(work: Work): readonly Result[] {
  const { entries } = work.view;
  const first = locate(entries, work.start);
  const min = scaled(work.settings.minChars, work.window.windowTokens);
  return resultsFrom(work.view, work, first).flatMap(({ at, part, chars, isReplaced }) => {
    if (isReplaced || at < work.start || chars < min) return [];
    return resultAt({ entry: at, part }, work) ?? [];
  });
}

function planned(
  result: Result,
  work: Work,
  edit: { reason: string; text: (address: Address) => string },
): Planned | undefined {
  const { entry, part } = result;
  const { reason, text } = edit;
  return planPart({ at: entry, part, layer: 'arrival', reason, text: (_, address) => text(address) }, work);
}

function pointerText(result: Result, repeats: Repeats, work: Work): (address: Address) => string {
  const { text } = result;
  const call = callOf(work.history, repeats.target, work.lens);
  const name = call === undefined ? 'an earlier result' : `the result of ${inWords(call)} above`;
  const where = placeOfWhole(text, repeats);
  if (where !== undefined)
    return (address) => unchangedMarker(text.length, where === 'same' ? name : `${where} of ${name}`, address);
  const body = withPointers(text, repeats);
  const what = `What stands unchanged in ${name} is pointed at`;
  return (address) => shapedMarker({ chars: text.length, what, missing: `${repeats.chars} characters`, body }, address);
}

/** A pointer at an older result that says the same, or most of it; `limit`: what may stay beside it. */
function pointer(result: Result, work: Work, limit: number): Planned | undefined {
  const { history, view, start, settings, window } = work;
  const repeats = repeatsIn(result.text, shownTexts(history, start), {
    minChars: scaled(settings.minChars, window.windowTokens),
    isUsable: (shown) => shown.entry < start && isVerbatim(view, shown),
  });
  if (repeats === undefined || result.text.length - repeats.chars > limit) return undefined;
  if (repeats.chars < result.text.length * POINT_SHARE) return undefined;
  const text = pointerText(result, repeats, work);
  const reason = `${repeats.chars} of ${result.text.length} characters stand in message ${repeats.target.entry} already`;
  const plan = planned(result, work, { reason, text });
  if (plan === undefined || result.text.length - plan.edit.text.length < minSaved(work)) return undefined;
  const { entry, part } = repeats.target;
  return { ...plan, edit: { ...plan.edit, pointsAt: { entry, part } } };
}

function minSaved({ settings, window }: Work): number {
  return scaled(settings.minSavedChars, window.windowTokens);
}

function leftWords({ lines, chars }: { readonly lines: number; readonly chars: number }): string {
  return lines === 0 ? `${chars} characters` : `${lines} lines, ${chars} characters`;
}

/** A preview of a result that is too long; `reason` says for what. */
function preview(result: Result, work: Work, reason: string): Planned | undefined {
  const { settings, window } = work;
  const maxChars = scaled(settings.previewChars, window.windowTokens);
  const { fact } = result.call;
  const path = fact.kind === 'read' ? fact.path : undefined;
  const shown = previewOf(result.text, { maxChars, path, skeleton: settings.skeleton });
  if (shown === undefined) return undefined;
  const what = `Preview (${shown.kind})`;
  const shaped = { chars: result.text.length, what, missing: leftWords(shown.left), body: shown.text };
  return planned(result, work, { reason, text: (address) => shapedMarker(shaped, address) });
}

/** The result without repeated lines and noise, where that saves enough. */
function folding(result: Result, work: Work): Planned | undefined {
  const least = Math.max(minSaved(work), result.text.length * FOLD_SHARE);
  if (foldableChars(result.text) < least) return undefined;
  const shown = foldedText(result.text);
  const saved = result.text.length - shown.text.length;
  if (saved < least) return undefined;
  const what = 'Repeated lines and terminal noise folded';
  const shaped = { chars: result.text.length, what, missing: leftWords(shown.left), body: shown.text };
  const reason = `${saved} of ${result.text.length} characters are repeated lines or noise`;
  return planned(result, work, { reason, text: (address) => shapedMarker(shaped, address) });
}

function shape(result: Result, work: Work): Planned | undefined {
  const { settings, window } = work;
  const sizes = sizesIn(settings, window.windowTokens);
  const isRead = settings.isRead(result.call);
  const limit = isRead ? sizes.readLimitChars : sizes.limitChars;
  const pointed = settings.mayPoint(result.call) ? pointer(result, work, limit) : undefined;
  if (pointed !== undefined) return pointed;
  if (result.text.length > limit) return preview(result, work, `the result is over ${limit} characters`);
  return isRead ? undefined : folding(result, work);
}

/** Previews of the largest results that still stand whole, until the message is within its limit. */
function withinMessage(results: readonly Result[], done: Map<Result, Planned>, work: Work): void {
  const limit = scaled(work.settings.messageChars, work.window.windowTokens);
  const size = (result: Result): number => done.get(result)?.edit.text.length ?? result.text.length;
  let total = results.reduce((sum, result) => sum + size(result), 0);
  const whole = results
    .filter((result) => !done.has(result))
    .toSorted((one, other) => other.text.length - one.text.length);
  for (const result of whole) {
    if (total <= limit) return;
    const plan = preview(result, work, `results of one message hold ${total} characters, over ${limit}`);
    if (plan === undefined) continue;
    done.set(result, plan);
    total += plan.edit.text.length - result.text.length;
  }
}

/** The layer that shapes results on arrival. */
export function arrival(options: ArrivalOptions = {}): Layer {
  const settings: Settings = { ...DEFAULT_ARRIVAL, ...options };
  return {
    name: 'arrival',
    when: 'arrival',
    constants: (window) => sizesIn(settings, window.windowTokens),
    propose(input): Proposal {
      const start = Math.max(input.sentLength ?? 0, input.history.newestModel + 1);
      if (start >= input.history.length) return NOTHING;
      const { lens = defaultLens } = input;
      // New members first: behind the spread each takes microseconds, and this is asked before every call.
      const work: Work = { settings, start, ...input, lens };
      const results = arrived(work);
      if (results.length === 0) return NOTHING;
      const done = new Map<Result, Planned>();
      for (const result of results) {
        const plan = shape(result, work);
        if (plan !== undefined) done.set(result, plan);
      }
      withinMessage(results, done, work);
      const plans = results.flatMap((result) => done.get(result) ?? []);
      return {
        edits: plans.map(({ edit }) => edit),
        kept: new Map(plans.map(({ address, exact }) => [address, exact])),
      };
    },
  };
}
