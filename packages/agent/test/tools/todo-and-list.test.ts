import { describe, expect, it } from 'vitest';
import { createTools } from '../../src/tools/create-tools.ts';
import { createProcesses } from '../../src/tools/processes.ts';
import { createTodoWriteTool, type TodoList } from '../../src/tools/todo-write.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { errorOf, runner, textOf } from './context.ts';

const PLAN = [
  { content: 'read', status: 'completed' },
  { content: 'write', status: 'in_progress' },
  { content: 'test', status: 'pending' },
];

describe('todo_write', () => {
  it('replaces the list', async () => {
    const list: TodoList = { items: [] };
    const write = runner(createTodoWriteTool(list), tempFolder());
    expect(await textOf(write({ todos: PLAN }))).toBe('3 tasks, 1 completed\n[x] read\n[>] write\n[ ] test');
    expect(list.items).toEqual(PLAN);
    expect(await textOf(write({ todos: JSON.stringify(PLAN.slice(0, 1)) }))).toBe('1 tasks, 1 completed\n[x] read');
    expect(list.items).toHaveLength(1);
    expect(await textOf(write({ todos: [] }))).toBe('the task list is empty now');
    expect(list.items).toEqual([]);
  });

  it('keeps the old list when the new one is wrong', async () => {
    const list: TodoList = { items: [{ content: 'keep', status: 'pending' }] };
    const write = runner(createTodoWriteTool(list), tempFolder());
    expect(await errorOf(write({ todos: [{ content: 'x', status: 'done' }] }))).toBe(
      'todo_write: "todos.0.status" must be one of pending, in_progress, completed; got "done"',
    );
    expect(await errorOf(write({ todos: 'not json' }))).toContain('"todos" must be an array of {content, status}');
    expect(await errorOf(write({ todos: [{ status: 'pending' }] }))).toContain('todos.0.content');
    expect(await errorOf(write({ todos: [{ content: '  ', status: 'pending' }] }))).toContain('a non-empty string');
    expect(await errorOf(write({}))).toBe('todo_write: "todos" is missing; it must be given (type: array)');
    expect(list.items).toEqual([{ content: 'keep', status: 'pending' }]);
  });
});

describe('createTools', () => {
  const tools = createTools({ processes: createProcesses(), todos: { items: [] } });

  it('lists the tools with plain JSON schemas', () => {
    expect(tools.map(({ name }) => name)).toEqual([
      'bash',
      'read_file',
      'write_file',
      'edit_file',
      'glob',
      'grep',
      'todo_write',
    ]);
    for (const { inputSchema } of tools) {
      expect(JSON.parse(JSON.stringify(inputSchema))).toEqual(inputSchema);
      expect(inputSchema).toMatchObject({ type: 'object' });
    }
    expect(tools.map(({ inputSchema }) => inputSchema.required)).toEqual([
      ['command'],
      ['path'],
      ['path', 'content'],
      ['path', 'old_text', 'new_text'],
      ['pattern'],
      ['pattern'],
      ['todos'],
    ]);
  });

  it.each([undefined, null, 5, 'x', [], { path: {} }, { command: [] }, { pattern: 1 }, { todos: 1 }])(
    'no tool throws for %j',
    async (input) => {
      for (const tool of tools) {
        expect(tool.access(input)).toEqual([{ kind: 'none' }]);
        expect(await errorOf(runner(tool, tempFolder())(input))).toContain(tool.name);
      }
    },
  );
});
