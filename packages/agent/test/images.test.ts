import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { looksLikeImage, readImage } from '@holdover/agent';
import { describe, expect, it } from 'vitest';
import { createWorkspace } from '../src/workspace/workspace.ts';
import { tempFolder } from './workspace/temp-folder.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');

function folderWith(
  name: string,
  content: Buffer,
): { readonly folder: string; read(path: string): ReturnType<typeof readImage> } {
  const folder = tempFolder({});
  writeFileSync(join(folder, name), content);
  return { folder, read: (path) => readImage(path, createWorkspace(folder)) };
}

describe('reading an image', () => {
  it.each([
    ['image/png', PNG],
    ['image/jpeg', Buffer.from('ffd8ffe000', 'hex')],
    ['image/gif', Buffer.from('GIF89a..')],
    ['image/webp', Buffer.from('RIFF\x10\x00\x00\x00WEBPVP8 ', 'latin1')],
  ])('knows %s by its first bytes, whatever it is called', async (mediaType, content) => {
    const { read } = folderWith('picture.dat', content);
    expect(await read('picture.dat')).toEqual({
      ok: true,
      piece: { mediaType, base64: content.toString('base64') },
      path: 'picture.dat',
      bytes: content.length,
    });
  });

  it('refuses what is none, naming it', async () => {
    const { read } = folderWith('notes.png', Buffer.from('<svg></svg>'));
    expect(await read('notes.png')).toEqual({ ok: false, reason: '"notes.png" is no PNG, JPEG, GIF or WebP image' });
    expect(await read('missing.png')).toEqual({ ok: false, reason: '"missing.png" does not exist' });
    expect(await read('.')).toEqual({ ok: false, reason: '"." is a folder' });
  });

  it('takes an image of the largest size and none of a byte more', async () => {
    const largest = folderWith('a.png', Buffer.concat([PNG, Buffer.alloc(3_932_160 - PNG.length)]));
    expect(await largest.read('a.png')).toMatchObject({ ok: true, bytes: 3_932_160 });
    const over = folderWith('a.png', Buffer.concat([PNG, Buffer.alloc(3_932_161 - PNG.length)]));
    expect(await over.read('a.png')).toEqual({
      ok: false,
      reason: '"a.png" has 3932161 bytes; images may have 3932160. Make it smaller',
    });
  });

  it('stays in the workspace', async () => {
    const outside = tempFolder({});
    writeFileSync(join(outside, 'secret.png'), PNG);
    const { folder, read } = folderWith('a.png', PNG);
    symlinkSync(join(outside, 'secret.png'), join(folder, 'link.png'));
    expect(await read('link.png')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('outside the workspace'),
    });
    expect(await read(join(outside, 'secret.png'))).toMatchObject({ ok: false });
  });
});

it('tells images by the ending of a path', () => {
  expect(['a.PNG', 'b.jpeg', 'c.jpg', 'd.webp', 'e.gif'].every(looksLikeImage)).toBe(true);
  expect(['a.svg', 'png', 'a.png.txt'].some(looksLikeImage)).toBe(false);
});
