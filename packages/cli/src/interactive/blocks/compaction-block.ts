/** A compaction in one line, and by layer when unfolded. */
import type { Receipt } from '@holdover/engine';
import { clip, padEnd, padStart } from '../text/lines.ts';
import { bytes, exact, plural, short } from '../text/numbers.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Block, Fold } from './block.ts';

/** What the layer does with what it takes, for the unfolded lines. */
const DEEDS: Readonly<Record<string, string>> = {
  budget: 'results too big for the window went to the archive',
  micro: 'old results went to the archive',
  snip: 'turns of the middle became a marker',
  summary: 'the conversation so far became a summary',
  fit: 'made to fit',
  repair: 'calls without a result were closed',
};

/** Compactions of these causes are said aloud; what arrives too big, or grows old, is a dim line. */
const LOUD: ReadonlySet<string> = new Set(['threshold', 'manual', 'overflow']);
/** Quiet ones that free less are not worth a line. */
const QUIET_TOKENS = 1_000;

export interface CompactionSize {
  readonly beforeTokens: number;
  readonly afterTokens: number;
  /** Edits of layers that move results to the archive. */
  readonly results: number;
}

export function sizeOf({ layers, tokens }: Receipt): CompactionSize {
  const beforeTokens = tokens.head + (layers[0]?.tokensBefore ?? tokens.view);
  const afterTokens = tokens.head + (layers.at(-1)?.tokensAfter ?? tokens.view);
  const results = layers
    .filter(({ layer }) => layer === 'budget' || layer === 'micro')
    .reduce((sum, { edits }) => sum + edits, 0);
  return { beforeTokens, afterTokens, results };
}

/** Whether the receipt tells of a compaction the user wants to know of. */
export function isWorthALine(receipt: Receipt): boolean {
  if (receipt.layers.length === 0 || receipt.cause === undefined) return false;
  const { beforeTokens, afterTokens } = sizeOf(receipt);
  return LOUD.has(receipt.cause) || beforeTokens - afterTokens >= QUIET_TOKENS;
}

/** As the engine notes it: `summary: threshold, held back by the host: …`. */
const HELD = /^summary: \w+, held back by the host: ([\s\S]*)$/;

/** Why there was no compaction although one was due or asked for. */
export function heldBack({ held }: Pick<Receipt, 'held'>): readonly string[] {
  return held.flatMap((note) => {
    const [, why] = HELD.exec(note) ?? [];
    return why === undefined ? [] : [`no compaction, a PreCompact hook says: ${why}`];
  });
}

export function compactionText(receipt: Receipt): string {
  const { beforeTokens, afterTokens, results } = sizeOf(receipt);
  const made = [
    ...(receipt.summary === undefined ? [] : ['summary']),
    ...(results === 0 ? [] : [`${plural(results, 'result')} to the archive`]),
  ].join(', ');
  // With both there would be no room for the sentence on 80 columns.
  const undo = receipt.summary === undefined || results === 0 ? '/undo takes it back' : '/undo';
  const sizes = `compacted: ${short(beforeTokens)} → ${short(afterTokens)} tokens`;
  return [sizes, ...(made === '' ? [] : [made]), undo].join(' · ');
}

/** One line a layer, what the summary took, what was held back. */
export function compactionDetails(receipt: Receipt): readonly string[] {
  const { layers, summary, held, archivedBytes, cache, cause } = receipt;
  const name = Math.max(...layers.map(({ layer }) => layer.length), 0);
  const count = Math.max(...layers.map(({ edits }) => exact(edits).length), 0);
  return [
    ...layers.map(({ layer, edits, tokensBefore, tokensAfter }) => {
      const sizes = `${short(tokensBefore)} → ${short(tokensAfter)}`;
      return `${padEnd(layer, name)}  ${padStart(exact(edits), count)} ${edits === 1 ? 'edit ' : 'edits'}  ${padEnd(sizes, 14)} ${DEEDS[layer] ?? ''}`;
    }),
    ...(summary === undefined
      ? []
      : [
          `summary by ${summary.writer}: ${exact(summary.inputTokens)} tokens read, ${exact(summary.outputTokens)} written, ${plural(summary.attempts, 'attempt')}`,
        ]),
    `${bytes(archivedBytes)} newly in the archive · ${short(cache.sharedTokens)} tokens sent again unchanged · cause: ${cause ?? 'none'}`,
    ...held.map((why) => `held back: ${why}`),
  ];
}

export interface CompactionBlock extends Block {
  readonly fold: Fold;
}

export function compactionBlock(receipt: Receipt, theme: Theme): CompactionBlock {
  const fold: Fold = { isOpen: false };
  const isLoud = receipt.cause !== undefined && LOUD.has(receipt.cause);
  const mark = isLoud ? theme.magenta('◆') : theme.dim('◇');
  const line = isLoud ? compactionText(receipt) : theme.dim(compactionText(receipt));
  return {
    fold,
    render(columns) {
      const details = fold.isOpen ? compactionDetails(receipt) : [];
      const lines = [`${mark} ${line}`, ...details.map((detail) => theme.dim(`    ${sanitise(detail)}`))];
      return lines.map((shown) => clip(shown, columns));
    },
  };
}
