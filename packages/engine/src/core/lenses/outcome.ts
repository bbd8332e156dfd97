/** What the ends of a result say about how a call ended, in the words agents in use have for it. */
import type { Fact, LensResult, Outcome } from '../lens.ts';

/** Longest end looked at, characters: the longest line below with room for a long number or path. */
const END_CHARS = 120;

/** Last line: our agent `(exit code 1)`, pi `Command exited with code 1`, others `[exit 1]`, `exit code: 1`. */
const LAST_LINE =
  /(?:^|\n)\s*(?:\(exit code (\d{1,10})\)|command exited with code (\d{1,10})|\[exit(?: code)?:? (\d{1,10})\]|exit code:? (\d{1,10}))\s*$/i;

/** First line: Claude Code `Exit code 1`, Codex `Exit code: 1`. */
const FIRST_LINE = /^(?:Error: )?exit code:? (\d{1,10})(?:\n|$)/i;

/** Ends of commands that never came to a status: our agent's and pi's words. */
const NO_STATUS =
  /(?:^|\n)\s*(?:\((?:ended by signal|timed out after|interrupted;|the command could not be started)[^\n]*\)|Command (?:aborted|timed out)[^\n]*)\s*$/;

/** The status a result states, or undefined. */
export function exitCodeOf(text: string): number | undefined {
  const last = LAST_LINE.exec(text.slice(-END_CHARS));
  const digits = last?.slice(1).find((group) => group !== undefined) ?? FIRST_LINE.exec(text.slice(0, END_CHARS))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** pi: `[Showing lines 1-1603 of 2377 (50.0KB limit). Use offset=1604 to continue]` and its kin. */
const CUT_READ = /\[Showing lines \d{1,9}-(\d{1,9}) of \d{1,9}[^\n]*\]\s*$/;

/** The last line of a read that was cut, or undefined. */
function cutAt(text: string): number | undefined {
  const match = CUT_READ.exec(text.slice(-END_CHARS));
  return match === null ? undefined : Number(match[1]);
}

/** The flag of the result, and what its first and last lines say besides. */
export function standardOutcome(fact: Fact, { text, isError }: LensResult): Outcome {
  if (fact.kind === 'ran') {
    const exitCode = exitCodeOf(text);
    if (exitCode !== undefined) return { isError: isError || exitCode !== 0, exitCode };
    return { isError: isError || NO_STATUS.test(text.slice(-END_CHARS)) };
  }
  const lastLine = fact.kind === 'read' ? cutAt(text) : undefined;
  return lastLine === undefined ? { isError } : { isError, lastLine };
}
