/** The policies whose turns are timed. */
import { classic, economic, type Policy } from '@holdover/engine';

export const POLICIES: Readonly<Record<string, Policy>> = { classic, economic };
