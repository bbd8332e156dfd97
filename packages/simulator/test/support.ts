import { afterEach } from 'vitest';
import { type Brain, createSimulator, type Simulator, type SimulatorOptions } from '../src/index.ts';

const running: Simulator[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

/** Saves loading the vocabulary where exact counts do not matter. */
export const quickCount = (value: string): number => Math.ceil(value.length / 4);

/** Says "ok" to everything. */
export const yes: Brain = { name: 'yes', reply: () => ({ parts: [{ kind: 'text', text: 'ok' }] }) };

export async function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await createSimulator({ brain: yes, ...options });
  running.push(simulator);
  return simulator;
}

export const HEADERS: Record<string, string> = {
  'content-type': 'application/json',
  'x-api-key': 'test',
  'anthropic-version': '2023-06-01',
};

export type Json = Record<string, unknown>;

interface WireError {
  type: string;
  message: string;
}

/** An answer of the Messages endpoints; refused ones have `error`, the others the rest. */
export interface Answer {
  type: string;
  content: Json[];
  stop_reason: string;
  input_tokens: number;
  usage: Record<
    'input_tokens' | 'output_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens',
    number
  > & {
    cache_creation: Record<'ephemeral_5m_input_tokens' | 'ephemeral_1h_input_tokens', number>;
  };
  error: WireError;
}

/** An answer of Chat Completions. */
export interface ChatAnswer {
  choices: [{ message: Json; finish_reason: string }];
  usage: { prompt_tokens: number; completion_tokens: number; prompt_tokens_details: { cached_tokens: number } };
  error: WireError;
}

export async function post(
  simulator: Simulator,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(simulator.url + path, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A Messages request with sane defaults. */
export async function ask(
  simulator: Simulator,
  body: Json,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Answer }> {
  const response = await post(simulator, '/v1/messages', { model: 'sim-1', max_tokens: 100, ...body }, headers);
  return { status: response.status, body: (await response.json()) as Answer };
}

/** A Chat Completions request with sane defaults. */
export async function chat(simulator: Simulator, body: Json): Promise<{ status: number; body: ChatAnswer }> {
  const response = await post(simulator, '/v1/chat/completions', { model: 'sim-1', ...body });
  return { status: response.status, body: (await response.json()) as ChatAnswer };
}

export const user = (content: unknown): Json => ({ role: 'user', content });
export const assistant = (content: unknown): Json => ({ role: 'assistant', content });
export const text = (value: string, extra: Json = {}): Json => ({ type: 'text', text: value, ...extra });
export const call = (id: string, name = 'ls', input: Json = {}): Json => ({ type: 'tool_use', id, name, input });
export const result = (id: unknown, content: unknown = 'done'): Json => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

/** About one token per word. */
export const words = (count: number, seed = 'w'): string =>
  Array.from({ length: count }, (_, index) => `${seed}${index % 10}`).join(' ');
