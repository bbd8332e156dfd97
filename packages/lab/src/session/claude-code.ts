/**
 * Claude Code's session files: JSON Lines, a tree of records by `uuid` and `parentUuid`, unofficial and changing, so that a record of an unknown
 * type is passed over. One reply is several records of one block each that share `message.id`; each result of parallel calls is a record of its own.
 * Sub-agents (`isSidechain`) are left out, and what is only shown: attachments, progress, summaries of compactions.
 */
import type { Usage } from '@holdover/engine';
import { assemble, type LogItem } from './assemble.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from './json.ts';
import type { JsonLine, JsonLines } from './json-lines.ts';
import type { Block, RecordedSession } from './recorded.ts';

/** Types that stand in the tree. */
const NODES: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

/** The model a reply says it is from where the program wrote it itself. */
const NO_MODEL = '<synthetic>';

interface Tree {
  readonly nodes: readonly JsonLine[];
  readonly byUuid: ReadonlyMap<string, JsonLine>;
}

/** The first of records with the same uuid counts. */
function treeOf(lines: readonly JsonLine[]): Tree {
  const byUuid = new Map<string, JsonLine>();
  for (const line of lines) {
    const { uuid, type } = line.record;
    if (typeof uuid === 'string' && NODES.has(textOf(type)) && !byUuid.has(uuid)) byUuid.set(uuid, line);
  }
  return { nodes: [...byUuid.values()], byUuid };
}

function isTalk({ record }: JsonLine): boolean {
  return record['type'] === 'user' || record['type'] === 'assistant';
}

function isMain({ record }: JsonLine): boolean {
  return record['isSidechain'] !== true && record['teamName'] === undefined;
}

/** The newest record of the main course that was said, whose branch is the one in use. */
function leafOf({ nodes }: Tree): JsonLine | undefined {
  const talk = nodes.filter((node) => isTalk(node) && isMain(node));
  return talk.findLast(({ record }) => record['isMeta'] !== true) ?? talk.at(-1);
}

/** From the leaf to the root; over a compaction by the logical parent, since the history is readable on. */
function pathOf({ byUuid }: Tree, leaf: JsonLine | undefined): Set<JsonLine> {
  const path = new Set<JsonLine>();
  for (let at = leaf; at !== undefined && !path.has(at); ) {
    path.add(at);
    const { parentUuid, logicalParentUuid } = at.record;
    at = byUuid.get(textOf(parentUuid)) ?? byUuid.get(textOf(logicalParentUuid));
  }
  return path;
}

function blocksIn({ record }: JsonLine): readonly Block[] {
  const { content } = objectOf(record['message']);
  if (typeof content === 'string') return content.trim() === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content).filter((block): block is Block => isObject(block) && typeof block['type'] === 'string');
}

/** A reply is told by its id, or by its record where it has none. */
function replyIdOf({ record }: JsonLine): string {
  return textOf(objectOf(record['message'])['id']) || textOf(record['uuid']);
}

function resultIds(line: JsonLine): readonly string[] {
  return blocksIn(line).flatMap((block) => (block.type === 'tool_result' ? [textOf(block['tool_use_id'])] : []));
}

/** The records of the course in use, in file order: those on the path, and the siblings that parallel calls leave beside it. */
function courseOf(tree: Tree): readonly JsonLine[] {
  const path = pathOf(tree, leafOf(tree));
  const replies = new Set([...path].filter(({ record }) => record['type'] === 'assistant').map(replyIdOf));
  const ofCourse = tree.nodes.filter(
    (node) => path.has(node) || (node.record['type'] === 'assistant' && isMain(node) && replies.has(replyIdOf(node))),
  );
  const calls = new Set(
    ofCourse
      .flatMap(blocksIn)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }) => textOf(id)),
  );
  const isAnswer = (node: JsonLine): boolean =>
    node.record['type'] === 'user' && isMain(node) && resultIds(node).some((id) => calls.has(id));
  const chosen = new Set(ofCourse);
  return tree.nodes.filter((node) => chosen.has(node) || isAnswer(node));
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cacheReadTokens = numberOf(value['cache_read_input_tokens']);
  const cacheWriteTokens = numberOf(value['cache_creation_input_tokens']);
  return {
    inputTokens: numberOf(value['input_tokens']) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: numberOf(value['output_tokens']),
  };
}

/** Of the records of one reply the one with the most output has the whole usage. */
function largestUsage(records: readonly JsonLine[]): Usage | undefined {
  return records
    .flatMap(({ record }) => usageOf(objectOf(record['message'])['usage']) ?? [])
    .reduce<Usage | undefined>(
      (most, usage) => (usage.outputTokens >= (most?.outputTokens ?? 0) ? usage : most),
      undefined,
    );
}

function replyItem(records: readonly JsonLine[], atMs: number): LogItem {
  const model = textOf(objectOf(records[0]?.record['message'])['model']);
  return { kind: 'reply', blocks: records.flatMap(blocksIn), atMs, model, usage: largestUsage(records) };
}

function userItems(line: JsonLine): readonly LogItem[] {
  const { record } = line;
  if (record['isCompactSummary'] === true || record['isVisibleInTranscriptOnly'] === true) return [];
  const blocks = blocksIn(line);
  const results = blocks.flatMap((block): readonly LogItem[] =>
    block.type === 'tool_result'
      ? [{ kind: 'result', line: line.line, callId: textOf(block['tool_use_id']), block }]
      : [],
  );
  const words = blocks.filter(({ type }) => type !== 'tool_result');
  return words.length === 0 ? results : [...results, { kind: 'user', blocks: words }];
}

function compactionItem(record: JsonObject): readonly LogItem[] {
  if (record['subtype'] !== 'compact_boundary') return [];
  const { preTokens } = objectOf(record['compactMetadata']);
  const tokensBefore = typeof preTokens === 'number' ? preTokens : undefined;
  return [{ kind: 'compaction', atMs: timeOf(record['timestamp']) ?? 0, tokensBefore }];
}

function isFromModel({ record }: JsonLine): boolean {
  return record['isApiErrorMessage'] !== true && objectOf(record['message'])['model'] !== NO_MODEL;
}

export function readClaudeCode({ lines, problems }: JsonLines): RecordedSession {
  const course = courseOf(treeOf(lines));
  const replies = new Map<string, JsonLine[]>();
  for (const line of course.filter(({ record }) => record['type'] === 'assistant')) {
    const id = replyIdOf(line);
    replies.set(id, [...(replies.get(id) ?? []), line]);
  }
  // A record has the time it was whole; a request was sent when what it answers was there.
  let beforeMs: number | undefined;
  const items = course.flatMap((line): readonly LogItem[] => {
    const { record } = line;
    const sentMs = beforeMs ?? timeOf(record['timestamp']) ?? 0;
    beforeMs = timeOf(record['timestamp']) ?? beforeMs;
    if (record['type'] === 'user') return userItems(line);
    if (record['type'] === 'system') return compactionItem(record);
    if (record['type'] !== 'assistant' || !isFromModel(line)) return [];
    const records = replies.get(replyIdOf(line)) ?? [];
    return records[0] === line ? [replyItem(records, sentMs)] : [];
  });
  return assemble({ format: 'claude-code', items, problems });
}
