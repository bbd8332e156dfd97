/** How the contexts of killed sessions are kept, by the processes that are killed and by those that go on. */
import type { ContextSettings } from '@holdover/agent';
import { classic, economic, type Policy } from '@holdover/engine';
import type { Part, PolicyName } from './protocol.ts';

export const POLICIES: Readonly<Record<PolicyName, Policy>> = { classic, economic };

/** A window so small that compactions come within a few turns. */
export function settingsFor({ policy, archive = 'fs' }: Pick<Part, 'policy' | 'archive'>): ContextSettings {
  return { policy: POLICIES[policy], archive, windowTokens: 24_000, maxOutputTokens: 2_000 };
}
