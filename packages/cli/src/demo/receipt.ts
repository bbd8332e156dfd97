/** The demo's receipt: numbers first, then the lines that show them. */
import type { Receipt } from '@holdover/engine';
import type { SimTotals } from '@holdover/simulator';
import { type AppendOnlyBill, equivalents } from './bill.ts';
import type { Redeemed } from './redeem.ts';

/** Layers by the names the demo promises: the free ones, and a summary by what asked for it. */
export const LAYERS = ['budget', 'snip', 'micro', 'summary', 'reactive', 'compact'] as const;
export type DemoLayer = (typeof LAYERS)[number];

export interface LayerSum {
  readonly times: number;
  readonly edits: number;
  readonly freedTokens: number;
}

export interface DemoReceipt {
  readonly seed: number;
  readonly policy: string;
  readonly seconds: number;
  readonly layers: Readonly<Record<DemoLayer, LayerSum>>;
  /** As the simulator billed them, summaries included. */
  readonly billed: SimTotals & { readonly equivalents: number; readonly refused: number };
  readonly appendOnly: AppendOnlyBill;
  readonly archive: Redeemed & { readonly items: number; readonly bytes: number };
  /** What is wrong with the work; empty when it was done. */
  readonly failures: readonly string[];
}

const BY_TRIGGER: Readonly<Record<string, DemoLayer>> = {
  threshold: 'summary',
  overflow: 'reactive',
  manual: 'compact',
};

function layerOf(receipt: Receipt, layer: string): DemoLayer | undefined {
  if (layer === 'summary') return BY_TRIGGER[receipt.summary?.trigger ?? ''];
  if (layer === 'fit') return 'reactive';
  return LAYERS.find((name) => name === layer);
}

export function sumLayers(receipts: readonly Receipt[]): Readonly<Record<DemoLayer, LayerSum>> {
  const sums = Object.fromEntries(LAYERS.map((layer) => [layer, { times: 0, edits: 0, freedTokens: 0 }])) as Record<
    DemoLayer,
    LayerSum
  >;
  for (const receipt of receipts) {
    for (const { layer, edits, tokensBefore, tokensAfter } of receipt.layers) {
      const name = layerOf(receipt, layer);
      if (name === undefined) continue;
      const sum = sums[name];
      sums[name] = {
        times: sum.times + 1,
        edits: sum.edits + edits,
        freedTokens: sum.freedTokens + tokensBefore - tokensAfter,
      };
    }
  }
  return sums;
}

/** What a correct demo must show; a line for each promise it breaks. */
export function brokenPromises(receipt: DemoReceipt): readonly string[] {
  const idle = LAYERS.filter((layer) => receipt.layers[layer].times === 0);
  const { issued, identical } = receipt.archive;
  return [
    ...receipt.failures,
    ...idle.map((layer) => `layer ${layer} never fired`),
    ...(identical === issued ? [] : [`${issued} addresses were issued and ${identical} came back identical`]),
  ];
}

const format = new Intl.NumberFormat('en-US');

function n(value: number): string {
  return format.format(value);
}

export function totalOf(totals: SimTotals, refused: number): DemoReceipt['billed'] {
  return { ...totals, refused, equivalents: equivalents(totals) };
}

function appendOnlyLines({ appendOnly, billed }: DemoReceipt): string[] {
  const fate =
    appendOnly.died === undefined
      ? 'append-only     would have fitted'
      : `append-only     would have died at request ${appendOnly.died.request}: ${n(appendOnly.died.tokens)} tokens`;
  const share = Math.round((billed.equivalents / appendOnly.equivalents) * 100);
  const verdict =
    share <= 100
      ? `this session cost ${share} % of that`
      : `this session cost ${share} % of that: append-only is cheaper where it fits`;
  return [fate, `                in a window without end it would have cost ${n(appendOnly.equivalents)}; ${verdict}`];
}

export function receiptLines(receipt: DemoReceipt): readonly string[] {
  const { billed, archive, layers } = receipt;
  const fresh = billed.inputTokens - billed.cacheReadTokens - billed.cacheWriteTokens;
  return [
    `receipt         seed ${receipt.seed}, policy ${receipt.policy}, ${receipt.seconds.toFixed(1)} s`,
    ...LAYERS.map((layer) => {
      const { times, edits, freedTokens } = layers[layer];
      return `  ${layer.padEnd(12)}  ${String(times).padStart(3)} times, ${String(edits).padStart(4)} edits, ${n(freedTokens).padStart(8)} tokens freed`;
    }),
    `billed          ${billed.requests} requests, ${billed.refused} refused as too long`,
    `                input ${n(fresh)}, cache writes ${n(billed.cacheWriteTokens)}, cache reads ${n(billed.cacheReadTokens)}, output ${n(billed.outputTokens)}`,
    `                ${n(billed.equivalents)} input-token equivalents (write 1.25, read 0.1)`,
    ...appendOnlyLines(receipt),
    `archive         ${archive.items} items, ${n(archive.bytes)} bytes; ${archive.issued} addresses issued, ${archive.identical} fetched back identical`,
    ...(receipt.failures.length === 0
      ? ['work            checked: every change made, every line of the report true']
      : receipt.failures.map((line) => `work            FAILED: ${line}`)),
  ];
}
