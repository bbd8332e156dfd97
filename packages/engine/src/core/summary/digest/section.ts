/** Sections of a digest: how foreign text is quoted, how a list is fitted into its room, how room is shared out. */
import type { History, Place } from '../../history.ts';
import { headOf } from '../../layers/marker.ts';

/** One section. It is written into whatever room is left for it, honest about what did not fit. */
export interface Section {
  /** Characters it would take whole, its title included; 0 where it has nothing to say. */
  readonly need: number;
  /** The section in at most `room` characters, or '' where that is too little to say anything. */
  write(room: number): string;
}

/** A section with nothing to say. */
export const NOTHING: Section = { need: 0, write: () => '' };

/** Most characters of one quoted line. */
export const LINE_CHARS = 240;

/** One line of foreign text, as JSON so that it cannot pass for the engine's words, in at most `chars` characters or so. */
export function quoted(text: string, chars: number = LINE_CHARS): string {
  let head = headOf(text, chars);
  let json = JSON.stringify(head);
  // Escapes make JSON longer than the text: cut by what is really written.
  while (json.length > chars + 2 && head.length > 1) {
    head = headOf(head, Math.max(1, Math.floor((head.length * chars) / json.length)));
    json = JSON.stringify(head);
  }
  return json + (head.length < text.length ? ` (${text.length - head.length} characters left out)` : '');
}

/** Hex digits of the proof in an address a digest names: 16 bits tell that a rewind put another message in the place. */
const PROOF_CHARS = 4;

/** The address of one part, short: a digest has many. */
export function shortAddress(history: History, { entry, part }: Place): string {
  return `h_${entry}.${part}_${history.digest(entry, entry + 1).slice(0, PROOF_CHARS)}`;
}

/** The address of the entries `[from, to)`, short. */
export function shortRange(history: History, from: number, to: number): string {
  return `h_${from}-${to}_${history.digest(from, to).slice(0, PROOF_CHARS)}`;
}

/** A line and where its source is found. */
export interface Line {
  readonly text: string;
  readonly address?: string;
}

export function written({ text, address }: Line): string {
  return address === undefined ? `- ${text}` : `- ${text} [${address}]`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The line that says how many are missing. */
export function missingLine(count: number): string {
  return `(${count} left out)`;
}

/** Room for that line. */
const MISSING_CHARS = 20;

/**
 * A section that is a list. Given several forms of the same list, it is written in the first that fits whole; where none does, the oldest
 * lines of the last one go.
 */
export function listSection(title: string, forms: readonly (readonly Line[])[]): Section {
  const [full = []] = forms;
  if (full.length === 0) return NOTHING;
  return {
    need: title.length + lengthOf(full.map(written)),
    write(room) {
      for (const form of forms) {
        const text = [title, ...form.map(written)].join('\n');
        if (text.length <= room) return text;
      }
      const lines = (forms.at(-1) ?? []).map(written);
      let left = room - title.length - MISSING_CHARS;
      const stay = lines.toReversed().filter((line) => {
        const fits = line.length + 1 <= left;
        if (fits) left -= line.length + 1;
        return fits;
      });
      if (stay.length === 0) return '';
      return [title, missingLine(lines.length - stay.length), ...stay.toReversed()].join('\n');
    },
  };
}

/** A section and what it is sure of, as a share of all room: shares come to 1 at most. */
export interface Placed {
  readonly section: Section;
  readonly share: number;
}

/** Between sections. */
const GAP = '\n\n';

/**
 * Writes `order`, which is also the order of the text, in at most `maxChars`. Every section may take its share; what sections do not need goes
 * to those of `first`, in that order, and what is left after the writing to the last of all.
 */
export function writeSections(order: readonly Placed[], first: readonly Placed[], maxChars: number): string {
  const speaking = order.filter(({ section }) => section.need > 0);
  const usable = maxChars - GAP.length * Math.max(0, speaking.length - 1);
  const rooms = new Map(
    speaking.map((placed) => [placed, Math.min(placed.section.need, Math.floor(usable * placed.share))]),
  );
  let left = usable - [...rooms.values()].reduce((sum, room) => sum + room, 0);
  for (const placed of first) {
    const room = rooms.get(placed);
    if (room === undefined) continue;
    const more = Math.max(0, Math.min(placed.section.need - room, left));
    rooms.set(placed, room + more);
    left -= more;
  }
  const texts: string[] = [];
  for (const placed of speaking) {
    const room = (rooms.get(placed) ?? 0) + Math.max(0, left);
    const text = placed.section.write(room);
    left = room - text.length;
    if (text !== '') texts.push(text);
  }
  return texts.join(GAP);
}
