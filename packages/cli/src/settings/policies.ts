/** Policies by the name a setting gives them. */
import { classic, economicPolicy, type Policy } from '@holdover/engine';
import type { Settings } from './definitions.ts';

export const POLICIES: Readonly<Record<Settings['policy'], Policy>> = {
  classic,
  economic: economicPolicy(),
  'economic:frugal': economicPolicy({ point: 'frugal' }),
  'economic:generous': economicPolicy({ point: 'generous' }),
};
