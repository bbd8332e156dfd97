/** Reads a request into the view that the rules work on. */

import type { SimMessage, SimPart, SimRequest } from '../../brain.ts';
import type { CallRecord, ResultRecord, TextRecord, View } from './types.ts';

type CallPart = Extract<SimPart, { kind: 'call' }>;

/** `messages` overrides those of the request, so that a summary can be made of all but the last message. */
export function readView(request: SimRequest, messages: readonly SimMessage[] = request.messages): View {
  const said: TextRecord[] = [];
  const heard: TextRecord[] = [];
  const answering = new Set<number>();
  const last = messages.length - 1;
  messages.forEach((message, index) => {
    const texts = textParts(message);
    if (message.role === 'assistant' && texts.length > 0) said.push({ message: index, text: texts.join('\n') });
    if (message.role !== 'user') return;
    for (const text of texts) heard.push({ message: index, text });
    if (message.parts.some((part) => part.kind === 'result')) answering.add(index);
  });
  const tools = new Set(request.tools.map((tool) => tool.name));
  return { calls: readCalls(messages, last), said, heard, answering, last, tools };
}

export function textParts(message: SimMessage): string[] {
  return message.parts.flatMap((part) => (part.kind === 'text' && part.text.trim() !== '' ? [part.text] : []));
}

/** An answer counts as an error when it is marked so or begins with the word. */
export function isFailure(result: ResultRecord): boolean {
  return result.isError || /^\s*Error\b/.test(result.text);
}

function readCalls(messages: readonly SimMessage[], last: number): CallRecord[] {
  const calls: CallRecord[] = [];
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const made = message.parts.filter((part): part is CallPart => part.kind === 'call');
    if (made.length === 0) return;
    const answers = answersIn(messages[index + 1], index + 1 === last);
    for (const { id, name, input } of made) {
      const result = answers.get(id);
      calls.push(result ? { message: index, name, input, result } : { message: index, name, input });
    }
  });
  return calls;
}

/** Answers stand in the message directly after the call, in every profile. */
function answersIn(message: SimMessage | undefined, fresh: boolean): Map<string, ResultRecord> {
  const answers = new Map<string, ResultRecord>();
  for (const part of message?.parts ?? []) {
    if (part.kind === 'result') answers.set(part.callId, { text: part.text, isError: part.isError, fresh });
  }
  return answers;
}
