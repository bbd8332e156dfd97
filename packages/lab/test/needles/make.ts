/** Needles of every kind, other ones for every seed. */
import type { Block, Message, Needle, Random } from './needle.ts';

const AREAS =
  'billing search upload sessions metrics cache mailer export webhooks quotas avatars audit scheduler tenants locale tokens'.split(
    ' ',
  );
const THINGS = 'harbor lantern quarry meadow falcon copper tundra walnut cobalt ginger marble saffron'.split(' ');

const said = (role: Message['role'], text: string): Message => ({ role, content: [{ type: 'text', text }] });

let calls = 0;

/** A round: a call and its result, with words in front of it where there are some. */
function round(
  call: { readonly name: string; readonly input: object },
  result: string,
  words?: string,
): readonly Message[] {
  calls += 1;
  const id = `toolu_needle_${calls}`;
  const isError = /\(exit code [1-9]\d*\)$/.test(result);
  const spoken: readonly Block[] = words === undefined ? [] : [{ type: 'text', text: words }];
  return [
    { role: 'assistant', content: [...spoken, { type: 'tool_use', id, ...call }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: result, ...(isError ? { is_error: true } : {}) }],
    },
  ];
}

const bash = (command: string, result: string): readonly Message[] =>
  round({ name: 'bash', input: { command } }, result);

/** Lines a result is made of besides the one that counts. */
function noise(random: Random, lines: number): readonly string[] {
  return Array.from(
    { length: lines },
    () => `${random.pick(THINGS)} ${random.pick(AREAS)} pass ${random.int(1, 99)} took ${random.int(10, 9_000)} ms`,
  );
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => random.int(0, 15).toString(16)).join('');
}

type Make = (random: Random, area: string, thing: string) => Needle;

const byUser = (kind: Needle['kind'], query: string, text: string): Needle => ({
  kind,
  by: 'user',
  query,
  answer: text,
  messages: [said('user', text), said('assistant', 'Understood.')],
});

const USER: readonly Make[] = [
  (_, area, thing) =>
    byUser('constraint', `never ${area}`, `Never change anything under ${area}/${thing} without asking me first.`),
  (_, area, thing) =>
    byUser('constraint', `always ${area}`, `Always run the ${thing} check before you call the ${area} work done.`),
  (random, area, thing) =>
    byUser(
      'decision',
      `decided ${area}`,
      `We decided that ${area} stays on the ${thing} protocol until version ${random.int(4, 90)}, so do not plan for anything else.`,
    ),
  (random, area, thing) =>
    byUser(
      'id',
      `ticket ${area}`,
      `The ticket for the ${area} part is ${thing.toUpperCase()}-${random.int(10_000, 99_999)}, please name it in the commit.`,
    ),
  (random, area, thing) =>
    byUser(
      'constraint',
      `limit ${area}`,
      `The ${area} job may use ${random.int(3, 97)} connections at most; more than that and the ${thing} server falls over.`,
    ),
];

const TOOL: readonly Make[] = [
  (random, area, thing) => {
    const answer = `export const ${area.toUpperCase()}_LIMIT = ${random.int(1_000, 99_999)};`;
    const path = `src/${area}/${thing}-limits.ts`;
    const text = [`// limits of ${area}`, answer, ...noise(random, 12).map((line) => `// ${line}`), ''].join('\n');
    return {
      kind: 'file state',
      by: 'tool',
      query: `${thing}-limits.ts LIMIT`,
      answer,
      messages: round({ name: 'read_file', input: { path } }, text),
    };
  },
  (random, area, thing) => {
    const path = `config/${area}-${thing}.yaml`;
    const answer = `  timeout_ms: ${random.int(1_000, 99_999)} # ${thing}`;
    const input = { path, old_text: `  timeout_ms: ${random.int(10, 999)} # ${thing}`, new_text: answer };
    const needle = round({ name: 'edit_file', input }, `edited ${path} at line ${random.int(2, 90)}`);
    return {
      kind: 'file state',
      by: 'tool',
      query: `${area}-${thing}.yaml timeout_ms`,
      answer: answer.trim(),
      messages: needle,
    };
  },
  (random, area, thing) => {
    const path = `scripts/${thing}_${area}.sh`;
    const answer = `exec ./bin/${thing} --shards ${random.int(100, 999)} --region ${area}`;
    const content = ['#!/bin/sh', 'set -eu', answer, ''].join('\n');
    return {
      kind: 'file state',
      by: 'tool',
      query: `${thing}_${area}.sh`,
      answer,
      messages: round({ name: 'write_file', input: { path, content } }, `wrote ${content.length} bytes to ${path}`),
    };
  },
  (random, area, thing) => {
    const answer = `dpl_${hex(random, 14)}`;
    const text = [...noise(random, 8), `deployment ${answer} of ${area} is live`, ...noise(random, 3)].join('\n');
    return {
      kind: 'id',
      by: 'tool',
      query: `deployment ${area}`,
      answer,
      messages: bash(`./deploy.sh ${area} --track ${thing}`, text),
    };
  },
  (random, area, thing) => {
    const answer = `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`;
    const rows = noise(random, 14).map((line) => `${hex(random, 8)} ${line}`);
    const text = [...rows.slice(0, 6), `tenant ${thing} of ${area} has key ${answer}`, ...rows.slice(6)].join('\n');
    return {
      kind: 'id',
      by: 'tool',
      query: `tenant ${thing} ${area} key`,
      answer,
      messages: bash(`psql -c 'select * from tenants' | grep ${area}`, text),
    };
  },
  (random, area, thing) => {
    const answer = `${area}: ${thing} handshake refused by peer ${random.int(2, 250)} after ${random.int(3, 40)} tries`;
    const text = [
      ...noise(random, 10),
      `Error: ${answer}`,
      `    at connect (${area}/${thing}.js:${random.int(10, 400)}:${random.int(3, 60)})`,
      '(exit code 1)',
    ].join('\n');
    return {
      kind: 'error',
      by: 'tool',
      query: `${area} handshake refused`,
      answer,
      messages: bash(`node tools/${area}-${thing}.js --check`, text),
    };
  },
  (random, area, thing) => {
    const name = `keeps the ${thing} ${area} in order`;
    const text = [
      ...noise(random, 6),
      ` ✓ test/${area}/${random.pick(THINGS)}.test.ts (${random.int(2, 30)} tests)`,
      ` × test/${area}/${thing}.test.ts > ${name}`,
      `   AssertionError: expected ${random.int(100, 999)} to be ${random.int(100, 999)}`,
      ` Tests  1 failed | ${random.int(20, 200)} passed`,
      '(exit code 1)',
    ].join('\n');
    return {
      kind: 'failing test',
      by: 'tool',
      query: `failing test ${thing} ${area}`,
      answer: name,
      messages: bash(`npx vitest run test/${area}`, text),
    };
  },
  (random, area, thing) => {
    const answer = `ADR-${random.int(100, 999)}: ${area} keeps one ${thing} per tenant and never shares it`;
    const text = [`# Decisions about ${area}`, '', ...noise(random, 5), answer, ...noise(random, 5)].join('\n');
    return {
      kind: 'decision',
      by: 'tool',
      query: `ADR ${area} ${thing}`,
      answer,
      messages: round({ name: 'read_file', input: { path: `docs/decisions/${area}-${thing}.md` } }, text),
    };
  },
  (random, area, thing) => {
    const answer = `I keep the old ${thing} reader for ${area}, because the new one loses ${random.int(2, 60)} rows in a thousand.`;
    return {
      kind: 'decision',
      by: 'model',
      query: `keep old reader ${area}`,
      answer,
      messages: round(
        { name: 'bash', input: { command: `wc -l data/${area}-${thing}.csv` } },
        `${random.int(100, 9_000)} data/${area}-${thing}.csv`,
        answer,
      ),
    };
  },
];

export interface Needles {
  /** Exchanges of the user's. */
  readonly user: readonly Needle[];
  /** Rounds of the model's. */
  readonly rounds: readonly Needle[];
}

/** `each`: how many of every sort. No two have area and thing in common. */
export function makeNeedles(random: Random, each: number): Needles {
  const pairs = AREAS.flatMap((area) => THINGS.map((thing) => [area, thing] as const));
  const made = (makes: readonly Make[]): readonly Needle[] =>
    Array.from({ length: each }, () => makes).flatMap((sorts) =>
      sorts.map((make) => {
        const [pair = ['billing', 'harbor'] as const] = pairs.splice(random.int(0, pairs.length - 1), 1);
        return make(random, ...pair);
      }),
    );
  return { user: made(USER), rounds: made(TOOL) };
}
