/** The messages of a session as a person reads them. */
import type { Provider } from '@holdover/agent';
import type { PastMessage } from './session-port.ts';

/** What `@file` put behind the prompt, which names it. */
const FILE_PIECE = /^<(file(?:-\d+)?) path="(?:[^"\\\n]|\\.)*">\n[\s\S]*\n<\/\1>$/;

/** Messages of the user's and the model's; what the host put in between is left out. */
export function pastOf(provider: Provider, messages: readonly object[]): readonly PastMessage[] {
  return messages.flatMap((message, index) => {
    const { origin, parts } = provider.codec.decode(message);
    if (origin === 'host') return [];
    const all = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
    const texts = origin === 'user' ? all.filter((text, place) => place === 0 || !FILE_PIECE.test(text)) : all;
    const calls = parts.flatMap((part) => (part.kind === 'call' ? [part] : []));
    const results = parts.flatMap((part) => (part.kind === 'result' ? [part] : []));
    return [{ index, speaker: origin, text: texts.join('\n\n'), calls, results }];
  });
}
