import {
  connectMcp,
  createLongTexts,
  type McpConnections,
  type McpOptions,
  parseMcpServers,
  type Tool,
} from '@holdover/agent';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPermissions } from '../../src/permissions/permissions.ts';
import { createWorkspace } from '../../src/workspace/workspace.ts';
import { FORMATS, resultsIn, stageFor } from '../support/stage.ts';
import { contextFor, errorOf, textOf } from '../tools/context.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { httpServer } from './servers/http-server.ts';

const SERVER = fileURLToPath(new URL('servers/stdio-server.mjs', import.meta.url));
const ENV = { PATH: process.env['PATH'] ?? '', MY_TOKEN: 's3cret', HOME: '/home/x' };

function stdio(...args: readonly string[]) {
  return { command: process.execPath, args: [SERVER, ...args] };
}

async function connect(servers: Record<string, unknown>, options: Partial<McpOptions> = {}): Promise<McpConnections> {
  const settings = parseMcpServers(servers);
  expect(settings.problems).toEqual([]);
  const mcp = await connectMcp(settings.servers, { workspaceRoot: tempFolder(), env: ENV, ...options });
  onTestFinished(() => mcp.close());
  return mcp;
}

function toolOf(mcp: McpConnections, name: string): Tool {
  const tool = mcp.tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no ${name} among ${mcp.tools.map((other) => other.name).join(', ')}`);
  return tool;
}

const states = (mcp: McpConnections) => mcp.status().map(({ name, state }) => [name, state]);

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('a server over stdio', () => {
  it('offers its tools under names, descriptions and schemas that providers take, in a fixed order', async () => {
    const mcp = await connect({ 'my server': stdio() });
    expect(mcp.tools.map(({ name }) => name)).toEqual([
      'mcp__my_server__crash',
      'mcp__my_server__echo',
      'mcp__my_server__env',
      'mcp__my_server__fail',
      'mcp__my_server__flood',
      'mcp__my_server__hang',
      'mcp__my_server__has_dots_and_more',
      'mcp__my_server__has_dots_and_more_59df03',
      'mcp__my_server__long',
      'mcp__my_server__mixed',
      'mcp__my_server__nonsense',
      'mcp__my_server__structured',
    ]);
    expect(toolOf(mcp, 'mcp__my_server__mixed').description).toBe(`${'M'.repeat(2_047)}…`);
    expect(toolOf(mcp, 'mcp__my_server__mixed').isConcurrent).toBe(true);
    expect(toolOf(mcp, 'mcp__my_server__fail').description).toBe('The tool "fail" of the MCP server my server.');
    expect(toolOf(mcp, 'mcp__my_server__has_dots_and_more').inputSchema).toEqual({ type: 'object', properties: {} });
    expect(mcp.status()).toMatchObject([
      {
        name: 'my server',
        kind: 'stdio',
        state: 'connected',
        skipped: [
          'bad-parameter: its parameter "a b" has a name that providers refuse',
          'huge: its schema has 30071 characters; at most 20000 are allowed',
        ],
      },
    ]);
  });

  it('answers as text, with what cannot be shown named', async () => {
    const mcp = await connect({ t: stdio() });
    const context = contextFor(tempFolder());
    const call = (name: string, input: unknown = {}) => toolOf(mcp, `mcp__t__${name}`).run(input, context);
    expect(await textOf(call('echo', { text: 'häll\uD800o' }))).toBe('häll\uFFFDo');
    expect(await errorOf(call('fail'))).toBe('it went wrong');
    expect(await textOf(call('mixed'))).toBe(
      'first\n(image image/png, 3 bytes; it cannot be shown here)\n(file:///a)\ninside\n(file:///b, 4 bytes of binary data; it cannot be shown here)\n(link: c, file:///c)',
    );
    expect(await textOf(call('structured'))).toBe('{\n "n": 7\n}');
    expect(await errorOf(call('echo', 'text'))).toBe('mcp__t__echo: the input must be an object with named fields');
  });

  it('has long results capped, and kept whole where there is an archive', async () => {
    const context = contextFor(tempFolder());
    const plain = await connect({ t: stdio() });
    const cut = await textOf(toolOf(plain, 'mcp__t__long').run({}, context));
    expect(cut.length).toBeLessThanOrEqual(100_000);
    expect(cut.startsWith('row 0\nrow 1\n')).toBe(true);
    expect(cut.endsWith('\nrow 29999')).toBe(true);
    expect(cut).toContain('\n[… 189009 of 288889 characters left out]\n');
    const archive = memoryArchive();
    const kept = await connect({ t: stdio() }, { texts: createLongTexts(archive) });
    const text = await textOf(toolOf(kept, 'mcp__t__long').run({}, context));
    const address = /recall: (c_[0-9a-f]{16})\]/.exec(text)?.[1] ?? '';
    expect((await archive.get(address))?.length).toBe(288_889);
  });

  it('gets a filtered environment and what its settings add', async () => {
    const mcp = await connect({ t: { ...stdio(), env: { GIVEN: 'a ${MY_TOKEN}', OTHER: '${MISSING:-plain}' } } });
    const context = contextFor(tempFolder());
    const env = (name: string) => textOf(toolOf(mcp, 'mcp__t__env').run({ name }, context));
    expect(await env('MY_TOKEN')).toBe('(none)');
    expect(await env('GIVEN')).toBe('a s3cret');
    expect(await env('OTHER')).toBe('plain');
    expect(await env('HOME')).toBe('/home/x');
  });

  it('is asked about unless it touches nothing, as every tool that does not say what it touches', async () => {
    const mcp = await connect({ t: stdio() });
    const tool = toolOf(mcp, 'mcp__t__echo');
    expect(tool.access({ text: 'x' })).toEqual([]);
    const permissions = createPermissions({ workspace: createWorkspace(realpathSync(tempFolder())) });
    await expect(permissions.decide(tool.name, {}, tool.access({}))).resolves.toMatchObject({ allowed: false });
  });
});

describe('a server that misbehaves', () => {
  it('hangs in a call: the call ends after its time, the next is answered', async () => {
    const mcp = await connect({ t: stdio() }, { callTimeoutMs: 300 });
    const context = contextFor(tempFolder());
    expect(await errorOf(toolOf(mcp, 'mcp__t__hang').run({}, context))).toMatch(/^mcp__t__hang failed: .*timed out/i);
    expect(await textOf(toolOf(mcp, 'mcp__t__echo').run({ text: 'still' }, context))).toBe('still');
  });

  it('hangs in a call that the user interrupts', async () => {
    const mcp = await connect({ t: stdio() });
    const controller = new AbortController();
    const call = toolOf(mcp, 'mcp__t__hang').run({}, contextFor(tempFolder(), { signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect(await errorOf(call)).toBe('mcp__t__hang: interrupted; it may still have run');
  });

  it('crashes in mid-call: an error, the state says so, other servers go on, the next call starts it again', async () => {
    const seen: string[] = [];
    const mcp = await connect(
      { bad: stdio(), good: stdio() },
      { onStatus: ({ name, state, reason }) => seen.push(`${name} ${state} ${reason ?? ''}`) },
    );
    const context = contextFor(tempFolder());
    expect(await errorOf(toolOf(mcp, 'mcp__bad__crash').run({}, context))).toContain('mcp__bad__crash failed:');
    expect(seen).toContain('bad gone out of luck');
    expect(await textOf(toolOf(mcp, 'mcp__bad__echo').run({ text: 'back' }, context))).toBe('back');
    expect(states(mcp)).toEqual([
      ['bad', 'connected'],
      ['good', 'connected'],
    ]);
    expect(await textOf(toolOf(mcp, 'mcp__good__echo').run({ text: 'x' }, context))).toBe('x');
  });

  it('answers nonsense, or floods: an error, and memory is not filled', async () => {
    const mcp = await connect({ t: stdio() });
    const context = contextFor(tempFolder());
    const nonsense = await errorOf(toolOf(mcp, 'mcp__t__nonsense').run({}, context));
    expect(nonsense).toMatch(/^mcp__t__nonsense failed: /);
    expect(nonsense.length).toBeLessThan(600);
    expect(await errorOf(toolOf(mcp, 'mcp__t__flood').run({}, context))).toContain('failed:');
    expect(mcp.status()[0]).toMatchObject({ state: 'gone', reason: 'it sent a message of over 33554432 bytes' });
  });

  it('does not start, exits, is silent or never ends a line: the others are used, and nothing is left running', async () => {
    const started = performance.now();
    const mcp = await connect(
      {
        missing: { command: 'holdover-no-such-command' },
        exit: stdio('exit'),
        silent: stdio('silent'),
        endless: stdio('endless-line'),
        variable: { ...stdio(), env: { A: '${NOT_SET} ${NOR_THIS}' } },
        chatty: stdio('chatty'),
      },
      { connectTimeoutMs: 6_000 },
    );
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(states(mcp)).toEqual([
      ['missing', 'failed'],
      ['exit', 'failed'],
      ['silent', 'failed'],
      ['endless', 'failed'],
      ['variable', 'failed'],
      ['chatty', 'connected'],
    ]);
    expect(mcp.status().map(({ reason }) => reason)).toEqual([
      'spawn holdover-no-such-command ENOENT',
      expect.stringContaining('cannot open the database'),
      expect.stringMatching(/no answer within 6000 ms|timed out/),
      expect.stringContaining('it sent a message of over 33554432 bytes'),
      'the environment has no NOT_SET, NOR_THIS',
      undefined,
    ]);
    expect(mcp.tools.every(({ name }) => name.startsWith('mcp__chatty__'))).toBe(true);
  });

  it.each(['none', 'deaf'])('ends with the agent, and all it started with it (%s)', async (fault) => {
    const folder = tempFolder();
    const file = join(folder, 'pids');
    const mcp = await connect({ t: stdio(fault, file) });
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    await mcp.close();
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(states(mcp)).toEqual([['t', 'closed']]);
  });

  it('is killed at once with the process', async () => {
    const file = join(tempFolder(), 'pids');
    const mcp = await connect({ t: stdio('deaf', file) });
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    mcp.kill();
    await delay(100);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  it('is given up when the user does not want to wait', async () => {
    const controller = new AbortController();
    const file = join(tempFolder(), 'pids');
    const connecting = connect({ silent: stdio('silent', file) }, { signal: controller.signal });
    while (!existsSync(file) || !readFileSync(file, 'utf8').includes(' ')) await delay(20);
    const pids = readFileSync(file, 'utf8').split(' ').map(Number);
    controller.abort();
    await delay(50);
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(states(await connecting)).toEqual([['silent', 'failed']]);
  });
});

describe('a server over HTTP', () => {
  it('is sent its headers, answers, and its session ends with the agent', async () => {
    const server = await httpServer('Bearer s3cret');
    const mcp = await connect({ web: { url: server.url, headers: { Authorization: 'Bearer ${MY_TOKEN}' } } });
    expect(states(mcp)).toEqual([['web', 'connected']]);
    const context = contextFor(tempFolder());
    expect(await textOf(toolOf(mcp, 'mcp__web__echo').run({ a: 1 }, context))).toBe('{"a":1}');
    expect(server.sessions()).toBe(1);
    await mcp.close();
    expect(server.sessions()).toBe(0);
  });

  it('that forgot the session is asked for a new one by the next call', async () => {
    const server = await httpServer('x');
    const mcp = await connect({ web: { url: server.url, headers: { Authorization: 'x' } } });
    const context = contextFor(tempFolder());
    server.forget();
    expect(await errorOf(toolOf(mcp, 'mcp__web__echo').run({ a: 1 }, context))).toContain('mcp__web__echo failed:');
    expect(states(mcp)).toEqual([['web', 'gone']]);
    expect(await textOf(toolOf(mcp, 'mcp__web__echo').run({ a: 2 }, context))).toBe('{"a":2}');
    expect(states(mcp)).toEqual([['web', 'connected']]);
  });

  it('that refuses or is not there is a failed one', async () => {
    const server = await httpServer('Bearer other');
    const mcp = await connect({
      refused: { url: server.url, headers: { Authorization: 'Bearer wrong' } },
      absent: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
    });
    expect(states(mcp)).toEqual([
      ['refused', 'failed'],
      ['absent', 'failed'],
    ]);
    expect(JSON.stringify(mcp.status())).not.toContain('wrong');
  });

  it('that never ends its answer does not fill the memory', async () => {
    const server = await httpServer('x');
    const mcp = await connect({ web: { url: server.url, headers: { Authorization: 'x' } } }, { callTimeoutMs: 60_000 });
    const before = process.memoryUsage().rss;
    expect(await errorOf(toolOf(mcp, 'mcp__web__endless').run({}, contextFor(tempFolder())))).toContain('failed:');
    expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000);
    expect(mcp.status()).toMatchObject([{ state: 'gone', reason: 'it sent a message of over 33554432 bytes' }]);
  });
});

describe.each(FORMATS)('in a session over %s', (format) => {
  it('its tools are offered and called like any other', async () => {
    const mcp = await connect({ t: stdio() });
    const { agent, brain, simulator } = await stageFor({
      format,
      steps: [
        [
          { kind: 'call', name: 'mcp__t__echo', input: { text: 'hello' } },
          { kind: 'call', name: 'mcp__t__crash', input: {} },
          { kind: 'call', name: 'mcp__t__echo', input: { text: 'again' } },
        ],
        'Done.',
      ],
      agent: { tools: mcp.tools, ask: async () => 'allow' },
    });
    await expect(agent.run('Go.')).resolves.toMatchObject({ text: 'Done.' });
    expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200]);
    const [echoed, crashed, again] = resultsIn(brain.requests[1]);
    expect(echoed?.text).toBe('hello');
    expect(crashed?.text).toContain('mcp__t__crash failed:');
    expect(again?.text).toBe('again');
  });
});

describe('settings', () => {
  it('are read one by one: what is wrong with one is said, the others stand', () => {
    const { servers, problems } = parseMcpServers(
      JSON.parse(`{
        "ok": { "command": "x" },
        "web": { "type": "http", "url": "https://example.org/mcp", "headers": { "A": "b" } },
        "both": { "command": "x", "url": "https://example.org" },
        "neither": {},
        "none": null,
        "args": { "command": "x", "args": [1] },
        "env": { "command": "x", "env": { "A": 1 } },
        "empty": { "command": "" },
        "typo": { "command": "x", "agrs": [] },
        "sse": { "type": "sse", "url": "https://example.org" },
        "file": { "url": "file:///etc/passwd" },
        "password": { "url": "https://a:b@example.org" },
        "__proto__": { "command": "x" },
        "a/b": { "command": "x" }
      }`),
    );
    expect([...servers]).toEqual([
      ['ok', { kind: 'stdio', command: 'x', args: [], env: {} }],
      ['web', { kind: 'http', url: 'https://example.org/mcp', headers: { A: 'b' } }],
    ]);
    expect(problems).toEqual([
      'mcpServers.both: must have either "command" or "url"',
      'mcpServers.neither: must have either "command" or "url"',
      'mcpServers.none: must be an object with "command" or "url"',
      'mcpServers.args: "args.0" must be text',
      'mcpServers.env: "env.A" must be text',
      'mcpServers.empty: "command" must not be empty',
      'mcpServers.typo: "agrs" is not known',
      'mcpServers.sse: "type" must be "http" beside a url; the older SSE transport is not supported',
      'mcpServers.file: "url" must be an http or https address without user name and password',
      'mcpServers.password: "url" must be an http or https address without user name and password',
      'mcpServers.__proto__: the name must begin with a letter or digit and have only letters, digits, spaces and . _ -',
      'mcpServers."a/b": the name must begin with a letter or digit and have only letters, digits, spaces and . _ -',
    ]);
    expect(parseMcpServers(undefined)).toEqual({ servers: new Map(), problems: [] });
    expect(parseMcpServers([]).problems).toEqual(['mcpServers must be an object with a name for each server']);
  });
});
