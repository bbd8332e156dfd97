import { expect, it } from 'vitest';
import { probesOf } from '../../src/dependencies/probes.ts';
import type { Block, Message } from '../../src/session/recorded.ts';

const user = (...content: readonly Block[]): Message => ({ role: 'user', content });
const model = (...content: readonly Block[]): Message => ({ role: 'assistant', content });
const text = (words: string): Block => ({ type: 'text', text: words });
const call = (id: string, input: object): Block => ({ type: 'tool_use', id, name: 'any', input });
const result = (id: string, content: string, isError = false): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});

function found(...messages: readonly Message[]): readonly string[] {
  return probesOf(messages).map(
    ({ kind, text: words, query, from, until }) => `${kind} ${words} ? ${query} ${from}-${until}`,
  );
}

it('asks for files, errors, and what the user insists on', () => {
  expect(
    found(
      user(text('Look at it. You must never touch dist! Thanks')),
      model(call('a', { path: 'src/app.ts' })),
      user(result('a', '\nENOENT: no such file\nat open', true)),
    ),
  ).toEqual([
    'instruction You must never touch dist! ? never 0-Infinity',
    'file src/app.ts ? app.ts 1-Infinity',
    'error ENOENT: no such file ? ENOENT 2-Infinity',
  ]);
});

it('asks for addresses, hashes and versions in words and calls, not in results', () => {
  expect(
    found(
      user(text('See https://example.com/a?b=1, at abc1234 or 1.22.3, not 1234567 nor deadbeefs.')),
      model(call('a', { command: 'curl http://localhost:8080' })),
      user(result('a', 'version 9.9.9')),
    ).map((line) => line.split(' ?')[0]),
  ).toEqual(['id https://example.com/a?b=1,', 'id abc1234', 'id 1.22.3', 'id http://localhost:8080']);
});

it('lets the newest check and the newest list of tasks count', () => {
  const todos = (status: string): Block => call('t', { todos: [{ content: 'Write it', status }] });
  expect(
    found(
      model(call('a', { command: 'npm test' })),
      user(result('a', ' × sums two\n ✓ is quick\nFAIL other.test.ts')),
      model(call('b', { command: 'npx vitest run' }), todos('pending')),
      user(result('b', ' ✓ sums two')),
      model(todos('completed')),
    ),
  ).toEqual([
    'command npm test ? test 0-2',
    'failing-test × sums two ? sums 1-3',
    'failing-test FAIL other.test.ts ? other.test.ts 1-3',
    'command npx vitest run ? vitest 2-Infinity',
    'todo Write it ? Write 2-4',
  ]);
});
