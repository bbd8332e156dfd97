/** An image of the workspace as a piece of a user message. */
import type { UserPiece } from '../providers/provider.ts';
import { openConfined } from '../workspace/confined-files.ts';
import { quote, type Workspace } from '../workspace/workspace.ts';

export type ReadImage =
  | { readonly ok: true; readonly piece: UserPiece; readonly path: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: string };

/**
 * Anthropic's limit for one image ("image exceeds 5 MB maximum: … bytes > 5242880 bytes"), counted on the base64 text; OpenAI takes more.
 * Base64 characters.
 */
const MAX_BASE64_CHARS = 5 * 1024 * 1024;
/** The same in bytes of the file. */
export const MAX_IMAGE_BYTES: number = (MAX_BASE64_CHARS / 4) * 3;

/** The formats both vendors take, by their first bytes; the name of a file proves nothing. */
const SIGNATURES: readonly { readonly mediaType: string; readonly matches: (start: Buffer) => boolean }[] = [
  {
    mediaType: 'image/png',
    matches: (start) => start.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  },
  { mediaType: 'image/jpeg', matches: (start) => start.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  { mediaType: 'image/gif', matches: (start) => /^GIF8[79]a/.test(start.toString('latin1', 0, 6)) },
  {
    mediaType: 'image/webp',
    matches: (start) => /^RIFF[^]{4}WEBP/.test(start.toString('latin1', 0, 12)),
  },
];

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  ENOTFILE: 'is not a regular file',
  EACCES: 'may not be read',
  EMOVED: 'was moved or replaced while it was opened',
};

/** Whether a path names an image by its ending: what a user drops into a message. */
export function looksLikeImage(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

/** Reads an image below the workspace: PNG, JPEG, GIF or WebP, at most `MAX_IMAGE_BYTES`. */
export async function readImage(path: string, workspace: Workspace): Promise<ReadImage> {
  const resolved = workspace.resolve(path, 'read');
  if (!resolved.ok) return { ok: false, reason: resolved.reason };
  const opened = await openConfined(resolved.path);
  const name = quote(resolved.relative);
  if (!opened.ok) return { ok: false, reason: `${name} ${REASONS[opened.code] ?? `cannot be read (${opened.code})`}` };
  try {
    if (opened.sizeBytes > MAX_IMAGE_BYTES) {
      return {
        ok: false,
        reason: `${name} has ${opened.sizeBytes} bytes; images may have ${MAX_IMAGE_BYTES}. Make it smaller`,
      };
    }
    const content = await opened.handle.readFile();
    const mediaType = SIGNATURES.find(({ matches }) => matches(content))?.mediaType;
    if (mediaType === undefined) return { ok: false, reason: `${name} is no PNG, JPEG, GIF or WebP image` };
    const piece = { mediaType, base64: content.toString('base64') };
    return { ok: true, piece, path: resolved.relative, bytes: content.length };
  } catch (error) {
    return { ok: false, reason: `${name} cannot be read (${error instanceof Error ? error.message : String(error)})` };
  } finally {
    await opened.handle.close();
  }
}
