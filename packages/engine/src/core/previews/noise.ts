/** What a terminal would not show: escapes, what a carriage return or a backspace overwrote. One pass; nothing that is text is lost but progress. */
import { alarmOf } from './alarms.ts';

const ESC = 0x1b;
const BEL = 0x07;
/** Longest control string that is looked for an end of: what is not closed by then is text. */
const MAX_STRING_CHARS = 2_048;

/** Index behind the escape sequence that begins at `at`. */
function escapeEnd(text: string, at: number): number {
  const kind = text.charCodeAt(at + 1);
  if (kind === 0x5b) return sequenceEnd(text, at + 2);
  if (kind === 0x5d || kind === 0x50) return stringEnd(text, at + 2);
  // Two characters, with a third where the second names a set of characters.
  if (kind >= 0x28 && kind <= 0x2b) return Math.min(text.length, at + 3);
  return kind >= 0x30 && kind <= 0x7e ? at + 2 : at + 1;
}

function sequenceEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) <= 0x3f) at += 1;
  const last = text.charCodeAt(at);
  return last >= 0x40 && last <= 0x7e ? at + 1 : at;
}

/** A title or a link: up to a bell or a string terminator, on one line. */
function stringEnd(text: string, from: number): number {
  const most = Math.min(text.length, from + MAX_STRING_CHARS);
  for (let at = from; at < most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BEL) return at + 1;
    if (code === ESC) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : from;
    if (code === 0x0a) return from;
  }
  return from;
}

/** `text` without the escape sequences of terminals. */
export function withoutEscapes(text: string): string {
  let at = text.indexOf('\u001b');
  if (at < 0) return text;
  const kept: string[] = [];
  let from = 0;
  while (at >= 0) {
    kept.push(text.slice(from, at));
    from = escapeEnd(text, at);
    at = text.indexOf('\u001b', from);
  }
  kept.push(text.slice(from));
  return kept.join('');
}

function withoutBackspaces(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const char of line) {
    if (char === '\b') kept.pop();
    else kept.push(char);
  }
  return kept.join('');
}

/** What a line leaves on the screen: what stands behind its last carriage return, and whatever it said of errors before. */
function settled(line: string): string[] {
  const whole = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (!whole.includes('\r')) return [withoutBackspaces(whole)];
  const steps = whole.split('\r').map(withoutBackspaces);
  const last = steps.findLastIndex((step) => step.trim() !== '');
  return steps.filter((step, index) => index === last || alarmOf(step) > 0);
}

/** One line as a terminal shows it, and how many characters of the original it stands for. */
export interface VisibleLine {
  readonly line: string;
  readonly chars: number;
}

/** The lines of `text` as a terminal shows them. */
export function visibleLines(text: string): readonly VisibleLine[] {
  const lines: VisibleLine[] = [];
  for (const raw of text.split('\n')) {
    let rest = raw.length + 1;
    const shown = settled(withoutEscapes(raw));
    const last = shown.pop() ?? '';
    for (const line of shown) {
      lines.push({ line, chars: line.length });
      rest -= line.length;
    }
    lines.push({ line: last, chars: rest });
  }
  return lines;
}
