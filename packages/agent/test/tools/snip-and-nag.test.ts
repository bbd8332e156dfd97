import { describe, expect, it } from 'vitest';
import { createSnipTool, type SnipRequest } from '../../src/tools/snip.ts';
import { createTodoNag } from '../../src/tools/todo-nag.ts';
import type { TodoStatus } from '../../src/tools/todo-write.ts';
import { tempFolder } from '../workspace/temp-folder.ts';
import { errorOf, runner, textOf } from './context.ts';

describe('snip', () => {
  it('asks for it with the turns to keep, and touches nothing', async () => {
    const asked: SnipRequest[] = [];
    const tool = createSnipTool((request) => asked.push(request));
    const snip = runner(tool, tempFolder());
    expect(await textOf(snip({ keep_turns: 3 }))).toBe(
      'Finished turns will be taken out of view before the next step.',
    );
    await textOf(snip({}));
    await textOf(snip({ keep_turns: null }));
    expect(await errorOf(snip({ keep_turns: 0 }))).toBe('snip: "keep_turns" must be an integer of at least 1; got 0');
    expect(asked).toEqual([{ keepTurns: 3 }, {}, {}]);
    expect(tool.access({})).toEqual([{ kind: 'none' }]);
  });
});

describe('the todo nag', () => {
  const list = (...statuses: readonly TodoStatus[]) => ({
    items: statuses.map((status, n) => ({ content: `task ${n}`, status })),
  });

  it('comes after three rounds without todo_write, then after three more', () => {
    const nag = createTodoNag();
    const todos = list('completed', 'in_progress', 'pending');
    const due = Array.from({ length: 7 }, () => nag.afterBatch(['bash'], todos) !== undefined);
    expect(due).toEqual([false, false, true, false, false, true, false]);
  });

  it('says what is open', () => {
    const nag = createTodoNag({ everyRounds: 1 });
    expect(nag.afterBatch([], list('completed', 'pending', 'in_progress'))).toBe(
      'Reminder: your task list has not been updated for 1 rounds. 2 of 3 tasks are open, the current one is: task 2. Bring it up to date with todo_write if it no longer says where you are.',
    );
  });

  it('begins to count anew with todo_write', () => {
    const nag = createTodoNag();
    const todos = list('pending');
    nag.afterBatch(['bash'], todos);
    nag.afterBatch(['bash'], todos);
    expect(nag.afterBatch(['read_file', 'todo_write'], todos)).toBeUndefined();
    expect(nag.afterBatch(['bash'], todos)).toBeUndefined();
    expect(nag.afterBatch(['bash'], todos)).toBeUndefined();
    expect(nag.afterBatch(['bash'], todos)).toBeDefined();
  });

  it('is silent without a list, and when all of it is done', () => {
    const nag = createTodoNag({ everyRounds: 1 });
    expect(nag.afterBatch(['bash'], list())).toBeUndefined();
    expect(nag.afterBatch(['bash'], list('completed', 'completed'))).toBeUndefined();
  });
});
