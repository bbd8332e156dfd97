/**
 * A model that works at random, from a seed: what it does in a round follows from the turn, the round and what it is shown, so that a run can be
 * repeated. Its texts and calls are those of a plausible model, its mistakes too.
 */
import type { Brain, SimReply, SimReplyPart, SimRequest } from '@holdover/simulator';
import { createRandom, prose, type Random } from './random.ts';
import { FILE_COUNT, MARK } from './workspace.ts';

/** The word in a user message that says that somebody is going to interrupt. */
export const SLOW_WORD = 'take your time';

interface Place {
  /** Names the conversation of the moment: a turn of the main agent, a task of a helper. */
  readonly key: string;
  readonly round: number;
  readonly random: Random;
  readonly request: SimRequest;
  readonly isSlow: boolean;
}

type Act = (place: Place) => readonly SimReplyPart[];

const call = (name: string, input: Record<string, unknown>): SimReplyPart => ({ kind: 'call', name, input });

function textsOf(request: SimRequest): readonly string[] {
  return request.messages.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
}

function addressIn(request: SimRequest, random: Random): string {
  const found = textsOf(request).flatMap((text) => text.match(/\b(?:c_[0-9a-f]{16}|h_[0-9.-]+_[0-9a-f]{16})\b/g) ?? []);
  return found.length === 0 || random.chance(0.1) ? 'c_0123456789abcdef' : random.pick(found);
}

/** Helpers have files of their own, so that two of them at once do not meet. */
function fileFor({ key, random }: Place): string {
  if (key.startsWith('task')) return `sub/${key.replaceAll(/\D+/g, '-')}.ts`;
  const folder = random.pick(['src', 'src', 'src/deep']);
  return `${folder}/file${random.int(1, FILE_COUNT)}.ts`;
}

function contentFor({ key, round, random }: Place): string {
  const lines = Array.from(
    { length: random.int(3, 60) },
    (_, line) => `const v${line} = ${JSON.stringify(prose(random, 6))};`,
  );
  return [`// written in ${key}, round ${round}`, MARK, ...lines, ''].join('\n');
}

function commandFor({ random, key, round, isSlow }: Place): string {
  if (isSlow && random.chance(0.7)) return random.pick(['sleep 20', 'sleep 20 & wait', 'echo started; sleep 20']);
  return random.pick([
    `echo ${key} ${round}`,
    'seq 1 300',
    'seq 1 6000',
    'sleep 0.02; echo slept',
    'cat missing.txt',
    'exit 3',
    'sleep 40 & echo left behind',
    '(sleep 40; echo never) >/dev/null 2>&1 & disown; echo disowned',
    `for i in $(seq 1 ${random.int(50, 900)}); do echo "row $i of the table"; done`,
    'kill -9 $$',
    'echo über 文字 🙂; printf "\\xff\\xfe"',
    'ls -la src | head -30',
    'curl http://example.invalid/',
    'rm -rf src',
  ]);
}

const TODO_STATUSES = ['pending', 'in_progress', 'completed'];

const ACTS: Readonly<Record<string, Act>> = {
  bash: (place) => [call('bash', { command: commandFor(place) })],
  bashes: (place) => [
    call('bash', { command: commandFor(place) }),
    call('bash', { command: commandFor(place) }),
    call('bash', { command: commandFor(place) }),
  ],
  read: (place) => [call('read_file', { path: fileFor(place) }), call('read_file', { path: fileFor(place) })],
  readPart: (place) => [call('read_file', { path: fileFor(place), offset: place.random.int(0, 30), limit: 10 })],
  write: (place) => [call('write_file', { path: fileFor(place), content: contentFor(place) })],
  rewrite(place) {
    const path = fileFor(place);
    return [call('read_file', { path }), call('write_file', { path, content: contentFor(place) })];
  },
  edit(place) {
    const { key, round } = place;
    return [
      call('edit_file', {
        path: fileFor(place),
        old_text: MARK,
        new_text: `${MARK}\n// changed in ${key}, round ${round}`,
      }),
    ];
  },
  editMiss: (place) => [call('edit_file', { path: fileFor(place), old_text: 'nowhere to be found', new_text: 'x' })],
  grep: ({ random }) => [call('grep', { pattern: random.pick(['v1\\d', 'changed in', '(', 'cache', '^// ']) })],
  glob: ({ random }) => [call('glob', { pattern: random.pick(['**/*.ts', 'src/*', 'nothing/**', '[']) })],
  look: (place) => [
    call('grep', { pattern: 'const v2 ' }),
    call('glob', { pattern: 'src/**' }),
    call('read_file', { path: fileFor(place) }),
  ],
  todo: ({ random, key }) => [
    call('todo_write', {
      todos: Array.from({ length: random.int(0, 6) }, (_, index) => ({
        content: `step ${index} of ${key}`,
        status: random.pick(TODO_STATUSES),
      })),
    }),
  ],
  skill: ({ random }) => [call('load_skill', { name: random.pick(['alpha', 'beta', 'missing']) })],
  recall: ({ request, random }) => [call('recall', { address: addressIn(request, random) })],
  recallText: ({ random }) => [
    call('recall', { query: random.pick(['changed in', 'row 7', 'turn', 'nothing like it']) }),
  ],
  compact: ({ random }) => [call('compact', random.chance(0.5) ? { focus: 'file names' } : {})],
  snip: ({ random }) => [call('snip', random.chance(0.5) ? { keep_turns: random.int(1, 4) } : {})],
  unknown: () => [call('make_coffee', { cups: 2 })],
  badInput: ({ random }) => [
    call(
      random.pick(['bash', 'read_file', 'write_file', 'todo_write', 'task', 'recall']),
      random.pick([{}, { path: 5 }, { todos: 'no' }]),
    ),
  ],
  outside: () => [
    call('read_file', { path: '../../etc/passwd' }),
    call('write_file', { path: '/etc/motd', content: 'x' }),
  ],
  mcp: ({ random, key }) => [
    call(random.weighted({ mcp__frail__echo: 8, mcp__frail__crash: 1, mcp__frail__fail: 1 }), {
      text: `said in ${key}`,
    }),
  ],
  task: ({ key, round }) => [call('task', { description: taskText(key, round, 0) })],
  tasks: ({ key, round }) => [
    call('task', { description: taskText(key, round, 0) }),
    call('task', { description: taskText(key, round, 1), title: 'the other half' }),
  ],
};

function taskText(key: string, round: number, index: number): string {
  return `Task ${key.replace('turn ', '')}.${round}.${index}: look at the files and report what they hold.`;
}

const WEIGHTS: Readonly<Record<keyof typeof ACTS, number>> = {
  bash: 14,
  bashes: 5,
  read: 12,
  readPart: 4,
  write: 7,
  rewrite: 5,
  edit: 10,
  editMiss: 2,
  grep: 5,
  glob: 4,
  look: 4,
  todo: 6,
  skill: 3,
  recall: 6,
  recallText: 2,
  compact: 0.6,
  snip: 1,
  unknown: 1,
  badInput: 2,
  outside: 1,
  mcp: 4,
  task: 3,
  tasks: 2,
};

const HELPER_ACTS = ['bash', 'read', 'write', 'edit', 'grep', 'look', 'recall', 'badInput', 'unknown'] as const;

function answer({ random, isSlow }: Place): SimReply {
  if (random.chance(0.02)) return { parts: [] };
  if (random.chance(0.01)) return { parts: [{ kind: 'text', text: 'I would rather not.' }], stop: 'refusal' };
  const words = random.chance(0.03) ? 1_500 : random.int(5, isSlow ? 400 : 120);
  return { parts: [{ kind: 'text', text: prose(random, words) }] };
}

function work(place: Place): SimReply {
  const { key, random } = place;
  const name = key.startsWith('task') ? random.pick(HELPER_ACTS) : random.weighted(WEIGHTS);
  const calls = ACTS[name]?.(place) ?? [];
  const spoken: readonly SimReplyPart[] = random.chance(0.6)
    ? [{ kind: 'text', text: prose(random, random.int(3, 40)) }]
    : [];
  const thought: readonly SimReplyPart[] = random.chance(0.3) ? [{ kind: 'thinking', text: prose(random, 20) }] : [];
  return { parts: [...thought, ...spoken, ...calls] };
}

function summary(seed: string, request: SimRequest): SimReply {
  const text = textsOf(request).join('\n');
  const random = createRandom(`${seed}/summary/${text.length}`);
  if (random.chance(0.04)) return { parts: [] };
  if (random.chance(0.03)) return { parts: [{ kind: 'text', text: prose(random, 6_000) }] };
  if (random.chance(0.03)) return { parts: [{ kind: 'text', text: 'No.' }], stop: 'refusal' };
  return { parts: [{ kind: 'text', text: `Goal: keep going. Findings: ${prose(random, random.int(40, 400))}` }] };
}

/** The newest turn or task that is named anywhere in the request. */
function keyOf(request: SimRequest): string {
  const isHelper = request.system.startsWith('You are a helper');
  const pattern = isHelper ? /Task (\d+\.\d+\.\d+):/g : /Turn (\d+):/g;
  const users = request.messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts);
  const names = users
    .flatMap((part) => (part.kind === 'text' ? [...part.text.matchAll(pattern)] : []))
    .map((match) => match[1] ?? '');
  if (isHelper) return `task ${names[0] ?? 'lost'}`;
  return `turn ${names.length === 0 ? 'lost' : Math.max(...names.map(Number))}`;
}

const MAX_KEPT_KEYS = 200;

export function createSoakBrain(seed: string): Brain {
  const rounds = new Map<string, number>();
  return {
    name: 'soak',
    reply(request) {
      if (request.system.startsWith('You write summaries')) return summary(seed, request);
      const key = keyOf(request);
      const round = rounds.get(key) ?? 0;
      rounds.delete(key);
      rounds.set(key, round + 1);
      const [oldest] = rounds.keys();
      if (rounds.size > MAX_KEPT_KEYS && oldest !== undefined) rounds.delete(oldest);
      const random = createRandom(`${seed}/${key}/${round}`);
      const isSlow = textsOf(request).some((text) => text.includes(`${key.replace('turn', 'Turn')}: ${SLOW_WORD}`));
      const place: Place = { key, round, random, request, isSlow };
      const isLast = round >= 6 || random.chance(key.startsWith('task') ? 0.4 : 0.3);
      return isLast ? answer(place) : work(place);
    },
  };
}
