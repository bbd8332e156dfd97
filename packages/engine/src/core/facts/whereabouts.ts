/** Where the work stands, as commands and their outputs told it: the folder and the branch of the last command that said so. */
import type { History } from '../history.ts';
import { type CallRecord, succeeded } from './call-record.ts';

export interface Told {
  readonly text: string;
  /** The call that told it. */
  readonly by: CallRecord;
}

export interface Whereabouts {
  readonly directory?: Told;
  readonly branch?: Told;
}

/** Of a command and of its output this much is looked at: what tells the place stands at the beginning. */
const HEAD_CHARS = 2_000;

/** What `git` prints about the branch: status, switching, committing, listing. */
const BRANCH_TOLD: readonly RegExp[] = [
  /^Switched to (?:a new )?branch '(.{1,200})'$/m,
  /^(?:Already on) '(.{1,200})'$/m,
  /^On branch (\S{1,200})$/m,
  /^\* (?!\()(\S{1,200})$/m,
  /^## (\S{1,200}?)(?:\.\.\.\S+)?(?: \[.*\])?$/m,
  /^\[(\S{1,200}) (?:\(root-commit\) )?[0-9a-f]{7,40}\] /m,
];

/** The same from the command, where its output says nothing. */
const BRANCH_ASKED = /\bgit (?:checkout -[bB]|switch (?:-[cC] )?)\s*([^\s;&|<>]{1,200})/;
const SHOWS_BRANCH = /\bgit (?:branch --show-current|rev-parse --abbrev-ref HEAD)/;

const CHANGES_FOLDER = /(?:^|&&|;|\n)\s*cd\s+("[^"\n]{1,400}"|'[^'\n]{1,400}'|[^\s;&|]{1,400})/;
const PRINTS_FOLDER = /^(?:\s*cd\s+\S+\s*&&)?\s*pwd\s*$/;
const FOLDER = /^(\/.{0,399}|[A-Za-z]:\\.{0,399})$/m;

function branchIn(command: string, output: string): string | undefined {
  if (!command.includes('git')) return undefined;
  if (SHOWS_BRANCH.test(command)) return /^(\S{1,200})$/m.exec(output)?.[1];
  for (const pattern of BRANCH_TOLD) {
    const branch = pattern.exec(output)?.[1];
    if (branch !== undefined) return branch;
  }
  return BRANCH_ASKED.exec(command)?.[1];
}

function directoryIn(command: string, output: string): string | undefined {
  if (PRINTS_FOLDER.test(command)) return FOLDER.exec(output)?.[1];
  const folder = CHANGES_FOLDER.exec(command)?.[1]?.replace(/^["']|["']$/g, '');
  return folder === undefined || folder === '-' || folder.startsWith('$') ? undefined : folder;
}

function outputOf({ result }: CallRecord, history: History): string {
  const part = result === undefined ? undefined : history.at(result.entry).parts[result.part];
  return part?.kind === 'result' ? part.text.slice(0, HEAD_CHARS) : '';
}

/** Calls looked at, from the newest: a place told longer ago is no news. */
const MAX_CALLS = 2_000;

/** What the newest of `calls` tell, one question at a time. */
function newest(
  calls: readonly CallRecord[],
  history: History,
  ask: (command: string, output: string) => string | undefined,
): Told | undefined {
  const oldest = Math.max(0, calls.length - MAX_CALLS);
  for (let i = calls.length - 1; i >= oldest; i -= 1) {
    const by = calls[i];
    if (by?.fact.kind !== 'ran' || !succeeded(by)) continue;
    const text = ask(by.fact.command.slice(0, HEAD_CHARS), outputOf(by, history));
    if (text !== undefined) return { text, by };
  }
  return undefined;
}

/** What `calls` tell of the folder and the branch. */
export function whereaboutsIn(calls: readonly CallRecord[], history: History): Whereabouts {
  const directory = newest(calls, history, directoryIn);
  const branch = newest(calls, history, branchIn);
  return { ...(directory === undefined ? {} : { directory }), ...(branch === undefined ? {} : { branch }) };
}
