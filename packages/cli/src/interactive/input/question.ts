/** A permission question in the editor's place: one key answers. */
import { Input } from '@mariozechner/pi-tui/dist/components/input.js';
import { matchesKey } from '@mariozechner/pi-tui/dist/keys.js';
import type { Component, Focusable } from '@mariozechner/pi-tui/dist/tui.js';
import type { PermissionAnswer, PermissionQuestion } from '@holdover/agent';
import { inputOf, subjectOf, text } from '../blocks/describe-call.ts';
import { addedLines, diffLines } from '../blocks/diff.ts';
import { type Answer, answersTo } from './answers.ts';
import { clip, hang, visibleWidth } from '../text/lines.ts';
import { sanitise, sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

/** Keys typed before anyone can have read the question are not answers, nor those that follow without a pause. */
export const DEAF_MS = 400;

/** A capital comes as itself, or as its key with Shift where the terminal tells them apart. */
function isKey(data: string, key: string): boolean {
  const small = key.toLowerCase() as 'y' | 's' | 'p' | 'n' | 'r';
  return key === small ? matchesKey(data, small) : data === key || matchesKey(data, `shift+${small}`);
}

/** Longer commands are cut; what is run must be read whole, so as much as a screen has. */
const MOST_LINES = 12;
/** Of a change, on each side. */
const CHANGE_LINES = 6;

export interface QuestionAbout {
  readonly question: PermissionQuestion;
  /** The task of the sub-agent that asks; undefined for the main agent. */
  readonly task: string | undefined;
}

export interface QuestionPorts {
  readonly answer: (answer: PermissionAnswer) => void;
  /** Takes keys that came before the question can have been read: they belong to what was being written. */
  readonly typed: (data: string) => void;
}

export class Question implements Component, Focusable {
  focused = false;
  readonly #question: PermissionQuestion;
  readonly #task: string | undefined;
  readonly #answers: readonly Answer[];
  readonly #theme: Theme;
  readonly #ports: QuestionPorts;
  #deafUntilMs = Date.now() + DEAF_MS;
  #reason: Input | undefined;

  constructor({ question, task }: QuestionAbout, theme: Theme, ports: QuestionPorts) {
    this.#question = question;
    this.#task = task;
    this.#answers = answersTo(question);
    this.#theme = theme;
    this.#ports = ports;
  }

  /** Whether a reason is being written: Escape then goes back to the choices. */
  get isAskingWhy(): boolean {
    return this.#reason !== undefined;
  }

  invalidate(): void {
    // Nothing is kept between two drawings.
  }

  handleInput(data: string): void {
    if (this.#reason !== undefined) {
      this.#reason.handleInput(data);
      return;
    }
    if (Date.now() < this.#deafUntilMs) {
      this.#deafUntilMs = Date.now() + DEAF_MS;
      this.#ports.typed(data);
      return;
    }
    if (matchesKey(data, 'r')) {
      this.#reason = new Input();
      this.#reason.focused = true;
      this.#reason.onSubmit = (text) =>
        this.#ports.answer({ allow: false, ...(text.trim() === '' ? {} : { reason: text }) });
      this.#reason.onEscape = () => {
        this.#reason = undefined;
      };
      return;
    }
    const given = this.#answers.find(({ key }) => isKey(data, key));
    if (given !== undefined) this.#ports.answer(given.answer);
  }

  render(columns: number): string[] {
    const { yellow, bold, dim } = this.#theme;
    const { tool, input, reason } = this.#question;
    const subject = hang(`${yellow('?')} ${bold(tool)} `, sanitise(wholeSubject(tool, input)), columns);
    const shown = subject.slice(0, MOST_LINES);
    const more = subject.length - shown.length;
    const lines = [
      ...shown,
      ...(more > 0 ? [yellow(`  … ${more} more lines are not shown`)] : []),
      ...changesOf({ tool, input }, columns, this.#theme),
      ...(this.#task === undefined ? [] : [dim(`  asked by a sub-agent: ${this.#task}`)]),
      dim(`  ${sanitise(reason)}`),
      ...this.#choices(columns),
      ...(this.#reason === undefined ? this.#rules() : []),
    ];
    return lines.map((line) => clip(line.trimEnd(), columns));
  }

  /** What would be remembered. */
  #rules(): readonly string[] {
    const { dim, cyan, bold } = this.#theme;
    const [narrow, wide] = this.#question.offers.map(sanitiseLine);
    if (narrow === undefined) return [dim('  nothing can be remembered about this one')];
    const line = ([session, project]: readonly [string, string], rule: string): string =>
      `  ${cyan(bold(session))} ${dim('and')} ${cyan(bold(project))} ${dim(`allow ${rule}`)}`;
    return [line(['s', 'p'], narrow), ...(wide === undefined ? [] : [line(['S', 'P'], wide)])];
  }

  #choices(columns: number): readonly string[] {
    const { cyan, bold, dim } = this.#theme;
    if (this.#reason !== undefined)
      return [dim('  why not? Enter sends, Esc goes back'), ...this.#reason.render(columns)];
    const lines: string[] = [];
    let line = ' ';
    const all = [
      ...this.#answers.filter(({ key }) => key === key.toLowerCase()),
      { key: 'r', what: 'no, with a reason' },
    ];
    for (const { key, what } of all) {
      const choice = ` ${cyan(bold(key))} ${what} `;
      if (visibleWidth(line) + visibleWidth(choice) > columns) {
        lines.push(line);
        line = ' ';
      }
      line += choice;
    }
    return [...lines, line];
  }
}

/** What would be written, shortened: the whole of it is in the transcript afterwards. */
function changesOf(
  call: { readonly tool: string; readonly input: unknown },
  columns: number,
  theme: Theme,
): readonly string[] {
  const fields = inputOf(call.input);
  const options = { columns, theme, mostLines: CHANGE_LINES };
  if (call.tool === 'edit_file') return diffLines(text(fields, 'old_text'), text(fields, 'new_text'), options);
  const content = text(fields, 'content').trimEnd();
  return call.tool === 'write_file' && content !== '' ? addedLines(content, options) : [];
}

/** A command with its line breaks: what is allowed has to be what is seen. */
function wholeSubject(tool: string, input: unknown): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  return tool === 'bash' && typeof command === 'string' ? command.trim() : subjectOf(tool, input);
}
