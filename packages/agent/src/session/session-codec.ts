/** The wire format a session's header names: for lists, exports and proofs, which have no provider at hand. */
import type { Codec, Decoded } from '@holdover/engine';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import { openaiChat } from '@holdover/engine/codecs/openai-chat';

const CODECS: Readonly<Record<string, () => Codec>> = {
  anthropic: () => anthropic() as unknown as Codec,
  'openai-chat': () => openaiChat() as unknown as Codec,
};

export type Decode = (message: object) => Decoded | undefined;

/** The codec of a format; undefined for one nobody knows. */
export function codecFor(provider: string): Codec | undefined {
  return Object.hasOwn(CODECS, provider) ? CODECS[provider]?.() : undefined;
}

/** Reads messages of a format; undefined for a message that cannot be read, and for every message of a format nobody knows. */
export function decoderFor(provider: string): Decode {
  const codec = codecFor(provider);
  return (message) => {
    try {
      return codec?.decode(message);
    } catch {
      return undefined;
    }
  };
}
