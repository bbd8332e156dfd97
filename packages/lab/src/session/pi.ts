/**
 * pi's session files: JSON Lines, a header of type `session`, then entries. Two forms: older files are one course and name the first kept entry
 * of a compaction by its index; newer ones (version 2 and up) are a tree of `id` and `parentId`, whose newest entry is the leaf in use.
 */
import type { Usage } from '@holdover/engine';
import { assemble, type LogItem } from './assemble.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from './json.ts';
import type { JsonLine, JsonLines } from './json-lines.ts';
import type { Block, LineProblem, RecordedSession } from './recorded.ts';

/** The entries from the root to the newest leaf; all of them where the file has no ids. */
function course(lines: readonly JsonLine[]): readonly JsonLine[] {
  const byId = new Map(
    lines.flatMap((line) => (typeof line.record['id'] === 'string' ? [[line.record['id'], line] as const] : [])),
  );
  const leaf = lines.findLast(({ record }) => record['parentId'] !== undefined);
  if (leaf === undefined) return lines;
  const path = new Set<JsonLine>();
  for (let at: JsonLine | undefined = leaf; at !== undefined && !path.has(at); ) {
    path.add(at);
    at = byId.get(textOf(at.record['parentId']));
  }
  return [...path].reverse();
}

function contentOf(value: unknown): readonly Block[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ type: 'text', text: value }];
  return listOf(value).flatMap((item): readonly Block[] => {
    const { type, text, data, mimeType } = objectOf(item);
    if (type === 'text' && textOf(text).trim() !== '') return [{ type, text }];
    if (type === 'image') return [{ type, source: { type: 'base64', media_type: mimeType, data } }];
    return [];
  });
}

function replyBlocks(value: unknown): readonly Block[] {
  return listOf(value).flatMap((item): readonly Block[] => {
    const { type, text, id, name, arguments: input, thinking } = objectOf(item);
    if (type === 'thinking') return [{ type, thinking }];
    if (type === 'text' && textOf(text).trim() !== '') return [{ type, text }];
    return type === 'toolCall' ? [{ type: 'tool_use', id, name, input: objectOf(input) }] : [];
  });
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cacheReadTokens = numberOf(value['cacheRead']);
  const cacheWriteTokens = numberOf(value['cacheWrite']);
  return {
    inputTokens: numberOf(value['input']) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: numberOf(value['output']),
  };
}

/** A command the user ran, as words for the model. */
function commandText({ command, output, exitCode }: JsonObject): string {
  const status = typeof exitCode === 'number' && exitCode !== 0 ? `\n(exit status ${exitCode})` : '';
  return `I ran: ${textOf(command)}\n${textOf(output)}${status}`;
}

type Reading = (message: JsonObject, line: JsonLine) => readonly LogItem[];

function userText(text: string): readonly LogItem[] {
  return text.trim() === '' ? [] : [{ kind: 'user', blocks: [{ type: 'text', text }] }];
}

const BY_ROLE: Readonly<Record<string, Reading>> = {
  user: (message) => [{ kind: 'user', blocks: contentOf(message['content']) }],
  assistant: (message, { record }) => [
    {
      kind: 'reply',
      blocks: replyBlocks(message['content']),
      // The message says when the request was sent, the entry when the reply was whole.
      atMs: timeOf(message['timestamp']) ?? timeOf(record['timestamp']) ?? 0,
      model: textOf(message['model']),
      usage: usageOf(message['usage']),
    },
  ],
  toolResult: (message, { line }) => [
    {
      kind: 'result',
      line,
      callId: textOf(message['toolCallId']),
      block: {
        type: 'tool_result',
        tool_use_id: message['toolCallId'],
        content: contentOf(message['content']),
        ...(message['isError'] === true ? { is_error: true } : {}),
      },
    },
  ],
  bashExecution: (message) => (message['excludeFromContext'] === true ? [] : userText(commandText(message))),
  custom: (message) => [{ kind: 'user', blocks: contentOf(message['content']) }],
  branchSummary: (message) => userText(textOf(message['summary'])),
  // What it stands for is in the history already.
  compactionSummary: () => [],
};

/** Kinds of entry that change nothing the model sees. */
const SILENT: ReadonlySet<string> = new Set([
  'session',
  'model_change',
  'thinking_level_change',
  'label',
  'session_info',
  'custom',
]);

function itemsOf(line: JsonLine): readonly LogItem[] | undefined {
  const { record } = line;
  const type = textOf(record['type']);
  if (type === 'message') {
    const message = objectOf(record['message']);
    const role = textOf(message['role']);
    return Object.hasOwn(BY_ROLE, role) ? BY_ROLE[role]?.(message, line) : undefined;
  }
  if (type === 'compaction') {
    const tokensBefore = record['tokensBefore'];
    const atMs = timeOf(record['timestamp']) ?? 0;
    return [{ kind: 'compaction', atMs, tokensBefore: typeof tokensBefore === 'number' ? tokensBefore : undefined }];
  }
  if (type === 'branch_summary') return userText(textOf(record['summary']));
  if (type === 'custom_message') return [{ kind: 'user', blocks: contentOf(record['content']) }];
  return SILENT.has(type) ? [] : undefined;
}

export function readPi({ lines, problems }: JsonLines): RecordedSession {
  const unknown: LineProblem[] = [];
  const items = course(lines).flatMap((line) => {
    const found = itemsOf(line);
    if (found === undefined) {
      const { type, message } = line.record;
      const role = textOf(objectOf(message)['role']);
      unknown.push({ line: line.line, what: `unknown record ${textOf(type)}${role === '' ? '' : ` of ${role}`}` });
    }
    return found ?? [];
  });
  return assemble({ format: 'pi', items, problems: [...problems, ...unknown] });
}
