/** Tool results of real sessions, as text with the call they answer. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the sessions are; tests that need them skip where the folder is absent. */
export const DATA: string =
  process.env['HOLDOVER_DATA'] ?? fileURLToPath(new URL('../../../../../shared/data', import.meta.url));

export interface RealResult {
  readonly session: string;
  readonly name: string;
  readonly input: unknown;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

function records(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function jsonLines(path: string): readonly Fields[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Fields);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n');
}

/** Messages with calls and results as blocks: pi and Claude Code. */
function blockSession(path: string, session: string): RealResult[] {
  const calls = new Map<string, Fields>();
  return jsonLines(path).flatMap(({ message }) => {
    const { role, content, toolCallId } = (message ?? {}) as Fields;
    for (const block of records(content)) {
      if (block['type'] === 'toolCall' || block['type'] === 'tool_use') calls.set(String(block['id']), block);
    }
    const result = (id: unknown, value: unknown): RealResult => {
      const call = calls.get(String(id)) ?? {};
      return { session, name: String(call['name']), input: call['arguments'] ?? call['input'], text: textOf(value) };
    };
    if (role === 'toolResult') return [result(toolCallId, content)];
    return records(content)
      .filter(({ type }) => type === 'tool_result')
      .map((block) => result(block['tool_use_id'], block['content']));
  });
}

function trajectory(path: string, session: string): RealResult[] {
  const { trajectory: steps } = JSON.parse(readFileSync(path, 'utf8')) as Fields;
  return records(steps).map(({ action, observation }) => ({
    session,
    name: 'bash',
    input: { command: String(action ?? '').trim() },
    text: typeof observation === 'string' ? observation : '',
  }));
}

function chats(path: string, session: string): RealResult[] {
  return records(JSON.parse(readFileSync(path, 'utf8'))).flatMap(({ traj }, trial) =>
    records(traj)
      .filter(({ role }) => role === 'tool')
      .map(({ name, content }) => ({
        session: `${session} ${trial}`,
        name: String(name),
        input: {},
        text: textOf(content),
      })),
  );
}

/** All results of all sessions in `DATA`, in the order they came; empty where there are none. */
export function realResults(): readonly RealResult[] {
  if (!existsSync(DATA)) return [];
  const swe = readdirSync(join(DATA, 'swe-agent')).filter((name) => name.endsWith('.traj'));
  return [
    ...blockSession(join(DATA, 'pi/before-compaction.jsonl'), 'pi'),
    ...blockSession(join(DATA, 'claude-code/sample-small.jsonl'), 'claude-code'),
    ...swe.flatMap((name) => trajectory(join(DATA, 'swe-agent', name), `swe-agent ${name}`)),
    ...chats(join(DATA, 'tau-bench/airline-60.json'), 'tau-bench'),
  ];
}
