/** A session as Markdown. What is in it cannot become structure or HTML of the page: it may have been written by anybody. */
import { titleLine } from '../shown-text.ts';
import type { ExportedCompaction, ExportedMessage, ExportedPart, Outline } from './outline.ts';

const ROLES: Readonly<Record<ExportedMessage['role'], string>> = {
  user: 'User',
  assistant: 'Assistant',
  host: 'Host',
  unreadable: 'Unreadable',
};
const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

/** Columns of the page's own title. */
const TITLE_COLUMNS = 100;
const MIN_FENCE = 3;

/** A block whose fence is longer than any run of backticks inside. */
function fenced(text: string, language = ''): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), MIN_FENCE - 1);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A short text in one line, as code. */
function code(text: string): string {
  const line = titleLine(text, TITLE_COLUMNS);
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const quote = '`'.repeat(longest + 1);
  return longest === 0 ? `${quote}${line}${quote}` : `${quote} ${line} ${quote}`;
}

/** A text without any meaning of its own in a line of the page. */
function plainLine(text: string): string {
  return titleLine(text, TITLE_COLUMNS).replaceAll(/[\\`*_[\]<>#&|~!]/g, '\\$&');
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** What may begin HTML: a tag, an end tag, a comment, a declaration, an instruction, a link in angle brackets. */
const TAG = /<(?=[A-Za-z/!?])/g;
/** A line that would pass for one of the page's own headings. */
const OWN_HEADING = /^( {0,3})(?=#{1,2}(?: |\t|$))/;

function isClosing(line: string, open: string): boolean {
  const bare = line.replace(/^ {0,3}/, '').trimEnd();
  return bare.length >= open.length && bare === (open[0] ?? '').repeat(bare.length);
}

/** A message's own Markdown: its lists and code stay, its HTML is text, its fences end with it, and no heading of it looks like the page's. */
function prose(text: string): string {
  let open: string | undefined;
  const lines = text.split('\n').map((line) => {
    if (open !== undefined) {
      if (isClosing(line, open)) open = undefined;
      return line;
    }
    open = FENCE.exec(line)?.[1];
    return open === undefined ? line.replaceAll(TAG, '\\<').replace(OWN_HEADING, '$1\\') : line;
  });
  return [...lines, ...(open === undefined ? [] : [open])].join('\n').trim();
}

function partText(part: ExportedPart): string {
  switch (part.kind) {
    case 'text':
      return prose(part.text);
    case 'reasoning':
      return part.text.trim() === '' ? '_Reasoning, not shown_' : `_Reasoning_\n\n${fenced(part.text)}`;
    case 'call':
      return `_Call of_ ${code(part.name)}\n\n${fenced(JSON.stringify(part.input, null, 2) ?? '', 'json')}`;
    case 'result': {
      const media = part.mediaCount === 0 ? '' : `, with ${part.mediaCount} pictures or pages, left out`;
      return `_${part.isError ? 'Result, an error' : 'Result'}${media}_\n\n${fenced(part.text)}`;
    }
    case 'media':
      return `_Left out:_ ${code(part.name)}`;
    case 'other':
      return `_Left out, the provider's own:_ ${code(part.name)}`;
  }
}

function messageText({ index, role, parts }: ExportedMessage): string {
  const body = parts.map(partText).filter((text) => text !== '');
  const shown = role === 'unreadable' ? ['_This message is not in the format of the session._'] : body;
  return [`## ${index + 1}. ${ROLES[role]}`, ...shown].join('\n\n');
}

function rangeText({ from, to, part }: { readonly from: number; readonly to: number; readonly part?: number }): string {
  if (part !== undefined) return `part ${part + 1} of message ${from + 1}`;
  return to - from === 1 ? `message ${to}` : `messages ${from + 1} to ${to}`;
}

function compactionText({ epoch, cause, isInForce, edits }: ExportedCompaction): string {
  const state = isInForce ? '' : ', taken back later';
  const rows = edits.flatMap(({ layer, replaced, addresses, text }) => [
    `Replaced ${rangeText(replaced)} (${plainLine(layer)}). The original: ${addresses.map(code).join(', ') || 'not kept'}.`,
    text === undefined ? '_The replacing text is not in the archive any more._' : fenced(text),
  ]);
  return [`> **Compaction ${epoch}** (${plainLine(cause)}${state})`, ...rows].join('\n\n');
}

function headText(outline: Outline): string {
  const { id, title, createdAt, provider, model, forkedFrom, damage } = outline;
  const rows = [
    `- Session: ${code(id)}`,
    `- Begun: ${code(createdAt)}`,
    `- Model: ${code(model)} (${plainLine(provider)})`,
    ...(forkedFrom === undefined ? [] : [`- Copy of: ${code(forkedFrom)}`]),
    ...(damage.length === 0 ? [] : [`- Damaged, and left out: ${damage.map(plainLine).join('; ')}`]),
  ];
  return `# ${plainLine(title) || 'A session without words'}\n\n${rows.join('\n')}`;
}

export function exportMarkdown(outline: Outline): string {
  const { messages, compactions, todos } = outline;
  const before = (index: number): readonly string[] =>
    compactions.filter(({ at }) => Math.min(at, messages.length) === index).map(compactionText);
  const tasks = todos.map(({ content, status }) => `- ${MARKS[status].replace('[', '\\[')} ${plainLine(content)}`);
  return `${[
    headText(outline),
    ...messages.flatMap((message) => [...before(message.index), messageText(message)]),
    ...before(messages.length),
    ...(tasks.length === 0 ? [] : [`## Tasks\n\n${tasks.join('\n')}`]),
  ].join('\n\n')}\n`;
}
