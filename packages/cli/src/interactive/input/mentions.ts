/** `@file` in a prompt: the file's text goes along as a piece of its own; a picture as a picture. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { looksLikeImage, openConfined, readImage, type UserPiece, type Workspace } from '@holdover/agent';
import { bytes, plural } from '../text/numbers.ts';

/** A larger file is named, not sent: the model reads the parts it needs. */
const MOST_BYTES = 100_000;

export interface Mentions {
  /** The prompt first, then what it mentions. */
  readonly pieces: readonly UserPiece[];
  /** One line for each file. */
  readonly notes: readonly string[];
}

/** Whose files they are, and which of them may be shown to the model: a prompt that was pasted must not send a key file along. */
export interface MentionPorts {
  readonly workspace: Workspace;
  /** Whether the rules leave this path to be read, relative to the folder. */
  readonly mayRead: (relativePath: string) => boolean;
}

/** Paths behind an `@` that begins a word; a trailing full stop or comma is the sentence's. */
export function mentionsIn(prompt: string): readonly string[] {
  const found = [...prompt.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g)];
  return [...new Set(found.map(([, quoted, plain]) => quoted ?? (plain ?? '').replace(/[.,;:!?)]+$/, '')))];
}

interface Mentioned {
  readonly piece?: UserPiece;
  readonly note: string;
}

const NAME_ONLY = 'only its name goes along';

/** A tag the text does not end: what stands behind the file would pass for the user's own words. */
function tagFor(text: string): string {
  for (let number = 1; ; number += 1) {
    const tag = number === 1 ? 'file' : `file-${number}`;
    if (!text.includes(`</${tag}`)) return tag;
  }
}

function textOf(name: string, content: Buffer): Mentioned {
  if (content.includes(0)) return { note: `@${name}  is a binary file; ${NAME_ONLY}` };
  const text = content.toString('utf8');
  const lines = text === '' ? 0 : text.trimEnd().split('\n').length;
  const tag = tagFor(text);
  const piece = `<${tag} path=${JSON.stringify(name)}>\n${text}\n</${tag}>`;
  return { piece, note: `@${name}  ${plural(lines, 'line')}` };
}

async function picture(name: string, workspace: Workspace): Promise<Mentioned> {
  const image = await readImage(name, workspace);
  if (!image.ok) return { note: `@${name}  ${NAME_ONLY}: ${image.reason}` };
  return { piece: image.piece, note: `@${name}  picture, ${bytes(image.bytes)}` };
}

/** As much as was looked at before, however the file grows meanwhile. */
async function text(name: string, path: string): Promise<Mentioned> {
  const opened = await openConfined(path);
  if (!opened.ok) return { note: `@${name}  cannot be read (${opened.code}); ${NAME_ONLY}` };
  try {
    if (opened.sizeBytes > MOST_BYTES) return { note: `@${name}  has ${bytes(opened.sizeBytes)}; ${NAME_ONLY}` };
    const room = Buffer.alloc(opened.sizeBytes);
    const { bytesRead } = await opened.handle.read(room, 0, opened.sizeBytes, 0);
    return textOf(name, room.subarray(0, bytesRead));
  } finally {
    await opened.handle.close();
  }
}

async function mention(name: string, { workspace, mayRead }: MentionPorts): Promise<Mentioned | undefined> {
  const place = workspace.resolve(name, 'read');
  const info = await stat(place.ok ? place.path : resolve(workspace.root, name)).catch(() => undefined);
  if (info === undefined) return undefined;
  if (!place.ok) return { note: `@${name}  lies outside the folder; ${NAME_ONLY}` };
  if (info.isDirectory()) return { note: `@${name}  is a folder; ${NAME_ONLY}` };
  // A rule about a link counts as well as one about what it points to.
  if (![place.relative, place.named].every((path) => mayRead(path)))
    return { note: `@${name}  may not be read without asking, by your rules; ${NAME_ONLY}` };
  return looksLikeImage(place.relative) ? picture(name, workspace) : text(name, place.path);
}

/** Words behind an `@` that name no file are left as they are. */
export async function expandMentions(prompt: string, ports: MentionPorts): Promise<Mentions> {
  const found = await Promise.all(mentionsIn(prompt).map((name) => mention(name, ports)));
  const known = found.filter((one) => one !== undefined);
  return {
    pieces: [prompt, ...known.flatMap(({ piece }) => (piece === undefined ? [] : [piece]))],
    notes: known.map(({ note }) => note),
  };
}
