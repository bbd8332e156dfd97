/** A tool call on one line, folded: what it is about and what came of it; edits as a short difference, failures with their reason. */
import { clip, hang, spread, visibleWidth } from '../text/lines.ts';
import { sanitise, sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Block, Fold } from './block.ts';
import { inputOf, outcomeOf, subjectOf, text } from './describe-call.ts';
import { addedLines, diffLines } from './diff.ts';

export interface ToolCallView {
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultView {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolBlock extends Block {
  readonly fold: Fold;
  end(result: ToolResultView): void;
  /** Of a call that is worked on by a sub-agent. */
  setProgress(progress: CallProgress): void;
}

export interface CallProgress {
  /** What is being done now, on one line. */
  readonly doing: string;
  /** What it came to. */
  readonly total: string;
}

const FOLDED_DIFF_LINES = 6;
const OPEN_DIFF_LINES = 60;
/** Lines of a failure shown without unfolding. */
const REASON_LINES = 4;
const OPEN_LINES = 200;

/** Tools of which everything is in sight without their result. */
const SHOWN: ReadonlySet<string> = new Set(['todo_write', 'edit_file', 'write_file', 'compact']);

const TODO_MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', pending: '·' };
const MOST_TODOS = 10;

interface State {
  readonly call: ToolCallView;
  readonly theme: Theme;
  readonly fold: Fold;
  result: ToolResultView | undefined;
  progress: CallProgress | undefined;
}

function outcome({ call, theme, progress }: State, { text: words, isError }: ToolResultView): string {
  const what = isError ? theme.red('failed') : theme.dim(outcomeOf(call.name, words));
  return progress === undefined ? what : `${theme.dim(`${progress.total} ·`)} ${what}`;
}

function doing({ theme, progress, result }: State, columns: number): readonly string[] {
  if (progress === undefined || result !== undefined) return [];
  return [clip(theme.dim(`  ↳ ${progress.doing}`), columns)];
}

function head(state: State, columns: number): string {
  const { call, theme, result } = state;
  const subject = subjectOf(call.name, call.input);
  const what = subject === '' ? theme.bold(call.name) : `${theme.bold(call.name)} ${subject}`;
  if (result === undefined) return clip(`${theme.dim('○')} ${what}`, columns);
  const mark = result.isError ? theme.red('●') : theme.green('●');
  const ended = outcome(state, result);
  const left = `${mark} ${what}`;
  const room = columns - visibleWidth(ended) - 2;
  // The outcome stays whole while the subject gives way; on a very narrow screen the outcome goes.
  if (room < 12) return clip(left, columns);
  return visibleWidth(left) <= room ? `${left}  ${ended}` : spread(left, ended, columns);
}

function reason({ result, theme, fold }: State, columns: number): readonly string[] {
  if (result?.isError !== true || fold.isOpen) return [];
  const lines = hang('  ', sanitise(result.text).trim(), columns);
  const shown = lines.slice(0, REASON_LINES).map((line) => theme.red(line));
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, theme.dim(clip(`  … ${more} more lines, Ctrl-O shows them`, columns))] : shown;
}

function changes({ call, theme, fold, result }: State, columns: number): readonly string[] {
  if (result?.isError !== false) return [];
  const input = inputOf(call.input);
  const options = { columns, theme, mostLines: fold.isOpen ? OPEN_DIFF_LINES : FOLDED_DIFF_LINES };
  if (call.name === 'edit_file') return diffLines(text(input, 'old_text'), text(input, 'new_text'), options);
  if (call.name !== 'write_file' || !fold.isOpen) return [];
  return addedLines(text(input, 'content').trimEnd(), options);
}

/** A task list, one line each. */
export function todoLines(list: readonly unknown[], theme: Theme, columns: number): readonly string[] {
  const lines = list.slice(0, MOST_TODOS).map((item) => {
    const todo = inputOf(item);
    const status = text(todo, 'status');
    const line = `  ${TODO_MARKS[status] ?? '·'} ${sanitiseLine(text(todo, 'content'))}`;
    return clip(status === 'in_progress' ? line : theme.dim(line), columns);
  });
  const more = list.length - lines.length;
  return more > 0 ? [...lines, theme.dim(`  … ${more} more`)] : lines;
}

function todos({ call, theme }: State, columns: number): readonly string[] {
  const list = inputOf(call.input)['todos'];
  return call.name === 'todo_write' && Array.isArray(list) ? todoLines(list, theme, columns) : [];
}

function whole({ result, theme, fold, call }: State, columns: number): readonly string[] {
  if (!fold.isOpen || result === undefined || (SHOWN.has(call.name) && !result.isError)) return [];
  const lines = hang(theme.dim('  │ '), sanitise(result.text).trimEnd(), columns).map((line, index) =>
    index === 0 ? line : line.replace(/^ {4}/, theme.dim('  │ ')),
  );
  const shown = lines.slice(0, OPEN_LINES);
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, theme.dim(clip(`  │ … ${more} more lines`, columns))] : shown;
}

export function toolBlock(call: ToolCallView, theme: Theme): ToolBlock {
  const state: State = { call, theme, fold: { isOpen: false }, result: undefined, progress: undefined };
  return {
    fold: state.fold,
    isTight: true,
    end(result) {
      state.result = result;
    },
    setProgress(progress) {
      state.progress = progress;
    },
    render: (columns) => [
      head(state, columns),
      ...doing(state, columns),
      ...reason(state, columns),
      ...changes(state, columns),
      ...todos(state, columns),
      ...whole(state, columns),
    ],
  };
}
