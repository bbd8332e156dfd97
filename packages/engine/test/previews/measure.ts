/** What shaping on arrival does to the results of real sessions and to made ones: `npm run measure:arrival`. */
import { performance } from 'node:perf_hooks';
import { alarmOf } from '../../src/core/previews/alarms.ts';
import { visibleLines } from '../../src/core/previews/noise.ts';
import { foldedText, previewOf } from '../../src/core/previews/preview.ts';
import { realResults, type RealResult } from './data.ts';
import { madeTexts } from './made.ts';

const PREVIEW_CHARS = 6_000;

interface Row {
  count: number;
  before: number;
  after: number;
  errors: number;
  kept: number;
  ms: number;
}

const empty = (): Row => ({ count: 0, before: 0, after: 0, errors: 0, kept: 0, ms: 0 });

function errorLines(text: string): readonly string[] {
  return [...new Set(visibleLines(text).map(({ line }) => line.trim()))].filter((line) => alarmOf(line) === 2);
}

function add(table: Map<string, Row>, key: string, { text, path }: { text: string; path?: string | undefined }): void {
  const row = table.get(key) ?? empty();
  table.set(key, row);
  const start = performance.now();
  const shown = previewOf(text, { maxChars: PREVIEW_CHARS, path });
  row.ms += performance.now() - start;
  const after = shown?.text ?? text;
  row.count += 1;
  row.before += text.length;
  row.after += after.length;
  for (const line of errorLines(text)) {
    row.errors += 1;
    if (after.includes(line.slice(0, 150))) row.kept += 1;
  }
}

function print(title: string, table: ReadonlyMap<string, Row>): void {
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(
      [...table].map(([key, { count, before, after, errors, kept, ms }]) => [
        key,
        {
          count,
          before,
          after,
          'shorter %': Math.round((1 - after / Math.max(1, before)) * 100),
          'error lines': errors,
          kept,
          'ms/MB': Number((ms / (before / 1e6)).toFixed(1)),
        },
      ]),
    ),
  );
}

function pathOf({ input }: RealResult): string | undefined {
  const { path, file_path: other } = (input ?? {}) as { path?: string; file_path?: string };
  return path ?? other;
}

const real = realResults();
if (real.length === 0) console.log('No real sessions found; set HOLDOVER_DATA.');
const kinds = new Map<string, Row>();
for (const result of real.filter(({ text }) => text.length > 4_000)) {
  const path = pathOf(result);
  const kind = previewOf(result.text, { maxChars: PREVIEW_CHARS, path })?.kind ?? 'whole';
  add(kinds, `${kind}, ${result.session.split(' ')[0] ?? ''}`, { text: result.text, path });
}
print(`Previews of ${PREVIEW_CHARS} characters: real results over 4,000`, kinds);

const made = new Map<string, Row>();
for (const [name, text] of madeTexts()) {
  const kind = previewOf(text, { maxChars: PREVIEW_CHARS })?.kind ?? 'whole';
  add(made, `${name}: ${kind}`, { text });
}
print('Made texts', made);

const folds = new Map<string, Row>();
for (const { session, text } of real.filter(({ text }) => text.length >= 400)) {
  const key = session.split(' ')[0] ?? '';
  const row = folds.get(key) ?? empty();
  folds.set(key, row);
  const start = performance.now();
  const folded = foldedText(text).text;
  row.ms += performance.now() - start;
  const saved = text.length - folded.length;
  row.count += saved >= Math.max(500, text.length * 0.2) ? 1 : 0;
  row.before += text.length;
  row.after += saved >= Math.max(500, text.length * 0.2) ? folded.length : text.length;
}
print('Folding of results from 400 characters (count: those that were folded)', folds);
