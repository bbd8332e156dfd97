/** Settings as options of an agent: the same for one prompt and for a conversation. */
import { type AgentOptions, parseHookSettings, parseMcpServers } from '@holdover/agent';
import type { OpenedModel } from './model.ts';
import type { Settings } from './settings/definitions.ts';
import { POLICIES } from './settings/policies.ts';

type FromSettings = Pick<
  AgentOptions,
  | 'provider'
  | 'model'
  | 'context'
  | 'fallbackModel'
  | 'thinkingTokens'
  | 'maxRounds'
  | 'rules'
  | 'shellHooks'
  | 'mcpServers'
>;

export function agentSettings(settings: Settings, { provider, model, windowOf }: OpenedModel): FromSettings {
  const redact = settings.redact === 'arrival' ? { redact: settings.redact } : {};
  const { fallbackModel, thinkingTokens, maxRounds, maxOutputTokens, archive } = settings;
  const { allow, ask, deny, hooks, mcpServers } = settings;
  return {
    provider,
    model,
    context: { windowTokens: windowOf, maxOutputTokens, policy: POLICIES[settings.policy], archive, ...redact },
    ...(fallbackModel === '' ? {} : { fallbackModel }),
    ...(thinkingTokens === 0 ? {} : { thinkingTokens }),
    maxRounds,
    rules: { allow, ask, deny },
    shellHooks: parseHookSettings(hooks),
    mcpServers: parseMcpServers(mcpServers).servers,
  };
}
