/** llmtrim: compresses the whole request as JSON, with its preset for agents. Needs `--experimental-wasm-modules`. */
import { compress } from '@llmtrim/js';
import { REQUEST } from '../host.ts';
import type { Case } from '../row.ts';
import { measurePeer } from './measure.ts';

export const run: Case['run'] = async (options) =>
  measurePeer(options, {
    convert: (messages) => [...messages],
    call: async (messages) => compress(JSON.stringify({ ...REQUEST, messages }), 'anthropic', 'agent'),
  });
