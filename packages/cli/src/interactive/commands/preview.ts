/** `/compact --preview`: what a compaction would put where, and what it costs and saves. */
import { type Change, type Forecast, modelFacts } from '@holdover/engine';
import { clip, padEnd, padStart } from '../text/lines.ts';
import { exact, plural, short, smallDollars } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

export interface PreviewOptions {
  readonly columns: number;
  readonly theme: Theme;
  /** USD per million tokens of fresh input; undefined where it is not known. */
  readonly inputUsd: number | undefined;
}

const COLD = 'the cache is cold and is written anew in any case';

/** Rows shown; the rest are counted. */
const MAX_ROWS = 40;
const GAPS = 6;

function sizes({ tokensBefore, tokensAfter }: Change): string {
  return `${short(tokensBefore)} → ${short(tokensAfter)}`;
}

function rows(changes: readonly Change[], { columns, theme }: PreviewOptions): readonly string[] {
  const shown = changes.slice(0, MAX_ROWS);
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));
  const layers = widest(shown.map(({ layer }) => layer));
  const tokens = widest(shown.map(sizes));
  const addresses = widest(shown.map((change) => change.addresses[0] ?? ''));
  const names = widest(shown.map((change) => sanitiseLine(change.what)));
  const what = Math.min(names, Math.max(16, columns - layers - tokens - addresses - GAPS));
  const lines = shown.map((change) => {
    const name = padEnd(clip(sanitiseLine(change.what), what), what);
    const line = `${padEnd(change.layer, layers)}  ${name}  ${padStart(sizes(change), tokens)}  `;
    return `${line}${theme.cyan(change.addresses[0] ?? '')}`;
  });
  const more = changes.length - shown.length;
  return more === 0 ? lines : [...lines, theme.dim(`… ${exact(more)} more`)];
}

/** Tokens of fresh input, and what they cost. */
function priced(tokens: number, inputUsd: number | undefined): string {
  const count = `${short(tokens)} tokens of input`;
  return inputUsd === undefined ? count : `${smallDollars((tokens * inputUsd) / 1_000_000)} (${count})`;
}

function moneyLines({ money }: Forecast, { inputUsd, theme }: PreviewOptions): readonly string[] {
  const { costNowTokens, savesPerCallTokens, breakEvenCalls, behindTokens, summaryTokens, isCold } = money;
  if (savesPerCallTokens === 0)
    return [theme.dim('Each call costs what it costs now: reading from the cache is free, or nothing gets smaller.')];
  const why = [
    ...(behindTokens === 0 ? [] : [`${short(behindTokens)} are written to the cache anew`]),
    ...(summaryTokens === 0 ? [] : [`about ${short(summaryTokens)} for the model that writes`]),
  ].join(', ');
  const now =
    costNowTokens === 0
      ? `costs nothing: ${isCold ? COLD : 'what changes was never sent'}`
      : `costs ${priced(costNowTokens, inputUsd)}`;
  const paid = costNowTokens === 0 ? '' : ` · paid back after ${plural(Math.ceil(breakEvenCalls), 'call')}`;
  return [
    `now ${now}${why === '' ? '' : `: ${why}`}`,
    `each call saves ${priced(savesPerCallTokens, inputUsd)}${paid}`,
  ];
}

function summaryLine({ summary }: Forecast, theme: Theme): readonly string[] {
  if (summary === undefined) return [];
  const { writer } = summary;
  const by =
    writer === 'code'
      ? 'The summary is written by code, as shown.'
      : `${sanitiseLine(writer)} would write the summary; its size here is that of the one code writes.`;
  return [theme.dim(by)];
}

export function previewLines(forecast: Forecast, options: PreviewOptions): readonly string[] {
  const { theme, columns } = options;
  const { changes, tokensBefore, tokensAfter, held } = forecast;
  const notes = held.map((why) => theme.dim(`held back: ${sanitiseLine(why)}`));
  if (changes.length === 0) return ['There is nothing to compact yet.', ...notes];
  const title = `${theme.magenta('◇')} would compact: ${short(tokensBefore)} → ${short(tokensAfter)} tokens · nothing has changed`;
  const table = rows(changes, options).map((line) => clip(line, columns));
  return [title, ...table, ...summaryLine(forecast, theme), ...moneyLines(forecast, options), ...notes];
}

export function inputUsdOf(model: string): number | undefined {
  return modelFacts(model).price?.inputUsd;
}
