/** Texts of the kinds an agent's window is made of, cut into pieces of a message's length. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DATA, ROOT, sessionCorpus, textOf } from './corpus.ts';
import { seeded } from './random.ts';

const DIALOGUES = join(DATA, 'tau-bench', 'airline-60.json');

interface Trial {
  readonly traj: readonly { readonly role: string; readonly content?: string | null }[];
}

/** What customers and agents say to each other; this repository's pages where there is no record of any. */
function english(): string {
  if (!existsSync(DIALOGUES)) return textOf('.', ['.md']);
  const trials = JSON.parse(readFileSync(DIALOGUES, 'utf8')) as readonly Trial[];
  const said = trials.flatMap(({ traj }) =>
    traj.flatMap(({ role, content }) => (role === 'user' || role === 'assistant' ? [content ?? ''] : [])),
  );
  return [...new Set(said)].join('\n');
}

/** The compiler's messages: the one larger Chinese text that every installation has. */
function chinese(): string {
  const compiler = dirname(createRequire(import.meta.url).resolve('typescript'));
  const messages = readFileSync(join(compiler, 'zh-cn', 'diagnosticMessages.generated.json'), 'utf8');
  return Object.values(JSON.parse(messages) as Record<string, string>).join('\n');
}

const LEVELS = ['INFO', 'INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR'] as const;
const PARTS = ['http', 'worker', 'db.pool', 'cache', 'scheduler', 'auth'] as const;
const EVENTS = [
  'request completed',
  'connection reset by peer',
  'retrying after timeout',
  'job finished',
  'slow query',
  'token refreshed',
] as const;

/** Lines as services write them: time, level, part, event, numbers and identifiers. */
function logs(lines = 4_000): string {
  const next = seeded(3);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const hex = (digits: number): string =>
    Math.floor(next() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return Array.from({ length: lines }, (_, index) => {
    const time = new Date(1_750_000_000_000 + index * 137 + Math.floor(next() * 90)).toISOString();
    const path = `/api/v2/${pick(['orders', 'users', 'sessions'])}/${Math.floor(next() * 1e6)}`;
    return `${time} ${pick(LEVELS).padEnd(5)} [${pick(PARTS)}] ${pick(EVENTS)} path=${path} status=${pick([200, 201, 404, 500])} duration_ms=${Math.floor(next() * 4_000)} trace=${hex(8)}${hex(8)}`;
  }).join('\n');
}

/** Each kind and its text. */
export const KINDS: Readonly<Record<string, () => string>> = {
  English: english,
  code: () => textOf('packages', ['.ts']),
  JSON: () => readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  Chinese: chinese,
  logs,
  session: () => sessionCorpus().text,
};

/** Characters of all pieces of a kind, and of one. */
const KIND_CHARS = 400_000;
const PIECE_CHARS = 2_000;

/** The pieces of a kind, in order: from lines to lines of about 2,000 characters each. */
export function piecesOf(kind: string): readonly string[] {
  const make = KINDS[kind];
  if (make === undefined) throw new RangeError(`no kind ${kind}; there are ${Object.keys(KINDS).join(', ')}`);
  const pieces: string[] = [];
  let piece = '';
  for (const line of make().slice(0, KIND_CHARS).split('\n')) {
    piece += `${line}\n`;
    if (piece.length < PIECE_CHARS) continue;
    pieces.push(piece);
    piece = '';
  }
  return pieces;
}
