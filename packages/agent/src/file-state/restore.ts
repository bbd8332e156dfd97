/**
 * Rebuilds the state of files from the calls of a resumed history.
 *
 * Exact after a whole read, a write, and edits that follow one: the history has their text. Not restorable: what a file was when only a part of it
 * was read, or when it was not UTF-8. Such files become `unknown`, so that an edit is not refused for bookkeeping that was lost.
 */
import { replaceFirst } from '../tools/replace-first.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { fileDigest, type FileState } from './file-state.ts';
import type { HistoryCall } from './history-calls.ts';
import { isUnchangedStub } from './unchanged-stub.ts';

/** What the model knows of a file; undefined: it has seen some of it. */
type KnownText = string | undefined;
type Known = Map<string, KnownText>;

type Input = Readonly<Record<string, unknown>>;

/** Texts of reads that failed or never ran, where the wire format does not mark them. */
const NO_READ = /^(?:read_file(?::| was not run| failed)|The user )/;
/** U+FFFD may stand for bytes that were no UTF-8. */
const LOSSY = '\uFFFD';
/** A secret was taken out before the text was kept. */
const REDACTED = '[redacted: ';

export function restoreFileState(state: FileState, calls: readonly HistoryCall[], workspace: Workspace): void {
  const known: Known = new Map();
  for (const call of calls) {
    if (call.isError || call.input === null || typeof call.input !== 'object') continue;
    const input = call.input as Input;
    const resolved = typeof input['path'] === 'string' ? workspace.resolve(input['path'], 'read') : undefined;
    if (resolved?.ok !== true) continue;
    state.begin(call.id);
    replay({ call, input, path: resolved.path }, known, state);
  }
}

interface Replayed {
  readonly call: HistoryCall;
  readonly input: Input;
  readonly path: string;
}

function replay(replayed: Replayed, known: Known, state: FileState): void {
  switch (replayed.call.name) {
    case 'read_file':
      return replayRead(replayed, known, state);
    case 'write_file':
      return replayWrite(replayed, known, state);
    case 'edit_file':
      return replayEdit(replayed, known, state);
  }
}

function replayRead({ call, input, path }: Replayed, known: Known, state: FileState): void {
  const { text, id } = call;
  // A stub says that nothing changed since the read before it.
  if (isUnchangedStub(text) || NO_READ.test(text)) return;
  const isWhole = isAbsent(input['limit']) && (isAbsent(input['offset']) || input['offset'] === 0);
  if (!isWhole || text.includes(LOSSY) || text.includes(REDACTED) || text === '(empty file)') {
    known.set(path, undefined);
    return state.noteUnknown(path);
  }
  known.set(path, text);
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  state.noteRead(path, { digest: fileDigest(text), startLine: 0, lines, totalLines: lines, callId: id });
}

function replayWrite({ call, input, path }: Replayed, known: Known, state: FileState): void {
  const { content } = input;
  if (typeof content !== 'string' || !/^(?:created|replaced) /.test(call.text)) return;
  // Half a surrogate pair is written as U+FFFD.
  known.set(path, content.toWellFormed());
  state.noteWritten(path, fileDigest(content.toWellFormed()));
}

function replayEdit({ call, input, path }: Replayed, known: Known, state: FileState): void {
  const { old_text: oldText, new_text: newText } = input;
  if (typeof oldText !== 'string' || typeof newText !== 'string' || !call.text.startsWith('edited ')) return;
  const before = known.get(path);
  const after = before === undefined ? undefined : replaceFirst(before, oldText, newText)?.text.toWellFormed();
  known.set(path, after);
  if (after === undefined) return state.noteUnknown(path);
  state.noteEdited(path, fileDigest(after));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
