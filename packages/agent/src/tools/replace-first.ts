/** Replacing the first exact occurrence of a text, by position and with Windows line ends in mind. */

export interface Replaced {
  readonly text: string;
  /** Line of the first occurrence, from 1. */
  readonly line: number;
  readonly occurrences: number;
}

/** Undefined where `oldText` does not occur. */
export function replaceFirst(text: string, oldText: string, newText: string): Replaced | undefined {
  return spliceFirst(text, oldText, newText) ?? spliceWithCrlf(text, oldText, newText);
}

/** A model writes plain line feeds; in a file with Windows line ends they stand for the file's own. */
function spliceWithCrlf(text: string, oldText: string, newText: string): Replaced | undefined {
  if (!text.includes('\r\n') || oldText.includes('\r')) return undefined;
  return spliceFirst(text, toCrlf(oldText), toCrlf(newText));
}

/** By position: a replacement pattern such as `$&` in the new text has no meaning here. */
function spliceFirst(text: string, oldText: string, newText: string): Replaced | undefined {
  const start = text.indexOf(oldText);
  if (start === -1) return undefined;
  return {
    text: text.slice(0, start) + newText + text.slice(start + oldText.length),
    line: countOf(text.slice(0, start), '\n') + 1,
    occurrences: countOf(text, oldText),
  };
}

function toCrlf(text: string): string {
  return text.split('\r\n').join('\n').split('\n').join('\r\n');
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
