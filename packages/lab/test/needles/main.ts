/**
 * `npm run needles [-- --policy classic,economic --seeds 2 --only bug-hunt --json]`: ten compactions in a row over long sessions, without a model and with
 * poor ones; exit code 1 and a line for each figure that is missed.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Policy, classic, economic } from '@holdover/engine';
import { readSession, type RecordedSession } from '@holdover/lab';
import { makeNeedles } from './make.ts';
import { createRandom, type Message } from './needle.ts';
import { play, POOR_WRITERS } from './play.ts';
import { missed, type Played, rowsOf, table } from './score.ts';
import { createStory, joined, type Story } from './story.ts';

const POLICIES: Readonly<Record<string, Policy>> = { classic, economic };
const WRITERS = { code: undefined, ...POOR_WRITERS } as const;
const LOOKS = [1, 3, 10];
const EACH = 3;
/** Recordings that make one very long session. */
const JOINED = 4;

const { values } = parseArgs({
  options: {
    policy: { type: 'string', default: 'classic,economic' },
    writer: { type: 'string', default: 'code,vague,wrong' },
    seeds: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const folder = new URL('../../sessions/', import.meta.url);

interface Recording {
  readonly name: string;
  readonly session: RecordedSession;
}

async function recordings(): Promise<readonly Recording[]> {
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as readonly { file: string }[];
  const names = index
    .map(({ file }) => file.replace('.jsonl.gz', ''))
    .filter((name) => values.only === undefined || name === values.only);
  return Promise.all(
    names.map(async (name) => ({ name, session: await readSession(new URL(`${name}.jsonl.gz`, folder).pathname) })),
  );
}

/** The recordings one by one, and some together as one. */
function sessionsOf(all: readonly Recording[]): readonly { name: string; messages: readonly Message[] }[] {
  const single = all.map(({ name, session }) => ({ name, messages: session.messages as readonly Message[] }));
  const groups = Array.from({ length: Math.floor(all.length / JOINED) }, (_, index) =>
    all.slice(index * JOINED, (index + 1) * JOINED),
  );
  return [
    ...single,
    ...groups.map((group, index) => ({
      name: `joined-${index + 1}`,
      messages: joined(group.map(({ session }) => session)),
    })),
  ];
}

function storiesOf(
  sessions: readonly { name: string; messages: readonly Message[] }[],
  seed: number,
): readonly Story[] {
  return sessions.map(({ name, messages }, index) => {
    const random = createRandom(seed * 1_000 + index);
    return createStory(name, messages, { needles: makeNeedles(random, EACH), random });
  });
}

async function main(): Promise<void> {
  const sessions = sessionsOf(await recordings());
  const stories = Array.from({ length: Number(values.seeds) }, (_, seed) => storiesOf(sessions, seed + 1)).flat();
  const played: Played[] = [];
  for (const policyName of values.policy.split(',')) {
    const policy = POLICIES[policyName];
    if (policy === undefined) throw new Error(`--policy knows ${Object.keys(POLICIES).join(', ')}, not ${policyName}`);
    for (const writerName of values.writer.split(',') as (keyof typeof WRITERS)[]) {
      const writer = WRITERS[writerName];
      for (const story of stories) {
        const looks = await play(story, { policy, looks: LOOKS, ...(writer === undefined ? {} : { writer }) });
        played.push({ setting: `${policyName}, ${writerName}`, session: story.name, looks });
        process.stderr.write('.');
      }
    }
  }
  process.stderr.write('\n');
  const rows = rowsOf(played);
  const lines = missed(rows);
  if (values.json) process.stdout.write(`${JSON.stringify({ missed: lines, rows }, null, 2)}\n`);
  else process.stdout.write(table(rows));
  for (const line of lines) process.stderr.write(`MISSED: ${line}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}

await main();
