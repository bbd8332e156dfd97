/** Thinking signatures: only text this simulator issued, unaltered, comes back accepted. */

import { createHmac } from 'node:crypto';
import type { JsonObject } from '../json.ts';

/** What a signature vouches for besides the text. */
export interface SignatureClaims {
  /** Names this thinking block. */
  readonly nonce: string;
  /** The thinking block before it in the conversation, `-` for none. */
  readonly previous: string;
  /** Blocks other than thinking before it in its own reply. */
  readonly position: number;
  /** Hash of everything the model had read when it thought this. */
  readonly prefixHash: string;
}

export interface Signer {
  sign(text: string, claims: SignatureClaims): string;
  /** The claims, or undefined when the text or the signature was altered or comes from elsewhere. */
  verify(text: string, signature: unknown): SignatureClaims | undefined;
}

/** `key` separates simulators: another key makes every signature foreign. */
export function createSigner(key: string): Signer {
  const mac = (text: string, claims: string): string =>
    createHmac('sha256', key).update(claims).update('\u0000').update(text).digest('base64url');
  return {
    sign(text, { nonce, previous, position, prefixHash }) {
      const claims = [nonce, previous, String(position), prefixHash].join('.');
      return Buffer.from(`${claims}.${mac(text, claims)}`).toString('base64');
    },
    verify(text, signature) {
      if (typeof signature !== 'string') return undefined;
      const [nonce, previous, position, prefixHash, given] = Buffer.from(signature, 'base64').toString().split('.');
      if (nonce === undefined || previous === undefined || position === undefined || prefixHash === undefined) {
        return undefined;
      }
      if (given !== mac(text, [nonce, previous, position, prefixHash].join('.'))) return undefined;
      return { nonce, previous, position: Number(position), prefixHash };
    },
  };
}

/** The claims of a `thinking` or `redacted_thinking` block. */
export function verifyBlock(signer: Signer, block: JsonObject): SignatureClaims | undefined {
  if (block['type'] === 'redacted_thinking') return signer.verify('', block['data']);
  return signer.verify(String(block['thinking']), block['signature']);
}
