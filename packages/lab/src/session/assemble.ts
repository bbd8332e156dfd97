/** From what a log says, in order, to messages that could be sent: results beside their calls, every call answered. */
import type { Usage } from '@holdover/engine';
import { textOf } from './json.ts';
import type {
  Block,
  LineProblem,
  Message,
  RecordedCall,
  RecordedCompaction,
  RecordedSession,
  SessionFormat,
} from './recorded.ts';

/** One thing a log says. */
export type LogItem =
  | { readonly kind: 'user'; readonly blocks: readonly Block[] }
  | { readonly kind: 'result'; readonly line: number; readonly callId: string; readonly block: Block }
  | {
      readonly kind: 'reply';
      readonly blocks: readonly Block[];
      readonly atMs: number;
      readonly model: string;
      readonly usage: Usage | undefined;
    }
  | { readonly kind: 'compaction'; readonly atMs: number; readonly tokensBefore: number | undefined };

type Result = Extract<LogItem, { kind: 'result' }>;
type Reply = Extract<LogItem, { kind: 'reply' }>;

export interface Log {
  readonly format: SessionFormat;
  readonly items: readonly LogItem[];
  readonly problems: readonly LineProblem[];
}

interface Draft {
  readonly messages: Message[];
  readonly calls: RecordedCall[];
  readonly compactions: RecordedCompaction[];
  readonly problems: LineProblem[];
  /** Results of the newest reply that are not answered yet, by the id of their call. */
  open: Map<string, Block>;
}

/**
 * The session a log tells of. Reasoning is left out: its signature binds it to the prompt of then, and providers drop it from the turns before. The results of one reply become one user message directly behind it. A call without a result, as an interrupted reply
 * leaves it, is left out; a result without a call is a problem; of two results of one call the last counts.
 */
export function assemble({ format, items, problems }: Log): RecordedSession {
  const draft: Draft = { messages: [], calls: [], compactions: [], problems: [...problems], open: new Map() };
  items.forEach((item, index) => {
    if (item.kind === 'reply') addReply(draft, item, resultsBehind(items, index));
    else if (item.kind === 'user' && item.blocks.length > 0)
      draft.messages.push({ role: 'user', content: item.blocks });
    else if (item.kind === 'result') noteResult(draft, item);
    else if (item.kind === 'compaction')
      draft.compactions.push({ at: draft.messages.length, atMs: item.atMs, tokensBefore: item.tokensBefore });
  });
  const { messages, calls, compactions } = draft;
  return { format, messages, calls, compactions, problems: draft.problems.sort((a, b) => a.line - b.line) };
}

/** Results between a reply and the next, by the id of their call. */
function resultsBehind(items: readonly LogItem[], reply: number): Map<string, Block> {
  const found = new Map<string, Block>();
  for (let index = reply + 1; index < items.length; index += 1) {
    const item = items[index];
    if (item?.kind === 'reply') break;
    if (item?.kind === 'result') found.set(item.callId, item.block);
  }
  return found;
}

const REASONING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

function callIdOf(block: Block): string | undefined {
  return block.type === 'tool_use' ? String(block['id']) : undefined;
}

function addReply(draft: Draft, reply: Reply, results: ReadonlyMap<string, Block>): void {
  const ids = new Set<string>();
  const reasoning = reply.blocks.flatMap((block) => textOf(block['thinking']) || []).join('\n');
  const blocks = reply.blocks.filter((block) => {
    if (REASONING.has(block.type)) return false;
    const id = callIdOf(block);
    if (id === undefined) return true;
    const isGood = results.has(id) && !ids.has(id);
    if (isGood) ids.add(id);
    return isGood;
  });
  const promptLength = draft.messages.length;
  const { atMs, model, usage } = reply;
  draft.calls.push({ promptLength, hasReply: blocks.length > 0, atMs, model, usage, reasoning });
  if (blocks.length > 0) draft.messages.push({ role: 'assistant', content: blocks });
  const answers = [...ids].map((id) => [id, results.get(id) as Block] as const);
  if (answers.length > 0) draft.messages.push({ role: 'user', content: answers.map(([, block]) => block) });
  draft.open = new Map(answers);
}

/** The results of the newest reply stand behind it already; any other answers nothing. */
function noteResult({ open, problems }: Draft, { line, callId }: Result): void {
  if (!open.has(callId)) problems.push({ line, what: `a result of ${callId}, which no call before it has` });
}
