/** The process that is ended: puts numbered texts one after the other and says each that is stored, until somebody ends it. */
import { writeSync } from 'node:fs';
import { contentAddress } from '../../src/core/archive.ts';
import { sha256Hex } from '../../src/core/sha256.ts';
import { type Kind, numbered, openKind } from './kinds.ts';

const [kind, folder = '', from = '0', count = '1'] = process.argv.slice(2);

async function main(): Promise<void> {
  const archive = await openKind(kind as Kind, folder);
  for (let number = Number(from); number < Number(from) + Number(count); number += 1) {
    const text = numbered(number);
    try {
      await archive.put(contentAddress(text, sha256Hex), text, { tool: 'bash', path: `src/file${number}.ts` });
      writeSync(1, `stored ${number}\n`);
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      writeSync(1, `failed ${number} ${code} ${message}\n`);
    }
  }
}

await main();
