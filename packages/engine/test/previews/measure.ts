/** What shaping on arrival does to the results of real sessions and to made ones: `npm run measure:arrival`. */
import { createHash } from 'node:crypto';
import { estimateTokens } from '../../src/core/estimate.ts';
import { History } from '../../src/core/history.ts';
import { arrival } from '../../src/core/layers/arrival.ts';
import { applyEdits, EMPTY_VIEW, extend, type View } from '../../src/core/view.ts';
import { CLAUDE_CODE_WINDOW, windowOf } from '../../src/core/window.ts';
import { entryOf } from '../../src/hub/session.ts';
import { anthropicBuilder as build } from '../../src/testing/wire-builder.ts';
import { alarmAt, alarmOf } from '../../src/core/previews/alarms.ts';
import { ALARM_SHARE } from '../../src/core/previews/log.ts';
import { visibleLines } from '../../src/core/previews/noise.ts';
import { previewOf } from '../../src/core/previews/preview.ts';
import { GAP_CHARS, MAX_LINE_CHARS } from '../../src/core/previews/rows.ts';
import { realResults, type RealResult } from './data.ts';
import { madeTexts } from './made.ts';

const PREVIEW_CHARS = 6_000;
const RUNS = 5;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Milliseconds of processor time so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The fastest of some runs. */
function timed<T>(run: () => T): { readonly shown: T; readonly ms: number } {
  let best = Number.POSITIVE_INFINITY;
  let shown = run();
  for (let i = 0; i < RUNS; i += 1) {
    const start = cpuMs();
    shown = run();
    best = Math.min(best, cpuMs() - start);
  }
  return { shown, ms: best };
}

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

/** Characters of a log's preview that its error lines may take: each as long as it is shown, and the line for a gap. */
function isOverCap(text: string): boolean {
  const chars = errorLines(text).reduce((sum, line) => sum + Math.min(MAX_LINE_CHARS, line.length) + 1 + GAP_CHARS, 0);
  return chars > PREVIEW_CHARS * ALARM_SHARE - GAP_CHARS;
}

function add(table: Map<string, Row>, key: string, { text, path }: { text: string; path?: string | undefined }): void {
  const row = table.get(key) ?? empty();
  table.set(key, row);
  const { shown, ms } = timed(() => previewOf(text, { maxChars: PREVIEW_CHARS, path }));
  row.ms += ms;
  const after = shown?.text ?? text;
  row.count += 1;
  row.before += text.length;
  row.after += after.length;
  for (const line of errorLines(text)) {
    row.errors += 1;
    // Long lines are shown around the word that tells.
    const { at } = alarmAt(line);
    if (after.includes(line.length > MAX_LINE_CHARS ? line.slice(at, at + 60) : line)) row.kept += 1;
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
  const cap = kind === 'log' && isOverCap(result.text) ? ' (more errors than are shown)' : '';
  add(kinds, `${kind}${cap}, ${result.session.split(' ')[0] ?? ''}`, { text: result.text, path });
}
print(`Previews of ${PREVIEW_CHARS} characters: real results over 4,000`, kinds);

const made = new Map<string, Row>();
for (const [name, text] of madeTexts()) {
  const kind = previewOf(text, { maxChars: PREVIEW_CHARS })?.kind ?? 'whole';
  add(made, `${name}: ${kind}`, { text });
}
print('Made texts', made);

interface Shaping {
  results: number;
  before: number;
  saved: number;
  ms: number;
  byKind: Map<string, { edits: number; before: number; after: number }>;
}

/** What a reason says, without its numbers. */
const kindOf = (reason: string): string => reason.replaceAll(/\d+/g, 'n').replace(/^n of n characters /, '');

/** The layer asked after each result, as an agent's loop would: nothing leaves the view, so that every pointer finds its target. */
function shapeSession(results: readonly RealResult[], into: Shaping): void {
  const layer = arrival();
  const window = windowOf({ windowTokens: 200_000, maxOutputTokens: 8_000 }, CLAUDE_CODE_WINDOW);
  const history = new History();
  let view: View = EMPTY_VIEW;
  const append = (message: object): void => history.append(entryOf(message, build.codec, estimateTokens));
  append(build.user('Go.'));
  results.forEach(({ name, input, text }, i) => {
    append(build.assistant({ calls: [{ id: `call_${i}`, name, input: (input ?? {}) as object }] }));
    for (const message of build.results([{ callId: `call_${i}`, text }])) append(message);
    view = extend(view, history);
    const asked = { history, view, window, count: estimateTokens, hash: sha256, sentLength: history.length - 1 };
    const start = cpuMs();
    const { edits } = layer.propose(asked);
    into.ms += cpuMs() - start;
    into.results += 1;
    into.before += text.length;
    for (const edit of edits) {
      if (edit.kind !== 'part') continue;
      const kind = into.byKind.get(kindOf(edit.reason)) ?? { edits: 0, before: 0, after: 0 };
      into.byKind.set(kindOf(edit.reason), kind);
      kind.edits += 1;
      kind.before += text.length;
      kind.after += edit.text.length;
      into.saved += text.length - edit.text.length;
    }
    view = applyEdits(view, edits, asked);
  });
}

const sessions = new Map<string, RealResult[]>();
for (const result of real) sessions.set(result.session, [...(sessions.get(result.session) ?? []), result]);
const shapings = new Map<string, Shaping>();
for (const [session, results] of sessions) {
  const key = session.split(' ')[0] ?? '';
  const into = shapings.get(key) ?? { results: 0, before: 0, saved: 0, ms: 0, byKind: new Map() };
  shapings.set(key, into);
  shapeSession(results, into);
}
console.log('\nThe layer over whole sessions, nothing leaving the view');
console.table(
  [...shapings].flatMap(([session, { results, before, saved, ms, byKind }]) => [
    {
      session,
      what: 'all',
      results,
      before,
      saved,
      'saved %': Math.round((saved / before) * 100),
      'ms a result': Number((ms / results).toFixed(2)),
    },
    ...[...byKind].map(([what, kind]) => ({
      session,
      what,
      results: kind.edits,
      before: kind.before,
      saved: kind.before - kind.after,
    })),
  ]),
);
