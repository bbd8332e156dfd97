/** A session's earlier messages as blocks, for going on with it. */
import { type Block, fixedBlock } from './blocks/block.ts';
import { hintBlock, noteBlock } from './blocks/note-block.ts';
import { replyBlock } from './blocks/reply-block.ts';
import { todoLines, toolBlock } from './blocks/tool-block.ts';
import { userBlock } from './blocks/user-block.ts';
import type { PastMessage, SessionPort } from './session/session-port.ts';
import { plural } from './text/numbers.ts';
import { sanitise } from './text/sanitise.ts';
import type { Theme } from './text/theme.ts';

/** Shown at most; what came before is said to be there. */
const MOST_MESSAGES = 40;

function pastBlocks(past: readonly PastMessage[], theme: Theme): readonly Block[] {
  const shown = past.slice(-MOST_MESSAGES);
  const results = new Map(past.flatMap((message) => message.results.map((result) => [result.callId, result] as const)));
  const blocks = shown.flatMap((message): readonly Block[] => {
    if (message.speaker === 'user') return message.text.trim() === '' ? [] : [userBlock(message.text, theme)];
    const tools = message.calls.map((call) => {
      const block = toolBlock(call, theme);
      const result = results.get(call.id);
      if (result !== undefined) block.end(result);
      return block;
    });
    if (message.text.trim() === '') return tools;
    const reply = replyBlock(theme);
    reply.setText(message.text);
    return [reply, ...tools];
  });
  const more = past.length - shown.length;
  return more === 0 ? blocks : [hintBlock(`… ${plural(more, 'earlier message')}`, theme), ...blocks];
}

/** The task list, where what is shown of the conversation does not say it. */
function todoBlocks(session: SessionPort, past: readonly PastMessage[], theme: Theme): readonly Block[] {
  const todos = session.todos();
  const isShown = past.slice(-MOST_MESSAGES).some(({ calls }) => calls.some(({ name }) => name === 'todo_write'));
  if (isShown || todos.every(({ status }) => status === 'completed')) return [];
  return [fixedBlock((columns) => [theme.bold('Tasks'), ...todoLines(todos, theme, columns)])];
}

/** What an opened session says of itself: what was said, what is to be done, and why it cannot be gone on with. */
export function openedBlocks(session: SessionPort, theme: Theme): readonly Block[] {
  const past = session.past();
  const { readOnly } = session;
  return [
    ...pastBlocks(past, theme),
    ...todoBlocks(session, past, theme),
    ...(readOnly === undefined
      ? []
      : [
          noteBlock([
            theme.yellow(`! ${sanitise(readOnly)}`),
            theme.dim('/export writes it to a file, /clear starts a new session'),
          ]),
        ]),
  ];
}
