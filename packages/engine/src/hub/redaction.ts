/** Where secrets are taken out: of what a foreign provider is asked, always; of everything that is sent, where the host wants it (`redact: 'arrival'`). */
import type { Codec } from '../core/codec.ts';
import type { Wire } from '../core/entry.ts';
import type { Writer } from '../core/summary/writer.ts';
import type { StatePort } from './ask-host.ts';

/** What takes secrets out. */
export interface RedactionPort {
  readonly text: (text: string) => string;
  readonly messages: (messages: readonly Wire[], codec: Codec) => readonly Wire[];
}

/** The codec, whose callers' messages have no secrets any more. */
export function redactingCodec(codec: Codec, { messages }: RedactionPort): Codec {
  return {
    name: codec.name,
    ...(codec.idScope === undefined ? {} : { idScope: codec.idScope }),
    head: (request) => codec.head(request),
    messages: (request) => messages(codec.messages(request), codec),
    decode: (message) => codec.decode(message),
    canonical: (message) => codec.canonical(message),
    patch: (message, patches) => codec.patch(message, patches),
    attach: (message, texts) => codec.attach(message, texts),
    compose: (pieces) => codec.compose(pieces),
    encode: (request, sent, breakpoints) => codec.encode(request, sent, breakpoints),
    withOutputCap: (request, maxOutputTokens) => codec.withOutputCap(request, maxOutputTokens),
    reply: (reply) => codec.reply(reply),
  };
}

/** A writer that is shown no secrets where it is foreign, and writes none where `isArrival`. */
export function redactingWriter(writer: Writer, { text }: RedactionPort, isArrival: boolean): Writer {
  return {
    get name() {
      return writer.name;
    },
    async write(request, signal) {
      const isForeign = writer.isForeign === true;
      const asked = isForeign ? { ...request, prompt: text(request.prompt) } : request;
      const reply = await writer.write(asked, signal);
      return isArrival ? { ...reply, text: text(reply.text) } : reply;
    },
  };
}

export function redactingState(state: StatePort, { text }: RedactionPort): StatePort {
  return async (signal) => (await state(signal)).map((item) => ({ ...item, text: text(String(item.text)) }));
}
