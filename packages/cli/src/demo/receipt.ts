/** The demo's receipt: numbers first, then the lines that show them. */
import { failureLine, type VerifyReport } from '@holdover/agent';
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
  /** Replies that filled what the prompt left of the window and were asked for again. */
  readonly cut: number;
  readonly appendOnly: AppendOnlyBill;
  readonly archive: Redeemed & { readonly items: number; readonly bytes: number };
  /** What the session's own log proves, as `holdover verify` does. */
  readonly proof: VerifyReport;
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
    ...receipt.proof.failures.map((failure) => `proof: ${failureLine(failure)}`),
  ];
}

const format = new Intl.NumberFormat('en-US');

function n(value: number): string {
  return format.format(value);
}

export function totalOf(totals: SimTotals, refused: number): DemoReceipt['billed'] {
  return { ...totals, refused, equivalents: equivalents(totals) };
}

function count(value: number, noun: string): string {
  return `${n(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function layerLine(layer: DemoLayer, { times, edits, freedTokens }: LayerSum): string {
  const fired = count(times, 'time').padStart(8);
  return `  ${layer.padEnd(10)}${fired}, ${count(edits, 'edit').padStart(9)}, ${n(freedTokens).padStart(7)} tokens freed`;
}

function appendOnlyLines({ appendOnly, billed }: DemoReceipt): string[] {
  const { died } = appendOnly;
  const fate =
    died === undefined
      ? 'would have fitted'
      : `would have died at request ${died.request}, with ${n(died.tokens)} tokens`;
  const share = Math.round((billed.equivalents / appendOnly.equivalents) * 100);
  const verdict =
    share <= 100
      ? `this session cost ${share} % of that`
      : `append-only is cheaper where it fits: this cost ${share} %`;
  return [
    `append-only   ${fate};`,
    `              in a window without end it would have cost ${n(appendOnly.equivalents)}:`,
    `              ${verdict}`,
  ];
}

function proofLines({ proof }: DemoReceipt): string[] {
  const { turns, churnTokens, failures, rewrittenTokens, epochs } = proof;
  const verdict = failures.length === 0 ? 'holds' : `has ${count(failures.length, 'fault')}`;
  return [
    `proof         the log ${verdict}: ${n(turns)} requests built up again from it;`,
    `              tokens written again: ${n(churnTokens)} between epochs, ${n(rewrittenTokens)} at ${n(epochs)} epochs`,
  ];
}

/** The whole story in one sentence. */
function headline({ appendOnly, billed, archive }: DemoReceipt): string {
  const without =
    appendOnly.died === undefined
      ? 'Without Holdover this session fits.'
      : `Without Holdover this session dies at request ${appendOnly.died.request}.`;
  return `${without}\nWith it: ${billed.requests} requests, and ${archive.identical} of ${archive.issued} originals came back identical.`;
}

export function receiptLines(receipt: DemoReceipt): readonly string[] {
  const { billed, archive, layers } = receipt;
  const fresh = billed.inputTokens - billed.cacheReadTokens - billed.cacheWriteTokens;
  const work =
    receipt.failures.length === 0
      ? ['work          checked: every change made, every line of the report true']
      : receipt.failures.map((line) => `work          FAILED: ${line}`);
  return [
    `receipt       seed ${receipt.seed}, policy ${receipt.policy}, ${receipt.seconds.toFixed(1)} s`,
    ...LAYERS.map((layer) => layerLine(layer, layers[layer])),
    `billed        ${count(billed.requests, 'request')} answered, ${n(billed.refused)} refused as too long, ${n(receipt.cut)} cut by the window`,
    `              input ${n(fresh)}, cache writes ${n(billed.cacheWriteTokens)}, cache reads ${n(billed.cacheReadTokens)},`,
    `              output ${n(billed.outputTokens)}; input at full price ${n(billed.equivalents)}`,
    '              (a cache write counts 1.25, a read 0.1)',
    ...appendOnlyLines(receipt),
    `archive       ${count(archive.items, 'item')}, ${n(archive.bytes)} bytes; ${n(archive.issued)} addresses issued,`,
    `              ${n(archive.identical)} fetched back and identical`,
    ...proofLines(receipt),
    ...work,
    '',
    headline(receipt),
  ];
}
