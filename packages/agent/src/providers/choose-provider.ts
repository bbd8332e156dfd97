/** Which provider and model to use, from what the user said and what the environment holds. */
import { AgentError } from '../errors.ts';
import { anthropicProvider } from './anthropic.ts';
import { openaiChatProvider } from './openai-chat.ts';
import type { Provider } from './provider.ts';

export type Vendor = 'anthropic' | 'openai';

/**
 * Models used where none is named, as of November 2026: of each vendor the one it recommends for everyday work at a middle price that takes
 * function calls in the format spoken here. OpenAI's newer ones (gpt-6.1-sol and later) take them in its Responses API only.
 */
export const DEFAULT_MODELS: Readonly<Record<Vendor, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-6-sol',
};

export interface ChooseOptions<Facts> {
  /** The environment, such as `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @default 'auto' */
  readonly provider?: 'auto' | Vendor;
  /**
   * Where an OpenAI-compatible server listens (Anthropic's format where `provider` says so). Keys of the environment are sent there, so it has
   * to come from the user, never from a project's own files.
   */
  readonly baseUrl?: string;
  /** @default the vendor's of `DEFAULT_MODELS`; there is none for a server of one's own. */
  readonly model?: string;
  /** @default from the environment */
  readonly apiKey?: string;
  /** What is known of a model. */
  readonly factsOf: (model: string) => Facts;
}

/** Where requests go. Holds the key: not for printing. */
export interface Endpoint {
  readonly vendor: Vendor;
  /** Absent: the vendor's own address. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

export interface Choice<Facts> {
  readonly provider: Provider;
  readonly model: string;
  readonly facts: Facts;
  /** Where key and address come from, for people; without the key. */
  readonly source: string;
  readonly endpoint: Endpoint;
}

interface VendorFacts {
  readonly label: string;
  readonly keyName: string;
  readonly baseUrlName: string;
  /** Ids that can only be this vendor's. */
  readonly ownModel: RegExp;
}

const VENDORS: Readonly<Record<Vendor, VendorFacts>> = {
  anthropic: {
    label: 'Anthropic',
    keyName: 'ANTHROPIC_API_KEY',
    baseUrlName: 'ANTHROPIC_BASE_URL',
    ownModel: /^claude-/,
  },
  openai: { label: 'OpenAI', keyName: 'OPENAI_API_KEY', baseUrlName: 'OPENAI_BASE_URL', ownModel: /^(?:gpt-\d|o\d)/ },
};

/** Holds the key for whatever server `baseUrl` names, before any other. */
const OWN_KEY = 'HOLDOVER_API_KEY';

/** Servers whose vendors have a variable of their own for the key. */
const KEYS_BY_HOST: Readonly<Record<string, string>> = {
  'openrouter.ai': 'OPENROUTER_API_KEY',
  'api.deepseek.com': 'DEEPSEEK_API_KEY',
  'api.groq.com': 'GROQ_API_KEY',
  'api.mistral.ai': 'MISTRAL_API_KEY',
  'api.x.ai': 'XAI_API_KEY',
};

/** Loopback, private and link-local addresses; names without a dot, and those that no public name ends in. */
const PRIVATE_HOSTS: readonly RegExp[] = [
  /^(?:127|10)(?:\.\d+){3}$/,
  /^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d+){2}$/,
  /^0\.0\.0\.0$/,
  /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe80:.*)\]$/,
  /^[^.:]+$/,
  /\.(?:local|localhost|internal|lan)$/,
];

/** Whether an address is on this machine or the network around it, where servers rarely want a key. */
export function isLocalUrl(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && PRIVATE_HOSTS.some((host) => host.test(new URL(baseUrl).hostname));
}

function checkedUrl(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new AgentError(
    'invalid_option',
    `the base URL is ${JSON.stringify(baseUrl.slice(0, 200))}; give one such as http://localhost:11434/v1`,
  );
}

/** An empty variable is as good as none. */
function given(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

interface Key {
  readonly name: string;
  readonly value: string;
}

function keyOf(env: ChooseOptions<unknown>['env'], name: string | undefined): Key | undefined {
  const value = name === undefined ? undefined : given(env[name]);
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** The key for an address. The vendor's own goes out over TLS only, and not to a server next door, which would not know it. */
function keyFor(vendor: Vendor, options: ChooseOptions<unknown>, baseUrl: string | undefined): Key | undefined {
  const { env, apiKey } = options;
  const { keyName, baseUrlName } = VENDORS[vendor];
  const told = given(apiKey);
  if (told !== undefined) return { name: 'the key given', value: told };
  if (baseUrl === undefined) return keyOf(env, keyName);
  const url = checkedUrl(baseUrl);
  const isPair = given(options.baseUrl) === undefined && given(env[baseUrlName]) !== undefined;
  const isSafe = url.protocol === 'https:' && !isLocalUrl(baseUrl);
  return (
    keyOf(env, OWN_KEY) ??
    keyOf(env, KEYS_BY_HOST[url.hostname]) ??
    (isPair || isSafe ? keyOf(env, keyName) : undefined)
  );
}

function baseUrlFor(vendor: Vendor, { env, baseUrl }: ChooseOptions<unknown>): string | undefined {
  return given(baseUrl) ?? given(env[VENDORS[vendor].baseUrlName]);
}

/** Whose model it can only be, going by its id. */
function ownerOf(model: string | undefined): Vendor | undefined {
  return (['anthropic', 'openai'] as const).find((vendor) => VENDORS[vendor].ownModel.test(model ?? ''));
}

/** A vendor the environment holds what is needed for. */
function isReady(vendor: Vendor, { env }: ChooseOptions<unknown>): boolean {
  const { keyName, baseUrlName } = VENDORS[vendor];
  const baseUrl = given(env[baseUrlName]);
  return given(env[keyName]) !== undefined || (baseUrl !== undefined && isLocalUrl(baseUrl));
}

function vendorOf(options: ChooseOptions<unknown>): Vendor | undefined {
  const { provider = 'auto', baseUrl, apiKey, model } = options;
  if (provider !== 'auto') return provider;
  if (given(baseUrl) !== undefined) return 'openai';
  const ready = (['anthropic', 'openai'] as const).filter((vendor) => isReady(vendor, options));
  if (ready.length === 0 && given(apiKey) === undefined) return undefined;
  const owner = ownerOf(given(model));
  // A compatible server may well serve another vendor's model; an address of its own says so.
  const isElsewhere = ready.some((vendor) => given(options.env[VENDORS[vendor].baseUrlName]) !== undefined);
  return owner !== undefined && !isElsewhere ? owner : (ready[0] ?? 'anthropic');
}

function noKey(vendor: Vendor, baseUrl: string | undefined): AgentError {
  const { label, keyName } = VENDORS[vendor];
  const names =
    baseUrl === undefined ? keyName : `${KEYS_BY_HOST[checkedUrl(baseUrl).hostname] ?? OWN_KEY} (or ${OWN_KEY})`;
  const where = baseUrl === undefined ? label : new URL(baseUrl).origin;
  return new AgentError(
    'no_key',
    `no API key for ${where}: set ${names} in the environment; a server of your own (Ollama, vLLM, llama.cpp) needs a base URL instead, such as http://localhost:11434/v1`,
  );
}

function modelFor(vendor: Vendor, model: string | undefined, baseUrl: string | undefined): string {
  const told = given(model);
  if (told !== undefined) return told;
  // What speaks Anthropic's format behind another address is a gateway to its models; OpenAI's format is spoken by every local server.
  const isVendors =
    vendor === 'anthropic' || baseUrl === undefined || new URL(baseUrl).hostname.endsWith('.openai.com');
  if (isVendors) return DEFAULT_MODELS[vendor];
  throw new AgentError(
    'no_model',
    `no model is named for ${new URL(baseUrl).origin}; name one it serves (its list is at ${baseUrl.replace(/\/$/, '')}/models)`,
  );
}

/**
 * Undefined where there is neither a key nor a base URL. Keys: `apiKey`, for a base URL HOLDOVER_API_KEY or its vendor's own variable, then
 * ANTHROPIC_API_KEY and OPENAI_API_KEY; addresses: `baseUrl`, then ANTHROPIC_BASE_URL and OPENAI_BASE_URL. With both vendors' keys the model's
 * name decides, then Anthropic comes first.
 *
 * @throws AgentError `no_key`, `no_model` or `invalid_option`, each naming the next step.
 */
export function chooseProvider<Facts>(options: ChooseOptions<Facts>): Choice<Facts> | undefined {
  const vendor = vendorOf(options);
  if (vendor === undefined) return undefined;
  const baseUrl = baseUrlFor(vendor, options);
  const key = keyFor(vendor, options, baseUrl);
  if (key === undefined && (baseUrl === undefined || !isLocalUrl(baseUrl))) throw noKey(vendor, baseUrl);
  const model = modelFor(vendor, options.model, baseUrl);
  const address = {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key === undefined ? {} : { apiKey: key.value }),
  };
  return {
    provider: vendor === 'anthropic' ? anthropicProvider(address) : openaiChatProvider(address),
    model,
    facts: options.factsOf(model),
    source: [key?.name ?? 'no key', ...(baseUrl === undefined ? [] : [`at ${new URL(baseUrl).origin}`])].join(' '),
    endpoint: { vendor, ...address },
  };
}
