/** Policies by the name a setting gives them. */
import { classic, type Policy } from '@holdover/engine';
import type { Settings } from './definitions.ts';

export const POLICIES: Readonly<Record<Settings['policy'], Policy>> = { classic };
