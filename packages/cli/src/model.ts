/** The model behind the agent: the user's provider, or the built-in one: the simulator's rule-following model, on loopback, spoken to over HTTP like any other. */
import { randomBytes } from 'node:crypto';
import { anthropicProvider, openaiChatProvider, type Provider } from '@holdover/agent';
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

/** A model ready to be asked. */
export interface OpenedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly windowTokens: number;
  /** One line for people: who answers, and why. */
  readonly about: string;
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
    windowTokens,
    about: 'No key is used: the model is the built-in rule-following one, on this machine.',
    totals: () => simulator.totals(),
    close: () => simulator.close(),
  };
}

/** Opens the model the settings name. The caller closes it. */
export function openModel(settings: Settings): Promise<OpenedModel> {
  return openBuiltin(settings);
}
