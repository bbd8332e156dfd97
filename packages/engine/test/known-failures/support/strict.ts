/** What a strict provider has against a request: the simulator's rules, and the rules of the property tests, which were written apart. */
import { turnsOf } from '../../../../simulator/src/anthropic/conversation.ts';
import type { Signer } from '../../../../simulator/src/anthropic/signatures.ts';
import { validateAnthropic } from '../../../../simulator/src/anthropic/validate/validate.ts';
import { validateOpenai } from '../../../../simulator/src/openai/validate/validate.ts';
import type { WireBuilder } from '../../../src/testing/wire-builder.ts';
import { anthropicFaults, openaiChatFaults } from '../../properties/support/protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A thinking block as one value: its text and what vouches for it. */
function pairOf(text: unknown, signature: unknown): string {
  return JSON.stringify([text ?? '', signature ?? '']);
}

function thinkingIn(messages: readonly object[]): ReadonlySet<string> {
  const blocks = messages.flatMap((message) => {
    const { content } = message as { content?: unknown };
    return Array.isArray(content) ? (content as readonly Fields[]) : [];
  });
  return new Set(
    blocks.flatMap((block) => {
      if (block['type'] === 'thinking') return [pairOf(block['thinking'], block['signature'])];
      return block['type'] === 'redacted_thinking' ? [pairOf('', block['data'])] : [];
    }),
  );
}

/** Vouches for the thinking of `history`, each text with its own signature, and for nothing else. */
function signerFor(history: readonly object[]): Signer {
  const issued = thinkingIn(history);
  return {
    sign: () => '',
    verify: (text, signature) =>
      issued.has(pairOf(text, signature))
        ? { nonce: '-', previous: '-', position: Number.POSITIVE_INFINITY, prefixHash: '-' }
        : undefined,
  };
}

/** Every rule `request` breaks; `history` says which thinking the provider issued. */
export function strictFaults(builder: WireBuilder, request: object, history: readonly object[]): readonly string[] {
  const body = request as Fields;
  if (builder.name !== 'anthropic') {
    const problem = validateOpenai(body);
    return [...openaiChatFaults(request), ...(problem === undefined ? [] : [problem.message])];
  }
  const problem = validateAnthropic({
    body,
    endpoint: 'create',
    hasBeta: false,
    turns: turnsOf(body),
    signer: signerFor(history),
    cameWithThinking: () => false,
  });
  return [...anthropicFaults(request), ...(problem === undefined ? [] : [problem.message])];
}
