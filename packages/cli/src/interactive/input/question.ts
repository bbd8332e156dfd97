/** A permission question in the editor's place: one key answers. */
import { Input } from '@mariozechner/pi-tui/dist/components/input.js';
import { matchesKey } from '@mariozechner/pi-tui/dist/keys.js';
import type { Component, Focusable } from '@mariozechner/pi-tui/dist/tui.js';
import type { PermissionQuestion } from '@holdover/agent';
import { subjectOf } from '../blocks/describe-call.ts';
import type { PermissionAnswer } from '@holdover/agent';
import { clip, hang, visibleWidth } from '../text/lines.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';

/** Keys typed before anyone can have read the question are not answers, nor those that follow without a pause. */
export const DEAF_MS = 400;

const CHOICES = [
  ['y', 'once'],
  ['s', 'this session'],
  ['p', 'this project'],
  ['n', 'no'],
  ['r', 'no, with a reason'],
] as const;

const ANSWERS: Readonly<Record<string, PermissionAnswer>> = {
  y: 'allow',
  s: { allow: true, remember: 'session' },
  p: { allow: true, remember: 'project' },
  n: 'deny',
};

/** Longer commands are cut; what is run must be read whole, so as much as a screen has. */
const MOST_LINES = 12;

export interface QuestionPorts {
  readonly answer: (answer: PermissionAnswer) => void;
  /** Takes keys that came before the question can have been read: they belong to what was being written. */
  readonly typed: (data: string) => void;
}

export class Question implements Component, Focusable {
  focused = false;
  readonly #question: PermissionQuestion;
  readonly #theme: Theme;
  readonly #ports: QuestionPorts;
  #deafUntilMs = Date.now() + DEAF_MS;
  #reason: Input | undefined;

  constructor(question: PermissionQuestion, theme: Theme, ports: QuestionPorts) {
    this.#question = question;
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
    const key = (['y', 's', 'p', 'n'] as const).find((one) => matchesKey(data, one));
    if (key !== undefined) this.#ports.answer(ANSWERS[key] ?? 'deny');
  }

  render(columns: number): string[] {
    const { yellow, bold, dim } = this.#theme;
    const { tool, input, reason, allowRule } = this.#question;
    const subject = hang(`${yellow('?')} ${bold(tool)} `, sanitise(wholeSubject(tool, input)), columns);
    const shown = subject.slice(0, MOST_LINES);
    const more = subject.length - shown.length;
    const lines = [
      ...shown,
      ...(more > 0 ? [yellow(`  … ${more} more lines are not shown`)] : []),
      dim(`  ${sanitise(reason)}`),
      ...this.#choices(columns),
      ...(this.#reason === undefined ? [dim(`  s and p allow ${sanitise(allowRule)}`)] : []),
    ];
    return lines.map((line) => clip(line.trimEnd(), columns));
  }

  #choices(columns: number): readonly string[] {
    const { cyan, bold, dim } = this.#theme;
    if (this.#reason !== undefined)
      return [dim('  why not? Enter sends, Esc goes back'), ...this.#reason.render(columns)];
    const lines: string[] = [];
    let line = ' ';
    for (const [key, what] of CHOICES) {
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

/** A command with its line breaks: what is allowed has to be what is seen. */
function wholeSubject(tool: string, input: unknown): string {
  const command = (input as { readonly command?: unknown } | null)?.command;
  return tool === 'bash' && typeof command === 'string' ? command.trim() : subjectOf(tool, input);
}
