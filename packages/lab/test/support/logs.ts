/** Small session files, line by line. */

export function jsonLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

interface PiReply {
  readonly text?: string;
  readonly calls?: readonly (readonly [id: string, name: string, input: object])[];
  readonly atMs: number;
  readonly usage?: readonly [input: number, read: number, write: number, output: number];
}

export function piUser(text: string): object {
  return { type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } };
}

export function piReply({ text, calls = [], atMs, usage }: PiReply): object {
  const [input, cacheRead, cacheWrite, output] = usage ?? [];
  return {
    type: 'message',
    message: {
      role: 'assistant',
      model: 'claude-test',
      timestamp: atMs,
      content: [
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(([id, name, args]) => ({ type: 'toolCall', id, name, arguments: args })),
      ],
      ...(usage === undefined ? {} : { usage: { input, cacheRead, cacheWrite, output } }),
    },
  };
}

export function piResult(toolCallId: string, text: string): object {
  return { type: 'message', message: { role: 'toolResult', toolCallId, content: [{ type: 'text', text }] } };
}

export const PI_HEADER = { type: 'session', id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };
