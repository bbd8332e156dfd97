/** One run by its seed: a session whose process is killed once or more, and what is left of it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listSessions } from '@holdover/agent';
import { createRandom, type Random } from '../soak/random.ts';
import { type Kill, launchOf, observe, type Observed } from './observed.ts';
import { ARCHIVES, type Format, FORMATS, type Part, POLICY_NAMES, type PolicyName } from './protocol.ts';
import type { Resumer } from './resume.ts';
import { readSurvivors } from './survivors.ts';

/** A process starts and opens its session in less, on a machine that is not busy. */
const START_MS = 400;
/** Some ten operations, with compactions among them. */
const PLAY_MS = 500;
/** More than a process gets to. */
const ENDLESS_OPS = 10_000;

export interface RunFigures {
  /** Processes killed. */
  kills: number;
  /** Kills that fell before a session was open. */
  early: number;
  /** Messages whose write had been acknowledged. */
  acknowledged: number;
  messages: number;
  groups: number;
  addresses: number;
  problems: string[];
}

export const NO_FIGURES: Readonly<Omit<RunFigures, 'problems'>> = {
  kills: 0,
  early: 0,
  acknowledged: 0,
  messages: 0,
  groups: 0,
  addresses: 0,
};

/** From chance, not from anything the process does. */
function drawKill(random: Random): Kill {
  if (random.chance(0.1)) return { after: 'spawn', ms: random.next() * START_MS };
  return { after: 'open', ms: random.next() * PLAY_MS };
}

interface Life {
  readonly folder: string;
  readonly format: Format;
  readonly policy: PolicyName;
  readonly archive: Part['archive'];
  readonly program: string;
  readonly seed: string;
  readonly figures: RunFigures;
}

/** One process from its start to its kill, and what it left on the disk. What was held before holds on where it said nothing. */
async function live(
  { folder, format, policy, archive, program, seed, figures }: Life,
  before: Observed | undefined,
): Promise<Observed> {
  const random = createRandom(`${seed}/kill`);
  const seen = await observe(
    launchOf(program, { folder, format, policy, archive, seed, ops: ENDLESS_OPS }),
    drawKill(random),
  );
  figures.kills += 1;
  if (!seen.wasOpen) figures.early += 1;
  if (seen.code !== null)
    figures.problems.push(`it ended by itself with code ${seen.code}: ${seen.errors.slice(0, 500)}`);
  const unexpected = seen.failures.filter(({ op, code }) => op !== 'undo' || code !== 'WINDOW_EXHAUSTED');
  for (const { op, code, message } of unexpected) figures.problems.push(`${op}: ${code} ${message}`);
  const known = seen.holding === undefined && before !== undefined ? before : seen;
  const id = known.holding?.sessionId ?? (await listSessions(folder))[0];
  if (id === undefined) return known;
  const { loaded, addresses, problems } = await readSurvivors(folder, id, known);
  figures.acknowledged += known.holding?.length ?? 0;
  figures.messages += loaded.messages.length;
  figures.groups += loaded.groups.length;
  figures.addresses += addresses;
  figures.problems.push(...problems);
  return known;
}

export interface RunOptions {
  readonly seed: number;
  readonly program: string;
  readonly resumer: Resumer;
}

export async function runOnce({ seed, program, resumer }: RunOptions): Promise<RunFigures> {
  const random = createRandom(`crash/${seed}`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdover-crash-')));
  const figures: RunFigures = { ...NO_FIGURES, problems: [] };
  const format = random.pick(FORMATS);
  const policy = random.pick(POLICY_NAMES);
  const lives = random.weighted({ 1: 3, 2: 1, 3: 0.5 });
  const archive = random.pick(ARCHIVES);
  try {
    let known: Observed | undefined;
    for (let life = 1; life <= Number(lives); life += 1)
      known = await live({ folder, format, policy, archive, program, seed: `crash/${seed}/${life}`, figures }, known);
    const id = known?.holding?.sessionId ?? (await listSessions(folder))[0];
    const mayUnpin = known?.underWay?.op === 'unpin';
    figures.problems.push(
      ...(await resumer.resume(folder, { format, policy, archive, id, holding: known?.holding, mayUnpin })),
    );
  } catch (error) {
    figures.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    if (figures.problems.length === 0) rmSync(folder, { recursive: true, force: true });
    else figures.problems.push(`its folder is ${folder}`);
  }
  return figures;
}
