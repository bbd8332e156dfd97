import { AgentError, chooseProvider, isLocalUrl } from '@holdover/agent';
import { describe, expect, it } from 'vitest';

type Options = Partial<Parameters<typeof chooseProvider<string>>[0]>;

const choose = (options: Options) => chooseProvider({ env: {}, factsOf: (model) => `facts of ${model}`, ...options });

/** Name, model, source and key of the choice. */
function chosen(options: Options): readonly unknown[] | undefined {
  const choice = choose(options);
  return choice && [choice.provider.name, choice.model, choice.source, choice.endpoint.apiKey];
}

const thrown = (options: Options): unknown => {
  try {
    return choose(options);
  } catch (error) {
    return error;
  }
};

const ANTHROPIC = { ANTHROPIC_API_KEY: 'sk-ant' };
const OPENAI = { OPENAI_API_KEY: 'sk-oai' };
const LOCAL = 'http://localhost:11434/v1';
const ROUTER = 'https://openrouter.ai/api/v1';

describe('choosing a provider', () => {
  it('finds none where there is neither key nor address', () => {
    expect(choose({})).toBeUndefined();
    expect(choose({ env: { ANTHROPIC_API_KEY: ' ', OPENAI_API_KEY: '' }, model: 'claude-sonnet-5' })).toBeUndefined();
  });

  it.each([
    { env: ANTHROPIC, is: ['anthropic', 'claude-sonnet-5-5', 'ANTHROPIC_API_KEY', 'sk-ant'] },
    { env: OPENAI, is: ['openai-chat', 'gpt-6-sol', 'OPENAI_API_KEY', 'sk-oai'] },
    { env: { ...OPENAI, ...ANTHROPIC }, is: ['anthropic', 'claude-sonnet-5-5', 'ANTHROPIC_API_KEY', 'sk-ant'] },
  ])('goes by the keys of the environment: $is.2', ({ env, is }) => {
    expect(chosen({ env })).toEqual(is);
  });

  it('goes by the name of the model where both keys are there', () => {
    const env = { ...OPENAI, ...ANTHROPIC };
    expect(chosen({ env, model: 'gpt-5.4' })).toEqual(['openai-chat', 'gpt-5.4', 'OPENAI_API_KEY', 'sk-oai']);
    expect(chosen({ env, model: 'claude-opus-5-5' })?.[0]).toBe('anthropic');
    expect(chosen({ env, provider: 'openai', model: 'claude-opus-5-5' })?.[0]).toBe('openai-chat');
  });

  it('gives the facts of the model it chose', () => {
    expect(choose({ env: OPENAI, model: 'o3' })?.facts).toBe('facts of o3');
  });

  it('takes a base URL for an OpenAI-compatible server, and needs no key for one next door', () => {
    expect(chosen({ baseUrl: LOCAL, model: 'qwen3' })).toEqual([
      'openai-chat',
      'qwen3',
      'no key at http://localhost:11434',
      undefined,
    ]);
    expect(chosen({ baseUrl: LOCAL, model: 'qwen3', provider: 'anthropic' })?.[0]).toBe('anthropic');
  });

  it("keeps the vendors' keys from servers next door and from plain HTTP", () => {
    const env = { ...OPENAI, ...ANTHROPIC };
    expect(chosen({ env, baseUrl: LOCAL, model: 'qwen3' })?.[3]).toBeUndefined();
    expect(chosen({ env, baseUrl: 'https://192.168.1.9/v1', model: 'qwen3' })?.[3]).toBeUndefined();
    expect(thrown({ env, baseUrl: 'http://models.example.com/v1', model: 'qwen3' })).toMatchObject({ code: 'no_key' });
    expect(chosen({ env, baseUrl: LOCAL, model: 'm', provider: 'anthropic' })?.[3]).toBeUndefined();
  });

  it('sends a server the key meant for it: given, HOLDOVER_API_KEY, its own variable, then OPENAI_API_KEY over TLS', () => {
    const env = { ...OPENAI, OPENROUTER_API_KEY: 'sk-or' };
    const base = { baseUrl: ROUTER, model: 'qwen/qwen3' };
    expect(chosen({ ...base, env: OPENAI })?.[3]).toBe('sk-oai');
    expect(chosen({ ...base, env })?.slice(2)).toEqual(['OPENROUTER_API_KEY at https://openrouter.ai', 'sk-or']);
    expect(chosen({ ...base, env: { ...env, HOLDOVER_API_KEY: 'own' } })?.[3]).toBe('own');
    expect(chosen({ ...base, env: { ...env, HOLDOVER_API_KEY: 'own' }, apiKey: 'told' })?.[3]).toBe('told');
    expect(chosen({ baseUrl: LOCAL, model: 'm', env: { HOLDOVER_API_KEY: 'own' } })?.[3]).toBe('own');
    expect(chosen({ ...base, env: { DEEPSEEK_API_KEY: 'ds', ...OPENAI } })?.[3]).toBe('sk-oai');
  });

  it("takes the addresses of the SDKs' own variables, with the key that belongs to them", () => {
    const env = { ...OPENAI, OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' };
    expect(chosen({ env, model: 'm' })).toEqual([
      'openai-chat',
      'm',
      'OPENAI_API_KEY at http://127.0.0.1:8000',
      'sk-oai',
    ]);
    expect(chosen({ env: { OPENAI_BASE_URL: LOCAL }, model: 'claude-like' })?.[0]).toBe('openai-chat');
    expect(
      choose({ env: { ...ANTHROPIC, ANTHROPIC_BASE_URL: 'https://gateway.example.com' }, model: 'm' })?.endpoint,
    ).toEqual({
      vendor: 'anthropic',
      baseUrl: 'https://gateway.example.com',
      apiKey: 'sk-ant',
    });
  });

  it('says what is missing and what to do', () => {
    const error = thrown({ env: ANTHROPIC, provider: 'openai' });
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining('set OPENAI_API_KEY') });
    expect(thrown({ env: ANTHROPIC, model: 'gpt-5.4' })).toMatchObject({ code: 'no_key' });
    expect(thrown({ baseUrl: ROUTER, model: 'm' })).toMatchObject({
      code: 'no_key',
      message: expect.stringContaining('OPENROUTER_API_KEY'),
    });
    expect(thrown({ baseUrl: `${LOCAL}/` })).toMatchObject({
      code: 'no_model',
      message: expect.stringContaining('http://localhost:11434/v1/models'),
    });
    expect(thrown({ baseUrl: 'localhost:11434', model: 'm' })).toMatchObject({ code: 'invalid_option' });
    expect(thrown({ baseUrl: 'file:///etc/passwd', model: 'm' })).toMatchObject({ code: 'invalid_option' });
  });

  it('never writes a key into what it says', () => {
    const env = { OPENAI_API_KEY: 'sk-oai', OPENAI_BASE_URL: 'https://user:sk-oai@gateway.example.com/v1' };
    expect(choose({ env, model: 'm' })?.source).toBe('OPENAI_API_KEY at https://gateway.example.com');
  });
});

it.each([
  ['http://localhost:1234/v1', true],
  ['http://127.0.0.1:8080', true],
  ['http://[::1]:8080', true],
  ['http://ollama:11434/v1', true],
  ['http://gpu.local/v1', true],
  ['http://172.20.0.2/v1', true],
  ['https://api.openai.com/v1', false],
  ['http://172.32.0.2/v1', false],
  ['http://10.example.com/v1', false],
  ['nonsense', false],
])('%s is local: %s', (url, isLocal) => {
  expect(isLocalUrl(url)).toBe(isLocal);
});
