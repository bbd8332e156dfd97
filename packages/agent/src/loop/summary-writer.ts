/** The engine's writer port over a provider: one request without tools. */
import type { Stop, Writer, WriterReply } from '@holdover/engine';
import { type PatientOptions, sendPatiently } from './retry.ts';
import type { Provider } from '../providers/provider.ts';

const STOP: Readonly<Record<Stop, WriterReply['stop']>> = {
  end: 'end',
  calls: 'call',
  cap: 'cap',
  window: 'cap',
  refusal: 'refusal',
  other: 'end',
};

/**
 * Rate limits and cut streams are waited out like those of any other call: a digest is no substitute for a second's patience. `model` is asked
 * for each summary, since the user may change it.
 */
export function createSummaryWriter(
  provider: Provider,
  model: () => string,
  patience: Omit<PatientOptions, 'signal'>,
): Writer {
  return {
    get name() {
      return model();
    },
    async write({ system, prompt, maxOutputTokens }, signal = new AbortController().signal) {
      const messages = [provider.codec.compose([prompt])];
      const request = provider.request({ model: model(), system, tools: [], messages, maxOutputTokens });
      const send = (fallbackModel?: string): Promise<object> => {
        const sent = fallbackModel === undefined ? request : provider.withModel(request, fallbackModel);
        return provider.send(sent, { signal, onText: () => undefined });
      };
      const reply = await sendPatiently(send, { ...patience, signal });
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
