/** Reminds the model of a task list it stopped keeping. Counts only; the caller puts the text before the model. */
import type { TodoList } from './todo-write.ts';

export interface TodoNagOptions {
  /** Rounds without `todo_write` until a reminder. 1 or more. @default 3 (the teaching system's) */
  readonly everyRounds?: number;
}

export interface TodoNag {
  /** After each batch, with the names of its calls: the reminder that is due, if any. */
  afterBatch(names: readonly string[], todos: TodoList): string | undefined;
}

export const DEFAULT_TODO_NAG: Required<TodoNagOptions> = { everyRounds: 3 };

/** Items named in a reminder; the model has the list itself. */
const MAX_NAMED_CHARS = 100;

export function createTodoNag(options: TodoNagOptions = {}): TodoNag {
  const { everyRounds } = { ...DEFAULT_TODO_NAG, ...options };
  let rounds = 0;
  return {
    afterBatch(names, { items }) {
      const open = items.filter(({ status }) => status !== 'completed');
      rounds = names.includes('todo_write') || open.length === 0 ? 0 : rounds + 1;
      if (rounds < everyRounds) return undefined;
      rounds = 0;
      const current = open.find(({ status }) => status === 'in_progress') ?? open[0];
      const next = (current?.content ?? '').slice(0, MAX_NAMED_CHARS).toWellFormed();
      return `Reminder: your task list has not been updated for ${everyRounds} rounds. ${open.length} of ${items.length} tasks are open, the current one is: ${next}. Bring it up to date with todo_write if it no longer says where you are.`;
    },
  };
}
