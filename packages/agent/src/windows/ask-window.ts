/**
 * A model's real window, asked of the server that runs it: what a local server loaded is often a fraction of what the model could take, and
 * several cut longer prompts without a word.
 */
import { askJson, type Fields, isFields, listAt, type Server } from './ask-json.ts';

export interface AskWindowOptions extends Server {
  readonly model: string;
}

/** Less is no window of a chat model, more none of any model of 2026. Tokens. */
const MIN_TOKENS = 256;
const MAX_TOKENS = 20_000_000;

/** Loading weights from disk; the first request of the session would wait for it as well. Milliseconds. */
const LOAD_TIMEOUT_MS = 30_000;

function tokensIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= MIN_TOKENS && value <= MAX_TOKENS
    ? value
    : undefined;
}

/** The smallest that makes sense. */
function least(...values: readonly unknown[]): number | undefined {
  const tokens = values.map(tokensIn).filter((value) => value !== undefined);
  return tokens.length === 0 ? undefined : Math.min(...tokens);
}

/** Ollama lists `qwen3` as `qwen3:latest`. */
function isNamed(entry: Fields, model: string): boolean {
  const names = [entry['id'], entry['name'], entry['model']];
  return names.includes(model) || names.includes(`${model}:latest`);
}

/**
 * The list every server of the format has. vLLM says `max_model_len`; OpenRouter `context_length`, and less where the provider it would go to
 * offers less.
 */
async function fromCatalogue(options: AskWindowOptions): Promise<number | undefined> {
  const entry = listAt(await askJson(options, { path: './models' }), 'data').find((row) => isNamed(row, options.model));
  if (entry === undefined) return undefined;
  const provider = isFields(entry['top_provider']) ? entry['top_provider'] : {};
  return least(entry['max_model_len'], entry['context_length'], provider['context_length']) ?? fromLmStudioEntry(entry);
}

/** What is loaded counts; the maximum of a model that is not loaded says nothing about how it will be. */
function fromLmStudioEntry(entry: Fields): number | undefined {
  const loaded = tokensIn(entry['loaded_context_length']);
  return loaded ?? (entry['state'] === 'not-loaded' ? undefined : tokensIn(entry['max_context_length']));
}

/** LM Studio's own interface (its documentation, "REST API v0"). */
async function fromLmStudio(options: AskWindowOptions): Promise<number | undefined> {
  const entry = listAt(await askJson(options, { path: '/api/v0/models' }), 'data').find((row) =>
    isNamed(row, options.model),
  );
  return entry === undefined ? undefined : fromLmStudioEntry(entry);
}

/** llama.cpp's server: the context of one slot, whatever name the model goes by (its README, `GET /props`). */
async function fromLlamaCpp(options: AskWindowOptions): Promise<number | undefined> {
  const props = await askJson(options, { path: '/props' });
  const settings = isFields(props) ? props['default_generation_settings'] : undefined;
  return isFields(settings) ? tokensIn(settings['n_ctx']) : undefined;
}

/** What Ollama loaded (its documentation, `GET /api/ps`). */
async function loadedByOllama(options: AskWindowOptions): Promise<number | undefined> {
  const running = listAt(await askJson(options, { path: '/api/ps' }), 'models');
  return tokensIn(running.find((entry) => isNamed(entry, options.model))?.['context_length']);
}

const NUM_CTX = /^num_ctx\s+(\d+)$/m;

/**
 * Ollama: the loaded context; else what the model's file sets; else the model is loaded, as the first request would, and asked again: the
 * default goes by the machine's memory (4k to 256k), and the model's own maximum, which `/api/show` also names, is seldom what it gets.
 */
async function fromOllama(options: AskWindowOptions): Promise<number | undefined> {
  const loaded = await loadedByOllama(options);
  if (loaded !== undefined) return loaded;
  const { model } = options;
  const shown = await askJson(options, { path: '/api/show', body: { model } });
  if (!isFields(shown) || !isFields(shown['model_info'])) return undefined;
  const set = NUM_CTX.exec(typeof shown['parameters'] === 'string' ? shown['parameters'] : '')?.[1];
  if (set !== undefined) return tokensIn(Number(set));
  // An empty prompt loads the model and generates nothing.
  await askJson(options, { path: '/api/generate', body: { model, stream: false }, timeoutMs: LOAD_TIMEOUT_MS });
  return loadedByOllama(options);
}

/**
 * Undefined where the server does not say. Never throws; takes a few seconds at most, but for a model Ollama has to load (30 s). Asks nobody but
 * the origin of `baseUrl`.
 */
export async function askWindow(options: AskWindowOptions): Promise<number | undefined> {
  if (!URL.canParse(options.baseUrl)) return undefined;
  const listed = await fromCatalogue(options);
  if (listed !== undefined) return listed;
  const [lmStudio, llamaCpp, ollama] = await Promise.all([
    fromLmStudio(options),
    fromLlamaCpp(options),
    fromOllama(options),
  ]);
  return lmStudio ?? llamaCpp ?? ollama;
}
