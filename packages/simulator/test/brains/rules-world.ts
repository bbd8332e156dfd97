/** A small world to play tasks in: fake tools on a map of files, an archive, and the ways a context gets compacted. */

import type { Brain, SimMessage, SimPart, SimReply, SimRequest, SimTool } from '../../src/brain.ts';

export const TOOL_NAMES = [
  'bash',
  'read_file',
  'write_file',
  'edit_file',
  'glob',
  'grep',
  'todo_write',
  'compact',
  'recall',
] as const;

export type Compaction = (messages: readonly SimMessage[], archive: Archive) => readonly SimMessage[];

export interface Played {
  readonly messages: readonly SimMessage[];
  readonly replies: readonly SimReply[];
  readonly final: string;
  readonly calls: readonly { readonly name: string; readonly input: Record<string, unknown> }[];
}

export interface PlayOptions {
  readonly compaction?: Compaction;
  readonly tools?: readonly string[];
  readonly maxCalls?: number;
  readonly before?: readonly SimMessage[];
}

export interface Task extends PlayOptions {
  readonly user: string;
}

/** Everything ever answered, by address, in pages. */
export class Archive {
  readonly texts: Map<string, string> = new Map();
  readonly labels: Map<string, string> = new Map();
  readonly pageSize: number;

  constructor(pageSize = 1_000_000) {
    this.pageSize = pageSize;
  }

  store(text: string, label: string): string {
    const address = `c_${hex(text + label)}`;
    this.texts.set(address, text);
    this.labels.set(address, label);
    return address;
  }

  recall(input: Record<string, unknown>): string {
    if (typeof input.address === 'string') return this.page(input.address, Number(input.offset ?? 0));
    const query = String(input.query);
    const hits = [...this.texts].filter(
      ([address, text]) => this.labels.get(address)?.includes(query) || text.includes(query),
    );
    const lines = hits.map(([address, text]) => `${address}  ${this.labels.get(address)}  ${lineAround(text, query)}`);
    return lines.length === 0 ? '(no hits)' : `${hits.length} hits for ${query}\n${lines.join('\n')}`;
  }

  private page(address: string, offset: number): string {
    const text = this.texts.get(address);
    if (text === undefined) return `Error: no such address ${address}`;
    const end = offset + this.pageSize;
    const body = text.slice(offset, end);
    const rest = text.length - end;
    return rest > 0 ? `${body}\n(${rest} more characters: call recall again with offset ${end})` : body;
  }
}

export class World {
  readonly files: Map<string, string>;
  readonly archive: Archive;
  readonly commands: string[] = [];

  constructor(files: Record<string, string>, archive: Archive = new Archive()) {
    this.files = new Map(Object.entries(files));
    this.archive = archive;
  }

  run(name: string, input: Record<string, unknown>): string {
    const path = String(input.path ?? '');
    switch (name) {
      case 'read_file':
        return this.read(path, input.limit);
      case 'write_file':
        this.files.set(path, String(input.content));
        return `Wrote ${String(input.content).length} characters`;
      case 'edit_file':
        return this.edit(path, String(input.old_text), String(input.new_text));
      case 'glob':
        return this.glob(String(input.pattern));
      case 'grep':
        return this.grep(String(input.pattern));
      case 'bash':
        return this.bash(String(input.command));
      case 'recall':
        return this.archive.recall(input);
      default:
        return 'ok';
    }
  }

  private read(path: string, limit: unknown): string {
    const text = this.files.get(path);
    if (text === undefined) return `Error: no such file ${path}`;
    const lines = text.split('\n');
    if (typeof limit !== 'number' || limit >= lines.length) return text;
    return `${lines.slice(0, limit).join('\n')}\n(${lines.length - limit} more lines)`;
  }

  private edit(path: string, before: string, after: string): string {
    const text = this.files.get(path);
    if (text === undefined || !text.includes(before)) return `Error: text not found in ${path}`;
    this.files.set(
      path,
      text.replace(before, () => after),
    );
    return `Edited ${path}`;
  }

  private glob(pattern: string): string {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('**/', '\u0001')
      .replaceAll('*', '[^/]*')
      .replaceAll('\u0001', '(?:.*/)?');
    const found = [...this.files.keys()].filter((path) => new RegExp(`^${source}$`).test(path)).sort();
    return found.length === 0 ? '(no matches)' : found.join('\n');
  }

  private grep(pattern: string): string {
    const found = [...this.files].filter(([, text]) => text.includes(pattern)).map(([path]) => `${path}:1:${pattern}`);
    return found.length === 0 ? '(no matches)' : found.join('\n');
  }

  /** Knows what the brain's own commands look like; anything else only prints. */
  private bash(command: string): string {
    this.commands.push(command);
    const append = /(?:^|\|\| )printf '%s\\n' ((?:'(?:[^']|'\\'')*' )+)>> ('(?:[^']|'\\'')*')$/;
    const commands = command.split(/; (?=grep -qxF)/);
    if (!commands.every((one) => append.test(one))) return `ran ${command}`;
    for (const one of commands) {
      const match = append.exec(one);
      const lines = [...(match?.[1] ?? '').matchAll(/'(?:[^']|'\\'')*'(?= )/g)].map(([word]) => unquote(word));
      const path = unquote(match?.[2] ?? '');
      const text = this.files.get(path) ?? '';
      const guarded = one.startsWith('grep -qxF') && lines.every((line) => text.split('\n').includes(line));
      if (!guarded) this.files.set(path, `${text}${lines.join('\n')}\n`);
    }
    return '(no output)';
  }
}

/** Plays one user message to its end; the loop throws when the brain does not stop by itself. */
export async function play(brain: Brain, world: World, task: string | Task): Promise<Played> {
  const { user, ...options }: Task = typeof task === 'string' ? { user: task } : task;
  const compaction = options.compaction ?? ((messages) => messages);
  let messages: readonly SimMessage[] = [...(options.before ?? []), userText(user)];
  const replies: SimReply[] = [];
  const calls: { name: string; input: Record<string, unknown> }[] = [];
  for (let turn = 0; turn < (options.maxCalls ?? 120); turn++) {
    messages = compaction(messages, world.archive);
    const reply = await brain.reply(request(messages, options.tools));
    replies.push(reply);
    const parts = reply.parts.map((part, index): SimPart => withId(part, `t${turn}_${index}`));
    messages = [...messages, { role: 'assistant', parts }];
    const made = parts.filter((part) => part.kind === 'call');
    if (made.length === 0) return { messages, replies, calls, final: textOf(reply) };
    calls.push(...made.map(({ name, input }) => ({ name, input })));
    const results = made.map(({ id, name, input }): SimPart => {
      const text = world.run(name, input);
      return { kind: 'result', callId: id, text, isError: text.startsWith('Error') };
    });
    messages = [...messages, { role: 'user', parts: results }];
  }
  throw new Error('the brain did not come to an end');
}

export function request(messages: readonly SimMessage[], tools: readonly string[] = TOOL_NAMES): SimRequest {
  return {
    profile: 'anthropic',
    model: 'rules',
    system: 'You are a coding agent. Context may be summarised; you should work on.',
    messages,
    tools: tools.map((name): SimTool => ({ name, description: name })),
    maxOutputTokens: 1_000,
  };
}

export function userText(...texts: string[]): SimMessage {
  return { role: 'user', parts: texts.map((text): SimPart => ({ kind: 'text', text })) };
}

export function assistantText(text: string): SimMessage {
  return { role: 'assistant', parts: [{ kind: 'text', text }] };
}

export function textOf(reply: SimReply): string {
  return reply.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

export function callsOf(reply: SimReply): { name: string; input: Record<string, unknown> }[] {
  return reply.parts.flatMap((part) => (part.kind === 'call' ? [{ name: part.name, input: part.input }] : []));
}

/** All results but the newest three become one-line placeholders that name an address. */
export const placeholders: Compaction = (messages, archive) => {
  const results = messages.flatMap((message) => message.parts.filter((part) => part.kind === 'result'));
  const fresh = new Set([...results.slice(-3), ...(messages.at(-1)?.parts ?? [])]);
  return mapParts(messages, (part) => {
    if (part.kind !== 'result' || fresh.has(part) || part.text.length <= 20 || part.text.startsWith('[Earlier'))
      return part;
    const address = archive.store(part.text, labelOf(messages, part.callId));
    return { ...part, text: `[Earlier tool result compacted. recall: ${address}]` };
  });
};

/** Results over the size are kept elsewhere as soon as they arrive. */
export function persistOver(size: number): Compaction {
  return (messages, archive) =>
    mapParts(messages, (part) => {
      if (part.kind !== 'result' || part.text.length <= size || part.text.startsWith('<persisted')) return part;
      const label = labelOf(messages, part.callId);
      if (label.startsWith('recall')) return part;
      const address = archive.store(part.text, label);
      const preview = part.text.slice(0, 60);
      return { ...part, text: `<persisted-output>\nrecall: ${address}\nPreview:\n${preview}\n</persisted-output>` };
    });
}

/** First three and newest `tail` messages stay, never parting a call from its answer. */
export function dropMiddle(tail: number): Compaction {
  return (messages, archive) => {
    let start = messages.length - tail;
    if (messages[start]?.role === 'user') start--;
    if (start <= 4) return messages;
    store(messages, archive);
    const dropped = start - 3;
    const marker = `[snipped ${dropped} messages from conversation middle] recall: h_3-${start}_${hex(String(dropped))}`;
    return merge([...messages.slice(0, 3), userText(marker), ...messages.slice(start)]);
  };
}

/** From `limit` messages on, one user message replaces all; `write` makes the summary from what was there. */
export function summaryAt(limit: number, write: (messages: readonly SimMessage[]) => string, keep = 0): Compaction {
  return (messages, archive) => {
    if (messages.length < limit) return messages;
    store(messages, archive);
    let start = messages.length - keep;
    if (keep > 0 && messages[start]?.role === 'user') start--;
    const head = keep > 0 ? '[Reactive compact]' : '[Compacted]';
    const tail = keep > 0 ? messages.slice(start) : [];
    return [userText(`${head}\n\n${write(messages)}`, newestUserText(messages)), ...tail];
  };
}

/** What a summary by code might say: the newest thing the assistant said. */
export function lastSaid(messages: readonly SimMessage[]): string {
  const texts = messages.flatMap((message) => (message.role === 'assistant' ? textsOf(message) : []));
  const before = messages.flatMap((message) => textsOf(message).filter((text) => text.startsWith('[')));
  return `The assistant was at work. Last it said:\n${texts.at(-1) ?? before.at(-1) ?? 'nothing'}`;
}

export function inTurn(...compactions: Compaction[]): Compaction {
  return (messages, archive) => compactions.reduce((current, compact) => compact(current, archive), messages);
}

function newestUserText(messages: readonly SimMessage[]): string {
  const texts = messages.flatMap((message) => (message.role === 'user' ? textsOf(message) : []));
  return texts.findLast((text) => !text.startsWith('[')) ?? '';
}

function textsOf(message: SimMessage): string[] {
  return message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
}

function store(messages: readonly SimMessage[], archive: Archive): void {
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.kind === 'text' && /Task [0-9a-f]{4}/.test(part.text)) archive.store(part.text, 'assistant');
    if (part.kind === 'result' && !/^(?:\[Earlier|<persisted)/.test(part.text)) {
      const label = labelOf(messages, part.callId);
      if (!label.startsWith('recall')) archive.store(part.text, label);
    }
  }
}

function labelOf(messages: readonly SimMessage[], callId: string): string {
  const parts = messages.flatMap((message) => message.parts);
  const call = parts.find((part) => part.kind === 'call' && part.id === callId);
  return call?.kind === 'call' ? `${call.name} ${JSON.stringify(call.input)}` : 'result';
}

function mapParts(messages: readonly SimMessage[], change: (part: SimPart) => SimPart): SimMessage[] {
  return messages.map((message) => ({ ...message, parts: message.parts.map(change) }));
}

function merge(messages: readonly SimMessage[]): SimMessage[] {
  const merged: SimMessage[] = [];
  for (const message of messages) {
    const before = merged.at(-1);
    if (before?.role === message.role)
      merged[merged.length - 1] = { ...before, parts: [...before.parts, ...message.parts] };
    else merged.push(message);
  }
  return merged;
}

function withId(part: SimReply['parts'][number], id: string): SimPart {
  return part.kind === 'call' ? { kind: 'call', id, name: part.name, input: part.input } : part;
}

function unquote(word: string): string {
  return word.slice(1, -1).replaceAll("'\\''", "'");
}

function lineAround(text: string, query: string): string {
  const line = text.split('\n').find((one) => one.includes(query));
  return (line ?? text.slice(0, 60)).replaceAll('\n', ' ').slice(0, 160);
}

function hex(text: string): string {
  let high = 7;
  let low = 11;
  for (const char of text) {
    high = (Math.imul(high, 31) + char.charCodeAt(0)) >>> 0;
    low = (Math.imul(low, 131) ^ char.charCodeAt(0)) >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
