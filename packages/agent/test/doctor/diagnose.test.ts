import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, chooseProvider, diagnose, type DiagnoseOptions, type Finding } from '@holdover/agent';
import { scripted } from '@holdover/simulator';
import { describe, expect, it } from 'vitest';
import { FORMATS, openSimulator } from '../support/stage.ts';
import { type Answer, serveWeb } from '../support/web-server.ts';
import { tempFolder } from '../workspace/temp-folder.ts';

const FACTS = { windowTokens: 200_000, isAssumed: false, asOf: '2026-11-30' };

interface Setting extends Partial<DiagnoseOptions> {
  readonly baseUrl?: string;
  readonly model?: string;
  readonly provider?: 'anthropic' | 'openai';
  readonly apiKey?: string;
  readonly facts?: typeof FACTS;
}

/** Findings by check, as `status: detail (advice)`. */
async function found({
  baseUrl,
  model = 'sim-1',
  provider,
  apiKey,
  facts = FACTS,
  ...rest
}: Setting): Promise<Record<string, string>> {
  const choose = () =>
    chooseProvider({
      env: {},
      factsOf: () => facts,
      model,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(provider === undefined ? {} : { provider }),
      ...(apiKey === undefined ? {} : { apiKey }),
    });
  const findings = await diagnose({ workspace: tempFolder({}), choose, nodeVersion: '22.5.1', ...rest });
  const line = ({ status, detail, advice }: Finding): string =>
    `${status}: ${detail}${advice === undefined ? '' : ` (${advice})`}`;
  return Object.fromEntries(findings.map((finding) => [finding.check, line(finding)]));
}

const answering = async (answer: Answer): Promise<string> => `${(await serveWeb(() => answer)).url}/v1`;

describe('without a provider', () => {
  it('says that the built-in model answers, and how to get another', async () => {
    const findings = await found({});
    expect(Object.keys(findings)).toEqual(['node', 'folder', 'disk', 'sessions', 'key']);
    expect(findings['key']).toMatch(/^warn: .*built-in model answers \(set ANTHROPIC_API_KEY or OPENAI_API_KEY/);
    expect(findings['node']).toBe('ok: Node 22.5.1');
    expect(findings['sessions']).toBe('ok: no sessions here yet');
  });

  it('makes a finding of what choosing complains about, and lets bugs through', async () => {
    expect((await found({ provider: 'openai' }))['key']).toMatch(/^fail: no API key for OpenAI: set OPENAI_API_KEY/);
    const choose = (): never => {
      throw new TypeError('a bug');
    };
    await expect(diagnose({ workspace: tempFolder({}), choose })).rejects.toThrow(TypeError);
    expect(new AgentError('no_key', 'x').code).toBe('no_key');
  });
});

describe('the machine', () => {
  it('names a Node that is too old', async () => {
    expect((await found({ nodeVersion: 'v18.20.0' }))['node']).toBe(
      'fail: Node v18.20.0 is too old (install Node 20 or newer)',
    );
  });

  it('names a folder that is none', async () => {
    const folder = tempFolder({ 'a.txt': 'a' });
    expect((await found({ workspace: join(folder, 'a.txt') }))['folder']).toMatch(/^fail: .* is not a folder/);
    expect((await found({ workspace: join(folder, 'b') }))['folder']).toMatch(/^fail: .* does not exist/);
  });

  it('names session files that others may read, and links in their place', async () => {
    const folder = tempFolder({});
    const sessions = join(folder, '.holdover', 'sessions');
    mkdirSync(sessions, { recursive: true });
    const log = join(sessions, '20261130-161835-0a1b2c3d.jsonl');
    writeFileSync(log, '{}\n', { mode: 0o600 });
    for (const path of [join(folder, '.holdover'), sessions]) chmodSync(path, 0o700);
    expect((await found({ workspace: folder }))['sessions']).toBe('ok: 1 sessions, for their owner only');
    chmodSync(log, 0o644);
    expect((await found({ workspace: folder }))['sessions']).toBe(
      `warn: 1 of the session files and folders are open to others, such as ${log} (chmod -R go= ${join(folder, '.holdover')})`,
    );
    chmodSync(log, 0o600);
    symlinkSync('/etc/hostname', join(sessions, 'link.jsonl'));
    expect((await found({ workspace: folder }))['sessions']).toContain('warn: 1 of the session files');
  });
});

describe('the server', () => {
  it.each(FORMATS)('is well, in the format %s', async (format) => {
    const simulator = await openSimulator(scripted([]));
    const baseUrl = format === 'anthropic' ? simulator.url : `${simulator.url}/v1`;
    const provider = format === 'anthropic' ? 'anthropic' : 'openai';
    const findings = await found({ baseUrl, provider, apiKey: 'sk-very-secret' });
    expect(findings).toMatchObject({
      key: `ok: the key given at ${simulator.url}`,
      server: `ok: ${simulator.url} answers and does not refuse the key`,
      model: 'ok: sim-1 is served there',
      window: 'ok: 200,000 tokens, known as of 2026-11-30',
    });
    expect(findings).not.toHaveProperty('cache');
    expect(JSON.stringify(findings)).not.toContain('secret');
    expect(simulator.requests).toHaveLength(0);
  });

  it.each([
    [401, /^fail: .* refuses the key \(401\) \(make a new key/],
    [403, /^fail: .* refuses the key \(403\)/],
    [404, /^warn: .* has no list of models \(check that the base URL ends/],
    [429, /^warn: .* limits your rate/],
    [503, /^warn: .* trouble of its own \(503\)/],
  ])('that answers with status %i', async (status, expected) => {
    const findings = await found({ baseUrl: await answering({ status, body: {} }) });
    expect(findings['server']).toMatch(expected);
    expect('window' in findings).toBe(status !== 401 && status !== 403);
  });

  it('that does not answer', async () => {
    const simulator = await openSimulator(scripted([]));
    await simulator.close();
    const findings = await found({ baseUrl: `${simulator.url}/v1` });
    expect(findings['server']).toBe(
      `fail: ${simulator.url} does not answer: ECONNREFUSED (start the server, or correct the base URL)`,
    );
    expect(findings).not.toHaveProperty('window');
  });

  it('that does not know the model', async () => {
    const baseUrl = await answering({
      body: { data: [{ id: 'llama3.1' }, { id: 'qwen3:latest' }, { id: 'qwen3-coder' }] },
    });
    expect((await found({ baseUrl, model: 'qwen3' }))['model']).toBe('ok: qwen3 is served there');
    expect((await found({ baseUrl, model: 'qwen4' }))['model']).toBe(
      "warn: qwen4 is not in the server's list (name one of its models: it has qwen3:latest, qwen3-coder, llama3.1)",
    );
  });
});

describe('the window', () => {
  const vllm = (tokens: number) => answering({ body: { data: [{ id: 'sim-1', max_model_len: tokens }] } });

  it('is what the server says, unless the user says less', async () => {
    expect((await found({ baseUrl: await vllm(65_536) }))['window']).toBe('ok: 65,536 tokens, as the server says');
    expect((await found({ baseUrl: await vllm(65_536), windowTokens: 32_000 }))['window']).toBe(
      'ok: 32,000 tokens, as set',
    );
  });

  it('that is set larger than it is, or small, or assumed', async () => {
    expect((await found({ baseUrl: await vllm(65_536), windowTokens: 128_000 }))['window']).toMatch(
      /^fail: set to 128,000 tokens, but the server gives 65,536 tokens \(set the window to 65536, or load/,
    );
    expect((await found({ baseUrl: await vllm(4_096) }))['window']).toMatch(
      /^warn: 4,096 tokens are little .*OLLAMA_CONTEXT_LENGTH/,
    );
    const baseUrl = await answering({ body: { data: [{ id: 'sim-1' }] } });
    const facts = { ...FACTS, windowTokens: 8_000, isAssumed: true };
    expect((await found({ baseUrl, facts }))['window']).toBe(
      'warn: 8,000 tokens, assumed: sim-1 is not known (set the window yourself)',
    );
  });
});

describe('the cache', () => {
  it.each(FORMATS)('works, in the format %s: two requests, the second reads what the first wrote', async (format) => {
    const simulator = await openSimulator(scripted(['yes', 'yes']));
    const baseUrl = format === 'anthropic' ? simulator.url : `${simulator.url}/v1`;
    const findings = await found({
      baseUrl,
      provider: format === 'anthropic' ? 'anthropic' : 'openai',
      isOnline: true,
    });
    expect(findings['cache']).toMatch(/^ok: a second request read [\d,]+ tokens from the cache$/);
    expect(simulator.requests).toHaveLength(2);
    expect(simulator.totals().inputTokens).toBeLessThan(15_000);
  });

  it('that nobody speaks of, and a model that does not answer', async () => {
    const silent = await serveWeb(({ method }) =>
      method === 'GET'
        ? { body: { data: [] } }
        : { body: 'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\n' },
    );
    expect((await found({ baseUrl: `${silent.url}/v1`, isOnline: true }))['cache']).toMatch(
      /^warn: the server reports no usage/,
    );
    const broken = await serveWeb(({ method }) =>
      method === 'GET' ? { body: { data: [] } } : { status: 404, body: { error: { message: 'model not found' } } },
    );
    expect((await found({ baseUrl: `${broken.url}/v1`, isOnline: true }))['cache']).toMatch(
      /^fail: the model did not answer: .*not found/,
    );
  });
});
