/** The model behind the agent: the simulator's rule-following one, on loopback, spoken to over HTTP like any other provider. */
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
