/** `@file` in a prompt: the file's text goes along as a piece of its own; a picture as a picture. */
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { UserPiece } from '@holdover/agent';
import { bytes, plural } from '../text/numbers.ts';

/** A larger file is named, not sent: the model reads the parts it needs. */
const MOST_BYTES = 100_000;
const MOST_PICTURE_BYTES = 5_000_000;

const PICTURES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

export interface Mentions {
  /** The prompt first, then what it mentions. */
  readonly pieces: readonly UserPiece[];
  /** One line for each file. */
  readonly notes: readonly string[];
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

function pictureOf(name: string, mediaType: string, content: Buffer): Mentioned {
  return {
    piece: { mediaType, base64: content.toString('base64') },
    note: `@${name}  picture, ${bytes(content.length)}`,
  };
}

/** A tag the text does not end: what stands behind the file would pass for the user's own words. */
function tagFor(text: string): string {
  for (let number = 1; ; number += 1) {
    const tag = number === 1 ? 'file' : `file-${number}`;
    if (!text.includes(`</${tag}`)) return tag;
  }
}

function textOf(name: string, content: Buffer): Mentioned {
  if (content.includes(0)) return { note: `@${name}  is a binary file; only its name goes along` };
  const text = content.toString('utf8');
  const lines = text === '' ? 0 : text.trimEnd().split('\n').length;
  const tag = tagFor(text);
  const piece = `<${tag} path=${JSON.stringify(name)}>\n${text}\n</${tag}>`;
  return { piece, note: `@${name}  ${plural(lines, 'line')}` };
}

/** As much as was looked at before, and not through a link that was put there since. */
async function contentOf(path: string, sizeBytes: number): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const room = Buffer.alloc(sizeBytes);
    const { bytesRead } = await file.read(room, 0, sizeBytes, 0);
    return room.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Only what lies in the folder, links followed: a prompt that was pasted must not send a key file along. */
async function mention(name: string, folder: string): Promise<Mentioned | undefined> {
  const path = await realpath(resolve(folder, name)).catch(() => undefined);
  if (path === undefined) return undefined;
  const inside = relative(await realpath(folder), path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    return { note: `@${name}  lies outside the folder; only its name goes along` };
  const { size, ...info } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
  if (!info.isFile) return { note: `@${name}  is a folder; only its name goes along` };
  const mediaType = PICTURES[extname(path).toLowerCase()];
  if (size > (mediaType === undefined ? MOST_BYTES : MOST_PICTURE_BYTES))
    return { note: `@${name}  has ${bytes(size)}; only its name goes along` };
  const content = await contentOf(path, size);
  return mediaType === undefined ? textOf(name, content) : pictureOf(name, mediaType, content);
}

/** Words behind an `@` that name no file are left as they are. */
export async function expandMentions(prompt: string, folder: string): Promise<Mentions> {
  const found = await Promise.all(mentionsIn(prompt).map((name) => mention(name, folder)));
  const known = found.filter((one) => one !== undefined);
  return {
    pieces: [prompt, ...known.flatMap(({ piece }) => (piece === undefined ? [] : [piece]))],
    notes: known.map(({ note }) => note),
  };
}
