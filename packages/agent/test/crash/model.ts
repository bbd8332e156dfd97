/** A model in the same process, from a seed: it calls tools, shows texts of all sizes, compacts, plans and ends. */
import { anthropicProvider, openaiChatProvider, type Provider } from '@holdover/agent';
import { anthropicBuilder, type CallSpec, openaiChatBuilder, type ReplySpec } from '@holdover/engine/testing';
import { prose, type Random } from '../soak/random.ts';
import type { Format } from './protocol.ts';

/** What a file, a pipe or a shell may give: none of it may be changed on the way to the disk and back. */
const ODD = ['\u0000', '$& $1', '🦊', '\u2028', '漢字', '"\\', '\ud83d', '\r\n', '</summary>', 'c_0123456789abcdef'];

const SIZES = { small: 30, medium: 300, large: 3_000, budget: 9_000 } as const;

function text(random: Random): string {
  const words = SIZES[random.weighted({ small: 4, medium: 4, large: 1, budget: 0.3 })];
  return `${prose(random, random.int(1, words))} ${random.pick(ODD)} ${prose(random, 3)}`;
}

function callOf(random: Random, id: string): CallSpec {
  const name = random.weighted({ echo: 20, todo_write: 1, compact: 0.5 });
  if (name === 'echo') return { id, name, input: { text: text(random) } };
  if (name === 'compact') return { id, name, input: {} };
  return { id, name, input: { todos: [{ content: prose(random, 4), status: random.pick(['pending', 'completed']) }] } };
}

/** Replies by chance; a request without tools asks for a summary. */
function createReplies(random: Random, tag: string): (request: object) => ReplySpec {
  let calls = 0;
  return (request) => {
    const usageTokens = Math.ceil(JSON.stringify(request).length / 4);
    const { tools } = request as { tools?: readonly object[] };
    if (tools === undefined || tools.length === 0)
      return { text: `Goal: ${prose(random, 60)}. Next: ${prose(random, 20)}.`, usageTokens };
    if (random.chance(0.3)) return { text: text(random), usageTokens };
    const batch = Array.from({ length: Number(random.weighted({ 1: 6, 2: 3, 4: 1 })) }, () =>
      callOf(random, `call_${tag}_${(calls += 1)}`),
    );
    return { ...(random.chance(0.3) ? { text: prose(random, 8) } : {}), calls: batch, usageTokens };
  };
}

/** `onSend` is told before each request of the agent's own or a summary's. */
export function seededProvider(
  format: Format,
  { random, tag, onSend }: { readonly random: Random; readonly tag: string; readonly onSend: () => void },
): Provider {
  const options = { baseUrl: 'http://127.0.0.1:9', apiKey: 'none' };
  const isAnthropic = format === 'anthropic';
  const builder = isAnthropic ? anthropicBuilder : openaiChatBuilder;
  const reply = createReplies(random, tag);
  return {
    ...(isAnthropic ? anthropicProvider(options) : openaiChatProvider(options)),
    async send(request) {
      onSend();
      return builder.reply(reply(request));
    },
  };
}
