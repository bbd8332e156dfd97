import { askWindow } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { type Answer, type Asked, serveWeb, type WebServer } from './support/web-server.ts';

type Routes = Readonly<Record<string, object | string | ((asked: Asked) => Answer)>>;

/** A server that has these paths and no other. */
function server(routes: Routes): Promise<WebServer> {
  return serveWeb((asked) => {
    const route = routes[`${asked.method} ${asked.path}`];
    if (route === undefined) return { status: 404, body: { error: 'not found' } };
    return typeof route === 'function' ? route(asked) : { body: route };
  });
}

const ask = (at: WebServer, model: string, more: { apiKey?: string; signal?: AbortSignal } = {}) =>
  askWindow({ baseUrl: `${at.url}/v1`, model, signal: new AbortController().signal, ...more });

/** Answers in the shape the servers document, cut to what is near the window. */
const VLLM = {
  object: 'list',
  data: [{ id: 'Qwen/Qwen3-32B', object: 'model', owned_by: 'vllm', root: 'Qwen/Qwen3-32B', max_model_len: 40_960 }],
};
const OLLAMA_LIST = { object: 'list', data: [{ id: 'gemma3:latest', object: 'model', owned_by: 'library' }] };
const OLLAMA_PS = {
  models: [
    {
      name: 'gemma3:latest',
      model: 'gemma3:latest',
      size: 6_591_830_464,
      size_vram: 5_333_539_264,
      context_length: 8_192,
    },
  ],
};
const OLLAMA_SHOW = {
  parameters: 'num_keep                       24\nstop                           "<|eot_id|>"',
  model_info: { 'general.architecture': 'gemma3', 'gemma3.context_length': 131_072 },
};
const LM_STUDIO = {
  data: [
    { id: 'qwen2-vl-7b', type: 'vlm', state: 'not-loaded', max_context_length: 32_768 },
    { id: 'llama-3.1-8b', type: 'llm', state: 'loaded', max_context_length: 131_072, loaded_context_length: 16_384 },
  ],
};

describe('asking a server for the window', () => {
  it("takes vLLM's max_model_len from the list of models", async () => {
    const at = await server({ 'GET /v1/models': VLLM });
    expect(await ask(at, 'Qwen/Qwen3-32B')).toBe(40_960);
    expect(at.asked).toHaveLength(1);
  });

  it("takes the smaller of OpenRouter's two", async () => {
    const at = await server({
      'GET /v1/models': {
        data: [
          {
            id: 'z/glm',
            context_length: 200_000,
            top_provider: { context_length: 128_000, max_completion_tokens: null },
          },
        ],
      },
    });
    expect(await ask(at, 'z/glm')).toBe(128_000);
  });

  it('takes what LM Studio loaded, and nothing for a model it did not load', async () => {
    const at = await server({ 'GET /v1/models': { data: [{ id: 'llama-3.1-8b' }] }, 'GET /api/v0/models': LM_STUDIO });
    expect(await ask(at, 'llama-3.1-8b')).toBe(16_384);
    expect(await ask(at, 'qwen2-vl-7b')).toBeUndefined();
  });

  it("takes the context of llama.cpp's slot, not what the model was trained with", async () => {
    const at = await server({
      'GET /v1/models': { data: [{ id: 'model.gguf', meta: { n_ctx_train: 131_072 } }] },
      'GET /props': { default_generation_settings: { id: 0, n_ctx: 4_096 }, total_slots: 2 },
    });
    expect(await ask(at, 'model.gguf')).toBe(4_096);
  });

  it('takes what Ollama has loaded', async () => {
    const at = await server({ 'GET /v1/models': OLLAMA_LIST, 'GET /api/ps': OLLAMA_PS, 'POST /api/show': OLLAMA_SHOW });
    expect(await ask(at, 'gemma3')).toBe(8_192);
    expect(at.asked.map(({ path }) => path)).not.toContain('/api/show');
  });

  it("takes num_ctx of the model's file where Ollama has not loaded it", async () => {
    const at = await server({
      'GET /api/ps': { models: [] },
      'POST /api/show': { ...OLLAMA_SHOW, parameters: 'num_ctx                        24576\ntemperature 1' },
    });
    expect(await ask(at, 'gemma3')).toBe(24_576);
    expect(at.asked.find(({ path }) => path === '/api/show')?.body).toEqual({ model: 'gemma3' });
  });

  it("lets Ollama load the model rather than believe in the model's maximum", async () => {
    let isLoaded = false;
    const at = await server({
      'GET /api/ps': () => ({ body: isLoaded ? OLLAMA_PS : { models: [] } }),
      'POST /api/show': OLLAMA_SHOW,
      'POST /api/generate': () => {
        isLoaded = true;
        return { body: { done: true, done_reason: 'load' } };
      },
    });
    expect(await ask(at, 'gemma3')).toBe(8_192);
  });

  it.each([
    ['no answer of that kind', {}],
    [
      'a list of nonsense',
      { 'GET /v1/models': { data: [{ id: 'm', max_model_len: '40k', context_length: -1 }, null, 7] } },
    ],
    [
      'sizes beyond belief',
      {
        'GET /v1/models': { data: [{ id: 'm', max_model_len: 1e12 }] },
        'GET /props': { default_generation_settings: { n_ctx: 0 } },
      },
    ],
    ['no JSON', { 'GET /v1/models': 'hello', 'GET /props': 'hello' }],
    ['another model only', { 'GET /v1/models': VLLM }],
  ])('gives up quietly on %s', async (_, routes) => {
    const at = await server(routes);
    expect(await ask(at, 'm')).toBeUndefined();
  });

  it('gives up quietly where nothing listens, or the address is none', async () => {
    const signal = new AbortController().signal;
    expect(await askWindow({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm', signal })).toBeUndefined();
    expect(await askWindow({ baseUrl: 'nonsense', model: 'm', signal })).toBeUndefined();
  });

  it('gives up when told to, and leaves no request open', async () => {
    const at = await serveWeb(() => ({ body: 'hang' }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    expect(await ask(at, 'm', { signal: controller.signal })).toBeUndefined();
    expect(at.asked).toHaveLength(1);
    await expect.poll(() => at.pending).toBe(0);
  });

  it('carries the key to its own server, and follows no redirect with it', async () => {
    const other = await server({ 'GET /v1/models': VLLM });
    const at = await server({
      'GET /v1/models': () => ({ status: 302, headers: { location: `${other.url}/v1/models` }, body: {} }),
    });
    expect(await ask(at, 'Qwen/Qwen3-32B', { apiKey: 'sk-own' })).toBeUndefined();
    expect(at.asked.every(({ headers }) => headers.authorization === 'Bearer sk-own')).toBe(true);
    expect(other.asked).toHaveLength(0);
  });
});
