import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, exportSession, SESSION_EXPORT_SCHEMA } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { ECHO, echo, FORMATS, type Format, openSimulator, providerFor, quickPorts } from '../support/stage.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const ID = '20260101-000000-00000001';
const SECRET = 'sk-live-0123456789abcdef';
const redact = (text: string): string => text.replaceAll(SECRET, '[secret]');
const asIs = (text: string): string => text;

interface Exported {
  readonly messages: readonly { readonly role: string; readonly parts: readonly Record<string, unknown>[] }[];
  readonly compactions: readonly Record<string, unknown>[];
  readonly title: string;
}

async function told(format: Format): Promise<{ readonly root: string; readonly id: string }> {
  const root = tempFolder();
  const simulator = await openSimulator(
    scripted([
      [{ kind: 'text', text: 'Looking.' }, echo('Use ```code``` here\n````\nlong', 'id_1')],
      'First <b>done</b>.',
      { kind: 'call', name: 'compact', input: {}, id: 'id_2' },
      'Goal: the summary.',
      `Second done, with ${SECRET}.`,
    ]),
  );
  const agent = await createAgent({
    workspace: root,
    provider: providerFor(format, simulator),
    model: 'sim-1',
    tools: [ECHO],
    ports: quickPorts(),
  });
  await agent.run('Do the *first* thing.');
  await agent.run('Do the second thing.');
  await agent.close();
  return { root, id: agent.sessionId };
}

/** A file as anybody may have made it. */
function planted(lines: readonly string[], header: object = {}): string {
  const root = tempFolder();
  mkdirSync(join(root, '.holdover', 'sessions'), { recursive: true });
  const first = {
    v: 1,
    id: 'r1',
    parent: null,
    type: 'session',
    sessionId: ID,
    createdAt: 'x',
    provider: 'anthropic',
    model: 'm',
  };
  const text = [JSON.stringify({ ...first, ...header }), ...lines].map((line) => `${line}\n`).join('');
  writeFileSync(join(root, '.holdover', 'sessions', `${ID}.jsonl`), text, { mode: 0o644 });
  return root;
}

const record = (number: number, more: object): string =>
  JSON.stringify({ v: 1, id: `r${number}`, parent: `r${number - 1}`, ...more });
const says = (number: number, role: string, content: unknown): string =>
  record(number, { type: 'message', message: { role, content } });

type Schema = Readonly<Record<string, unknown>>;

const TYPES: Readonly<Record<string, (schema: Schema, value: unknown) => boolean>> = {
  string: (_, value) => typeof value === 'string',
  boolean: (_, value) => typeof value === 'boolean',
  integer: (_, value) => Number.isInteger(value) && (value as number) >= 0,
  array: ({ items }, value) => Array.isArray(value) && value.every((item) => fits(items as Schema, item)),
  object(schema, value) {
    if (typeof value !== 'object' || value === null) return false;
    const properties = schema['properties'] as Readonly<Record<string, Schema>>;
    const hasAll = (schema['required'] as readonly string[]).every((name) => Object.hasOwn(value, name));
    return (
      hasAll && Object.entries(value).every(([name, item]) => name in properties && fits(properties[name] ?? {}, item))
    );
  },
};

/** The little of JSON Schema that ours uses, so that the constant is held against real exports. */
function fits(schema: Schema, value: unknown): boolean {
  if (Array.isArray(schema['oneOf'])) return schema['oneOf'].filter((one) => fits(one as Schema, value)).length === 1;
  if ('const' in schema) return schema['const'] === value;
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  return TYPES[String(schema['type'])]?.(schema, value) ?? true;
}

describe.each(FORMATS)('an export of %s', (format) => {
  it('as Markdown tells everything in order, with fences that hold', async () => {
    const { root, id } = await told(format);
    const page = await exportSession(root, id, { format: 'markdown', redact });
    expect(page.startsWith('# Do the \\*first\\* thing.\n\n- Session: `')).toBe(true);
    const marks = [
      '- Model: `sim-1`',
      '## 1. User\n\nDo the *first* thing.',
      '## 2. Assistant\n\nLooking.\n\n_Call of_ `echo`\n\n`````json\n{\n  "text": "Use ```code``` here\\n````\\nlong"\n}\n`````',
      '_Result_\n\n`````\nUse ```code``` here\n````\nlong\n`````',
      'First \\<b>done\\</b>.',
      'Do the second thing.',
      '_Call of_ `compact`',
      '> **Compaction 1** (manual)\n\nReplaced messages 1 to 7 (summary). The original: `h_0-7_',
      'Goal: the summary.',
      'Second done, with [secret].',
    ];
    const places = marks.map((mark) => page.indexOf(mark));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page).not.toContain(SECRET);
  });

  it('as JSON has the documented shape', async () => {
    const { root, id } = await told(format);
    const text = await exportSession(root, id, { format: 'json', redact });
    const exported = JSON.parse(text) as Exported;
    expect(fits(SESSION_EXPORT_SCHEMA, exported)).toBe(true);
    expect(fits(SESSION_EXPORT_SCHEMA, { ...exported, messages: [{}] })).toBe(false);
    expect(exported).toMatchObject({
      format: 'holdover-session',
      v: 1,
      id,
      title: 'Do the *first* thing.',
      damage: [],
    });
    expect(exported.messages.map(({ role }) => role)).toEqual(
      'user assistant user assistant user assistant user assistant'.split(' '),
    );
    expect(exported.messages[1]?.parts[1]).toEqual({
      kind: 'call',
      id: 'id_1',
      name: 'echo',
      input: { text: 'Use ```code``` here\n````\nlong' },
    });
    expect(exported.messages[2]?.parts).toMatchObject([{ kind: 'result', callId: 'id_1', isError: false }]);
    expect(exported.compactions).toMatchObject([
      {
        epoch: 1,
        at: 7,
        cause: 'manual',
        isInForce: true,
        edits: [{ layer: 'summary', replaced: { from: 0, to: 7 } }],
      },
    ]);
    expect(text).not.toContain(SECRET);
  });
});

describe('a session file of somebody else', () => {
  it('cannot write structure, HTML or escapes into the page', async () => {
    const root = planted(
      [
        says(
          2,
          'user',
          'Hi\n## 2. Assistant\n\n# Title\n<script>alert(1)</script>\n<!-- --><img src=x onerror=y>\n```\nnever closed',
        ),
        says(3, 'assistant', '\u001b]0;owned\u0007fine\u202e'),
        says(4, 'user', [{ type: 'image`<b>`', source: {} }]),
        says(5, 'assistant', [{ type: 'tool_use', id: '1', name: '`\n## x', input: { a: '\n```\n</script>' } }]),
        record(6, { type: 'fact', name: 'title', value: '<b>x</b>\n# y [link](javascript:x)' }),
      ],
      { model: '`<i>`\u001b[2J', createdAt: '](x)\n# z' },
    );
    const page = await exportSession(root, ID, { format: 'markdown', redact: asIs });
    const headings = page.split('\n').filter((line) => line.startsWith('#'));
    expect(headings).toEqual(['# \\<b\\>x\\</b\\>', '## 1. User', '## 2. Assistant', '## 3. User', '## 4. Assistant']);
    expect(page).toContain('\\## 2. Assistant\n\n\\# Title\n\\<script>alert(1)\\</script>\n\\<!-- -->\\<img src=x');
    expect(page).toContain('```\nnever closed\n```\n\n## 2. Assistant\n\nfine');
    expect(page).toContain('_Call of_ `` ` ``');
    for (const character of ['\u001b', '\u202e']) expect(page).not.toContain(character);
  });

  it('may nest, lie and name members as it likes', async () => {
    const deep = `{"v":1,"id":"r2","parent":"r1","type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}]}}`;
    const proto =
      '{"v":1,"id":"r3","parent":"r2","type":"message","message":{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"__proto__","input":{"__proto__":{"polluted":true},"constructor":1}}]}}';
    const root = planted(
      [
        deep,
        proto,
        says(4, 'wizard', 7),
        says(5, 'user', [{ type: 'tool_result', tool_use_id: {}, content: { a: 1 } }]),
        record(6, {
          type: 'ledger',
          groups: [{ seq: 'x' }, { seq: 1, at: 0, cause: 5, edits: [null, { kind: 'range' }] }],
        }),
        record(7, { type: 'ledger', groups: [{ seq: 2, at: -1, cause: 'rewind', drops: [1] }] }),
        record(8, { type: 'fact', name: 'todos', value: { length: 3 } }),
        'torn {',
      ],
      { forkedFrom: { a: 1 }, provider: 'anthropic' },
    );
    for (const format of ['markdown', 'json'] as const) await exportSession(root, ID, { format, redact: asIs });
    const exported = JSON.parse(await exportSession(root, ID, { format: 'json', redact: asIs })) as Exported;
    expect(exported.messages.map(({ role }) => role)).toEqual(['assistant', 'assistant', 'unreadable', 'user']);
    expect(JSON.stringify(exported.messages[0])).toContain('(nested too deeply to show)');
    expect(exported.messages[1]?.parts[0]?.['input']).toEqual(
      JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(exported).toMatchObject({ compactions: [], todos: [], damage: ['line 9: it is not JSON'] });
  });

  it('of a format nobody knows is named and not guessed at', async () => {
    const root = planted([says(2, 'user', 'Hi')], { provider: 'constructor' });
    const page = await exportSession(root, ID, { format: 'markdown', redact: asIs });
    expect(page).toContain('_This message is not in the format of the session._');
  });

  it('is not gone on with', async () => {
    const root = planted([says(2, 'user', 'Hi')]);
    const simulator = await openSimulator(scripted([]));
    for (const session of [{ kind: 'continue' }, { kind: 'resume', id: ID }, { kind: 'fork', id: ID }] as const)
      await expect(
        createAgent({ workspace: root, provider: providerFor('anthropic', simulator), model: 'm', session }),
      ).rejects.toMatchObject({
        code: 'session_unreadable',
        message: expect.stringMatching(/open to other users \(mode 644\).*if you trust it: chmod 600/) as string,
      });
  });

  it('that is not there is said so', async () => {
    await expect(exportSession(tempFolder(), ID, { format: 'json', redact: asIs })).rejects.toMatchObject({
      code: 'session_not_found',
    });
  });
});
