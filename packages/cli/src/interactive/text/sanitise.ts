/**
 * What a model, a tool or a file says, made harmless for a terminal: no escape sequence, no control character and no invisible change of
 * direction gets through. Everything foreign that is drawn goes through here first.
 */

const ESC = '\\u001b';
/** Operating system, device control and similar commands, to their end: titles, clipboard, links, images. */
const STRINGS = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c)`,
  'g',
);
/** Colours, cursor moves, modes. */
const SEQUENCES = new RegExp(`(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`, 'g');
/** The rest of the two- and three-character escapes, such as a reset of the terminal or a character set. */
const SHORT = new RegExp(`${ESC}[ -/]*[0-~]`, 'g');
/** Whatever is left of them: C0 but tab and line feed, DEL and C1. */
const C0 = '\\u0000-\\u0008\\u000b-\\u001f';
const C1 = '\\u007f-\\u009f';
const CONTROLS = new RegExp(`[${C0}${C1}]`, 'g');
/** Characters that reorder or hide the text around them: what is read would not be what is run. */
const DIRECTIONS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;

function named(character: string): string {
  return `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Text safe to draw, line feeds and tabs kept; carriage returns become line feeds. Changes of direction are named instead. */
export function sanitise(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(STRINGS, '')
    .replace(SEQUENCES, '')
    .replace(SHORT, '')
    .replace(CONTROLS, '')
    .replace(DIRECTIONS, named);
}

/** The same on one line, white space folded. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/\s+/g, ' ').trim();
}
