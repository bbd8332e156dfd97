/** The engine's writer port over a provider: one request without tools. */
import type { Stop, Writer, WriterReply } from '@holdover/engine';
import type { Provider } from './providers/provider.ts';

const STOP: Readonly<Record<Stop, WriterReply['stop']>> = {
  end: 'end',
  calls: 'call',
  cap: 'cap',
  window: 'cap',
  refusal: 'refusal',
  other: 'end',
};

export function createSummaryWriter(provider: Provider, model: string): Writer {
  return {
    name: model,
    async write({ system, prompt, maxOutputTokens }, signal) {
      const messages = [provider.codec.compose([prompt])];
      const request = provider.request({ model, system, tools: [], messages, maxOutputTokens });
      const reply = await provider.send(request, {
        signal: signal ?? new AbortController().signal,
        onText: () => undefined,
      });
      const { message, stop, usage } = provider.codec.reply(reply);
      const parts = message === undefined ? [] : provider.codec.decode(message).parts;
      const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
      const hasCall = parts.some((part) => part.kind === 'call');
      return {
        text,
        stop: hasCall ? 'call' : STOP[stop],
        ...(usage === undefined ? {} : { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
      };
    },
  };
}
