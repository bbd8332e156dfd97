/** The model behind the agent: the user's provider, or the built-in one: the simulator's rule-following model, on loopback, spoken to over HTTP like any other. */
import { randomBytes } from 'node:crypto';
import {
  anthropicProvider,
  askWindow,
  type Choice,
  chooseProvider,
  type Endpoint,
  isLocalUrl,
  openaiChatProvider,
  type Provider,
} from '@holdover/agent';
import { type ModelFacts, modelFacts } from '@holdover/engine';
import { createRulesBrain, createSimulator, type Simulator } from '@holdover/simulator';
import type { Settings } from './settings/definitions.ts';

export interface LocalModel {
  readonly provider: Provider;
  readonly simulator: Simulator;
}

/**
 * Starts the simulator. `serverWindowTokens`: what it enforces. `idTag` stands in every id it gives out; a session may go on in another process,
 * so without one it is drawn by chance. The caller closes it.
 */
export async function startLocalModel(
  format: Settings['format'],
  serverWindowTokens: number,
  idTag?: string,
): Promise<LocalModel> {
  const simulator = await createSimulator({
    brain: createRulesBrain(),
    windowTokens: serverWindowTokens,
    idTag: idTag ?? `${randomBytes(4).toString('hex')}_`,
  });
  const options = { baseUrl: format === 'anthropic' ? simulator.url : `${simulator.url}/v1`, apiKey: 'none' };
  return { simulator, provider: format === 'anthropic' ? anthropicProvider(options) : openaiChatProvider(options) };
}

/** The built-in model's window where none is set, tokens. */
const BUILTIN_WINDOW_TOKENS = 200_000;
const BUILTIN_MODEL = 'rules-1';

/** The smallest window the engine takes, tokens. */
const MIN_WINDOW_TOKENS = 4_000;

/** A local model nobody knows, on a server that does not say: such servers cut longer prompts without a word, often at this. Tokens. */
const LOCAL_WINDOW_TOKENS = 8_192;

/** A model ready to be asked. */
export interface OpenedModel {
  readonly provider: Provider;
  readonly model: string;
  /** Window of a model of this provider, tokens. */
  readonly windowOf: (model: string) => number;
  /** One line for people: who answers, and why. */
  readonly about: string;
  readonly isBuiltin: boolean;
  /** Where requests go, for `doctor`; undefined for the built-in model. */
  readonly endpoint: Endpoint | undefined;
  /** What the built-in provider billed; undefined for others. */
  readonly totals: (() => object) | undefined;
  close(): Promise<void>;
}

async function openBuiltin(settings: Settings): Promise<OpenedModel> {
  const windowTokens = settings.windowTokens === 'auto' ? BUILTIN_WINDOW_TOKENS : settings.windowTokens;
  const { provider, simulator } = await startLocalModel(settings.format, windowTokens);
  return {
    provider,
    model: settings.model === 'auto' ? BUILTIN_MODEL : settings.model,
    windowOf: () => windowTokens,
    about: 'No key is used: the model is the built-in rule-following one, on this machine.',
    isBuiltin: true,
    endpoint: undefined,
    totals: () => simulator.totals(),
    close: () => simulator.close(),
  };
}

const number = new Intl.NumberFormat('en-US');

/** Where the window's size comes from. */
function windowNote(settings: Settings, asked: number | undefined, facts: ModelFacts): string {
  if (settings.windowTokens !== 'auto') return 'as set';
  if (asked !== undefined) return 'the server says';
  return facts.isAssumed ? 'assumed; set --window if you know better' : `as of ${facts.asOf}`;
}

async function openChosen(choice: Choice<ModelFacts>, settings: Settings, signal: AbortSignal): Promise<OpenedModel> {
  const { provider, model, facts, source, endpoint } = choice;
  const { baseUrl, apiKey } = endpoint;
  // A server of one's own knows its window best; a vendor's own address is in the table.
  const mayAsk = settings.windowTokens === 'auto' && baseUrl !== undefined && endpoint.vendor === 'openai';
  const key = apiKey === undefined ? {} : { apiKey };
  const told = mayAsk ? await askWindow({ baseUrl, model, signal, ...key }) : undefined;
  // The engine works from 4,000 tokens on; what a smaller one refuses it learns from the refusal.
  const asked = told === undefined ? undefined : Math.max(MIN_WINDOW_TOKENS, told);
  const isUnknownLocal = facts.isAssumed && baseUrl !== undefined && isLocalUrl(baseUrl);
  const windowOf = (id: string): number => {
    if (settings.windowTokens !== 'auto') return settings.windowTokens;
    if (id === model && asked !== undefined) return asked;
    return isUnknownLocal ? LOCAL_WINDOW_TOKENS : modelFacts(id).windowTokens;
  };
  const tokens = `${number.format(windowOf(model))} tokens (${windowNote(settings, asked, facts)})`;
  return {
    provider,
    model,
    windowOf,
    about: `${model}, ${source}; window ${tokens}`,
    isBuiltin: false,
    endpoint,
    totals: undefined,
    close: () => Promise.resolve(),
  };
}

export interface OpenModelOptions {
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** What the settings and the environment name; undefined for the built-in model. Throws `AgentError` where a key or a model is missing. */
export function chosenModel({ settings, env }: Omit<OpenModelOptions, 'signal'>): Choice<ModelFacts> | undefined {
  const { provider, baseUrl, model } = settings;
  if (provider === 'builtin') return undefined;
  return chooseProvider({
    env,
    provider,
    ...(baseUrl === '' ? {} : { baseUrl }),
    ...(model === 'auto' ? {} : { model }),
    factsOf: (id) => modelFacts(id),
  });
}

/** Opens the model the settings and the environment name. The caller closes it. */
export async function openModel(options: OpenModelOptions): Promise<OpenedModel> {
  const choice = chosenModel(options);
  return choice === undefined ? openBuiltin(options.settings) : openChosen(choice, options.settings, options.signal);
}
