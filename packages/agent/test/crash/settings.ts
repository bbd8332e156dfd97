/** How the contexts of killed sessions are kept, by the processes that are killed and by those that go on. */
import type { ContextSettings } from '@holdover/agent';
import { classic, economic, type Policy } from '@holdover/engine';
import type { PolicyName } from './protocol.ts';

export const POLICIES: Readonly<Record<PolicyName, Policy>> = { classic, economic };

/** A window so small that compactions come within a few turns. */
export function settingsFor(policy: PolicyName): ContextSettings {
  return { policy: POLICIES[policy], windowTokens: 24_000, maxOutputTokens: 2_000 };
}
