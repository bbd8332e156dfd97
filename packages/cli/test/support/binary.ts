/** Where the real binary is. */
import { fileURLToPath } from 'node:url';

export const BINARY: string = fileURLToPath(new URL('../../bin/holdover.js', import.meta.url));
