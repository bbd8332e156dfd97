/** What is done to a session between two turns. Each is in the log before it is reported done. */
import type { Forecast, Receipt } from '@holdover/engine';
import { interruptedResults } from '../session/open-session.ts';
import { afterTurn } from './compaction-hooks.ts';
import { appendLogged, logMove } from './logging.ts';
import type { Parts } from './parts.ts';
import { requestNow } from './request.ts';
import { exclusively } from './run.ts';

export interface CompactNowOptions {
  /** What the summary has to keep above all. */
  readonly focus?: string;
  readonly signal?: AbortSignal;
}

/** Compacts now. Resolves to undefined where there was nothing to compact. */
export function compactNow(parts: Parts, { focus, signal: outer }: CompactNowOptions): Promise<Receipt | undefined> {
  const compact = async (signal: AbortSignal): Promise<Receipt | undefined> => {
    const { context } = parts;
    context.compact(focus === undefined ? {} : { focus });
    const turn = await context.prepare(requestNow(parts), { signal });
    const receipt = await turn.keep();
    parts.cost.add(receipt);
    await logMove(parts);
    await afterTurn(parts, receipt);
    return receipt.epochId === undefined ? undefined : receipt;
  };
  return exclusively(parts, compact, outer);
}

function moved(parts: Parts, move: () => Promise<boolean>): Promise<boolean> {
  return exclusively(parts, async () => {
    if (!(await move())) return false;
    await logMove(parts);
    return true;
  });
}

/** What `compactNow` would do. */
export function preview(parts: Parts, { focus, signal }: CompactNowOptions): Promise<Forecast> {
  return parts.context.preview(requestNow(parts), {
    compact: focus === undefined ? {} : { focus },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Takes the newest compaction back. False where there is none. */
export function undo(parts: Parts): Promise<boolean> {
  return moved(parts, () => parts.context.undo());
}

/** Brings back what the newest undo took. False where there is none, or something came in between. */
export function redo(parts: Parts): Promise<boolean> {
  return moved(parts, () => parts.context.redo());
}

/** Goes on from the first `length` messages of the history. */
export function rewind(parts: Parts, length: number): Promise<void> {
  return exclusively(parts, async () => {
    const { context, provider } = parts;
    context.rewind(length);
    await logMove(parts, length);
    // A place within a batch leaves calls without results.
    const results = interruptedResults(context.history(), provider);
    if (results.length > 0) await appendLogged(parts, results);
  });
}

/** Keeps a text in view, verbatim, whatever is compacted. */
export function pin(parts: Parts, text: string): Promise<number> {
  return exclusively(parts, async () => {
    const id = parts.context.pin(text);
    await logMove(parts);
    return id;
  });
}

/** False where there is no such pin. */
export function unpin(parts: Parts, id: number): Promise<boolean> {
  return exclusively(parts, async () => {
    if (!parts.context.unpin(id)) return false;
    await logMove(parts);
    return true;
  });
}
