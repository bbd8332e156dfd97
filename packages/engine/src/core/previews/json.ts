/** JSON, whole or line by line: its shape, the first record and the last. */
import { headOf } from '../layers/marker.ts';
import { alarmOf } from './alarms.ts';
import { shapeLines, shapeOf } from './json-shape.ts';

/** A text read as JSON. */
export interface JsonText {
  /** The records of an array or of JSON lines; the value alone otherwise. */
  readonly records: readonly unknown[];
  readonly form: 'array' | 'lines' | 'value';
  /** Lines that could not be read. */
  readonly broken: number;
}

/** Depth to which records are written out. */
const MAX_WRITTEN_DEPTH = 8;

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Lines looked at before a text is taken for JSON line by line. */
const PROBED_LINES = 5;

function isBraced(line: string): boolean {
  const trimmed = line.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}');
}

function jsonLines(text: string): JsonText | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const probe = lines.slice(0, PROBED_LINES);
  if (lines.length < 3 || !probe.every(isBraced)) return undefined;
  const records: unknown[] = [];
  let broken = 0;
  for (const line of lines) {
    const read = parsed(line);
    if (read === undefined || !isContainer(read.value)) broken += 1;
    else records.push(read.value);
  }
  return broken * 10 > lines.length ? undefined : { records, form: 'lines', broken };
}

/** `text` as JSON, or undefined where it is none. */
export function readJson(text: string): JsonText | undefined {
  const trimmed = text.trim();
  const [first, last] = [trimmed[0], trimmed.at(-1)];
  if (!((first === '{' && last === '}') || (first === '[' && last === ']'))) return undefined;
  const whole = parsed(trimmed);
  if (whole === undefined) return first === '{' ? jsonLines(trimmed) : undefined;
  if (!isContainer(whole.value)) return undefined;
  return Array.isArray(whole.value)
    ? { records: whole.value as readonly unknown[], form: 'array', broken: 0 }
    : { records: [whole.value], form: 'value', broken: 0 };
}

/** Writes a value as JSON until there is no room. */
class Written {
  readonly #out: string[] = [];
  #room: number;

  constructor(maxChars: number) {
    this.#room = maxChars;
  }

  get text(): string {
    return this.#out.join('');
  }

  get isFull(): boolean {
    return this.#room <= 0;
  }

  put(text: string): void {
    const shown = headOf(text, this.#room);
    this.#out.push(shown);
    this.#room = shown.length < text.length ? 0 : this.#room - shown.length;
  }

  value(value: unknown, depth: number): void {
    if (!isContainer(value)) this.put(typeof value === 'string' ? shortString(value) : String(value));
    else if (depth >= MAX_WRITTEN_DEPTH) this.put(Array.isArray(value) ? '[…]' : '{…}');
    else if (Array.isArray(value)) this.#list(value, depth);
    else this.#record(value as object, depth);
  }

  #list(items: readonly unknown[], depth: number): void {
    this.put('[');
    for (let i = 0; i < items.length && !this.isFull; i += 1) {
      if (i > 0) this.put(', ');
      this.value(items[i], depth + 1);
    }
    this.put(']');
  }

  #record(record: object, depth: number): void {
    this.put('{');
    let isFirst = true;
    for (const [key, member] of Object.entries(record)) {
      if (this.isFull) return;
      this.put(`${isFirst ? '' : ', '}${shortString(key)}: `);
      this.value(member, depth + 1);
      isFirst = false;
    }
    this.put('}');
  }
}

const MAX_STRING_CHARS = 160;

function shortString(text: string): string {
  if (text.length <= MAX_STRING_CHARS) return JSON.stringify(text);
  const head = headOf(text, MAX_STRING_CHARS - 24);
  return `${JSON.stringify(head)}…(${text.length} characters)`;
}

function recordText(record: unknown, maxChars: number): string {
  const written = new Written(maxChars - 1);
  written.value(record, 0);
  return written.isFull ? `${written.text}…` : written.text;
}

/** Members that say that all is well: their names would make every record an alarm. */
function isAlarming(record: unknown): boolean {
  if (!isContainer(record) || Array.isArray(record)) return false;
  return Object.entries(record as object).some(([key, member]) => {
    if (/^(?:level|severity|status|lvl|type|event|message|msg)$/i.test(key)) {
      return typeof member === 'string' && alarmOf(member.slice(0, MAX_STRING_CHARS)) === 2;
    }
    return /^(?:error|err|exception|errors)$/i.test(key) && isSomething(member);
  });
}

function isSomething(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== null && value !== false && value !== 0 && value !== '';
}

const FORMS = { array: 'JSON array', lines: 'JSON lines', value: 'JSON' } as const;

/** Lines within `maxChars`, and a line that counts the rest. */
function fitted(lines: readonly string[], maxChars: number): string[] {
  const out: string[] = [];
  let room = maxChars - 32;
  for (const line of lines) {
    const shown = line.length > 240 ? `${headOf(line, 239)}…` : line;
    if (shown.length + 1 > room) break;
    out.push(shown);
    room -= shown.length + 1;
  }
  return out.length === lines.length ? out : [...out, `… ${lines.length - out.length} more lines of shape`];
}

/** Records that tell of errors, shown besides the first and the last. */
const SHOWN_ALARMS = 8;

function alarms(records: readonly unknown[], maxChars: number): string[] {
  const found = records.slice(1, -1).filter(isAlarming);
  if (found.length === 0) return [];
  const each = Math.max(80, Math.floor(maxChars / Math.min(found.length, SHOWN_ALARMS)) - 8);
  const shown = found.slice(0, Math.min(SHOWN_ALARMS, Math.floor(maxChars / each)));
  const title = `records with errors: ${found.length}${shown.length < found.length ? `, the first ${shown.length}` : ''}`;
  return [title, ...shown.map((record) => `  ${recordText(record, each)}`)];
}

/** What `json` looks like, in at most `maxChars`. */
export function jsonPreview({ records, form, broken }: JsonText, maxChars: number): string {
  const unread = broken === 0 ? '' : `, ${broken} lines that are none`;
  const title = form === 'value' ? FORMS.value : `${FORMS[form]} of ${records.length} records${unread}`;
  const room = maxChars - title.length - 64;
  const shape = fitted(shapeLines(shapeOf(records)), Math.floor(room * 0.5));
  const out = [`${title}, each value by its shape:`, ...shape];
  const rest = (): number => maxChars - out.join('\n').length - 48;
  if (form !== 'value') out.push(...alarms(records, Math.floor(rest() * 0.4)));
  const each = Math.floor(rest() / (records.length > 1 ? 2 : 1)) - 10;
  if (records.length > 0 && each > 40) out.push(`first: ${recordText(records[0], each)}`);
  if (records.length > 1 && each > 40) out.push(`last: ${recordText(records.at(-1), each)}`);
  return headOf(out.join('\n'), maxChars);
}
