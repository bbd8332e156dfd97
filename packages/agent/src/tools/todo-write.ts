/** `todo_write`: the model's own task list, replaced as a whole on every call. */
import * as v from 'valibot';
import { defineTool, objectSchema } from './define-tool.ts';
import { success, type Tool } from './tool.ts';

export type TodoStatus = 'pending' | 'in_progress' | 'completed';

export interface TodoItem {
  readonly content: string;
  readonly status: TodoStatus;
}

/** Owned by the caller; the tool replaces `items` and nothing else. */
export interface TodoList {
  items: readonly TodoItem[];
}

/** A list longer than this is no longer a plan. */
export const MAX_TODO_ITEMS: number = 200;

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const MARKS: Readonly<Record<TodoStatus, string>> = { pending: '[ ]', in_progress: '[>]', completed: '[x]' };

const inputSchema = objectSchema(
  {
    todos: {
      type: 'array',
      description: 'The complete list; it replaces the previous one.',
      items: {
        type: 'object',
        properties: { content: { type: 'string' }, status: { type: 'string', enum: STATUSES } },
        required: ['content', 'status'],
      },
    },
  },
  ['todos'],
);

const itemSchema = v.object(
  {
    content: v.pipe(v.string('a string'), v.trim(), v.minLength(1, 'a non-empty string')),
    status: v.picklist(STATUSES, `one of ${STATUSES.join(', ')}`),
  },
  'an object with "content" and "status"',
);

const schema = v.object({
  todos: v.pipe(
    v.unknown(),
    v.transform(parseJsonText),
    v.array(itemSchema, 'an array of {content, status}'),
    v.maxLength(MAX_TODO_ITEMS, `at most ${MAX_TODO_ITEMS} items`),
  ),
});

export function createTodoWriteTool(list: TodoList): Tool {
  return defineTool({
    name: 'todo_write',
    description:
      'Replace your task list. Use it for work of several steps, and keep the status of each item up to date.',
    inputSchema,
    schema,
    access: () => [{ kind: 'none' }],
    async run({ todos }) {
      list.items = todos;
      return success(describe(todos), { todos });
    },
  });
}

/** Some models send the list as JSON text. Anything else is left for the schema to refuse. */
function parseJsonText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function describe(todos: readonly TodoItem[]): string {
  if (todos.length === 0) return 'the task list is empty now';
  const done = todos.filter(({ status }) => status === 'completed').length;
  const lines = todos.map(({ content, status }) => `${MARKS[status]} ${content}`);
  return [`${todos.length} tasks, ${done} completed`, ...lines].join('\n');
}
