/**
 * Holdover's own session logs: JSON Lines of `{ v, id, parent, type }`, messages as they were on the wire (Anthropic or OpenAI Chat). A rewind takes
 * the messages behind it out of the history, as it did then. Logs of versions that wrote no times get ten seconds a message.
 */
import { isInteger, isObject, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from './json.ts';
import { assemble, type LogItem } from './assemble.ts';
import type { JsonLine, JsonLines } from './json-lines.ts';
import type { Block, RecordedSession } from './recorded.ts';
import type { Usage } from '@holdover/engine';

const ASSUMED_STEP_MS = 10_000;

/** The records from the first to the newest, by their parents; one whose parent is missing follows its neighbour. */
function branchOf(lines: readonly JsonLine[]): readonly JsonLine[] {
  const places = new Map<string, number>();
  const parents = lines.map(({ record }, index) => {
    const parent = places.get(textOf(record['parent'])) ?? index - 1;
    places.set(textOf(record['id']), index);
    return parent;
  });
  const branch: JsonLine[] = [];
  for (let index = lines.length - 1; index >= 0; index = parents[index] ?? -1) branch.push(lines[index] as JsonLine);
  return branch.reverse();
}

interface Said {
  readonly message: JsonObject;
  readonly line: JsonLine;
  readonly atMs: number;
  readonly model: string;
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: numberOf(value['inputTokens']),
    cacheReadTokens: numberOf(value['cacheReadTokens']),
    cacheWriteTokens: numberOf(value['cacheWriteTokens']),
    outputTokens: numberOf(value['outputTokens']),
  };
}

function textBlocks(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content).filter((block): block is Block => isObject(block) && typeof block['type'] === 'string');
}

function parsed(json: unknown): unknown {
  try {
    return JSON.parse(textOf(json));
  } catch {
    return {};
  }
}

/** Calls of OpenAI's format. */
function chatCalls({ tool_calls: calls }: JsonObject): readonly Block[] {
  return listOf(calls).map((call) => {
    const { id, function: named } = objectOf(call);
    const { name, arguments: input } = objectOf(named);
    return { type: 'tool_use', id, name, input: parsed(input) };
  });
}

function resultItem(line: number, callId: string, block: Block): LogItem {
  return { kind: 'result', line, callId, block };
}

/** A message is one item, or one for each result in it and one for the words. */
function itemsOf({ message, line, atMs, model }: Said): readonly LogItem[] {
  const role = textOf(message['role']);
  const blocks = textBlocks(message['content']);
  if (role === 'assistant')
    return [
      { kind: 'reply', blocks: [...blocks, ...chatCalls(message)], atMs, model, usage: usageOf(line.record['usage']) },
    ];
  if (role === 'tool') {
    const callId = textOf(message['tool_call_id']);
    return [resultItem(line.line, callId, { type: 'tool_result', tool_use_id: callId, content: message['content'] })];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block) => resultItem(line.line, textOf(block['tool_use_id']), block));
  const words = blocks.filter(({ type }) => type !== 'tool_result');
  return words.length === 0 ? results : [...results, { kind: 'user', blocks: words }];
}

function isCompaction(record: JsonObject): boolean {
  return listOf(record['groups']).some((group) => {
    const { cause, edits } = objectOf(group);
    return edits !== undefined && cause !== 'arrival' && cause !== 'repair';
  });
}

export function readHoldover({ lines, problems }: JsonLines): RecordedSession {
  const branch = branchOf(lines);
  const header = objectOf(branch.find(({ record }) => record['type'] === 'session')?.record);
  const startMs = timeOf(header['createdAt']) ?? 0;
  /** By message of the history; what was compacted stands with the message in front of it. */
  const said: LogItem[][] = [[]];
  let atMs = startMs;
  for (const line of branch) {
    const { type, message, length, at } = line.record;
    if (type === 'message' && isObject(message)) {
      const sentMs = atMs;
      atMs = timeOf(at) ?? atMs + ASSUMED_STEP_MS;
      // A reply is logged when it is whole; its request was sent when what it answers was there.
      said.push([...itemsOf({ message, line, atMs: sentMs, model: textOf(header['model']) })]);
    }
    if (type === 'rewind' && isInteger(length)) said.length = Math.min(said.length, length + 1);
    if (type === 'ledger' && isCompaction(line.record))
      said.at(-1)?.push({ kind: 'compaction', atMs, tokensBefore: undefined });
  }
  return assemble({ format: 'holdover', items: said.flat(), problems });
}
