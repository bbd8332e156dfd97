/** Earlier prompts, kept over sessions in the user's own folder, for the owner's eyes only. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Prompts read back; the editor keeps a hundred. */
const READ_BACK = 100;
/** The file is cut to what is read back once it is larger than this. */
const MOST_BYTES = 1_000_000;
/** A pasted file is no prompt to come back to. */
const MOST_CHARS = 10_000;

export interface PromptHistory {
  /** Oldest first. */
  readonly prompts: readonly string[];
  /** A prompt that begins with a space is not kept, as in a shell. */
  add(prompt: string): void;
}

function parse(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}

function read(path: string): readonly string[] {
  try {
    const text = readFileSync(path, 'utf8');
    const prompts = text.split('\n').flatMap(parse).slice(-READ_BACK);
    if (text.length > MOST_BYTES) writeFileSync(path, prompts.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return prompts;
  } catch {
    return [];
  }
}

/** The folder of settings and the one it is in; Node's recursive form never ends where neither can be made. */
function makeParents(path: string): void {
  const folder = dirname(path);
  for (const one of [dirname(folder), folder]) if (!existsSync(one)) mkdirSync(one, { mode: 0o700 });
}

/** A history that cannot be read or written is an empty one: it is a comfort, not a record. */
export function openHistory(path: string): PromptHistory {
  return {
    prompts: read(path),
    add(prompt) {
      if (prompt.startsWith(' ') || prompt.length > MOST_CHARS) return;
      try {
        makeParents(path);
        appendFileSync(path, `${JSON.stringify(prompt)}\n`, { mode: 0o600 });
      } catch {
        // A folder that may not be written to is no reason to bother anyone.
      }
    },
  };
}
