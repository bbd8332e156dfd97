/** Facts of a session file, read with care: the file may hold anything. */
import { MAX_TODO_ITEMS, type TodoItem } from '../tools/todo-write.ts';
import { isFields } from './read-log.ts';
import type { NewRecord } from './records.ts';

const STATUSES: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

/** A record of a fact. `title` (text) and `todos` (a list of items) have a meaning of their own; others are the host's. */
export function factRecord(name: string, value: unknown): NewRecord {
  return { type: 'fact', name, value };
}

/** The task list; empty where there is none or it has another shape. */
export function todosOf(facts: ReadonlyMap<string, unknown>): readonly TodoItem[] {
  const value = facts.get('todos');
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_TODO_ITEMS).flatMap((item: unknown) => {
    if (!isFields(item) || typeof item['content'] !== 'string' || !STATUSES.has(item['status'])) return [];
    return [{ content: item['content'], status: item['status'] as TodoItem['status'] }];
  });
}

/** The title the user gave, as it was given. */
export function titleFact(facts: ReadonlyMap<string, unknown>): string | undefined {
  const value = facts.get('title');
  return typeof value === 'string' ? value : undefined;
}
