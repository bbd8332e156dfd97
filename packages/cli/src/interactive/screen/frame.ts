/**
 * The screen: the transcript, which scrolls away into the terminal's own scrollback, and below it what is going on, what is queued, the prompt
 * and the status. Stands before any agent is loaded.
 */
import { type Component, Container, TUI } from '@mariozechner/pi-tui/dist/tui.js';
import { isKeyRelease } from '@mariozechner/pi-tui/dist/keys.js';
import type { Block } from '../blocks/block.ts';
import { PromptEditor } from '../input/prompt-editor.ts';
import type { Theme } from '../text/theme.ts';
import { QueueView } from './queue-view.ts';
import { createTerminal } from './scrollback-terminal.ts';
import { type Status, StatusLine } from './status-line.ts';
import { Transcript } from './transcript.ts';
import { WorkingLine } from './working-line.ts';

const HINT_MS = 2_000;
/** The library draws at most every 16 ms. */
const REDRAW_MS = 40;
const LINE_UP = '\u001b[1A';

const EMPTY_LINE: Component = { render: () => [''], invalidate: () => undefined };

export class Frame {
  readonly theme: Theme;
  readonly editor: PromptEditor;
  /** Sees keys before the editor does; true takes the key. */
  onKey: (data: string) => boolean = () => false;
  readonly #tui: TUI;
  readonly #transcript: Transcript;
  readonly #working: WorkingLine;
  readonly #queue: QueueView;
  readonly #status: StatusLine;
  /** Holds the editor, or whatever takes its place. */
  readonly #slot = new Container();
  #hintTimer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(theme: Theme, status: Status) {
    this.theme = theme;
    this.#tui = new TUI(createTerminal());
    const draw = (): void => this.draw();
    this.#transcript = new Transcript(() => this.#tui.requestRender(true));
    this.#working = new WorkingLine(theme, draw);
    this.#queue = new QueueView(theme);
    this.#status = new StatusLine(status, theme);
    this.editor = new PromptEditor(this.#tui, theme);
    this.#slot.addChild(this.editor);
    for (const part of [this.#transcript, this.#working, this.#queue, EMPTY_LINE, this.#slot, this.#status])
      this.#tui.addChild(part);
    this.#tui.setFocus(this.editor);
    this.#tui.addInputListener((data) => {
      if (isKeyRelease(data) || !this.onKey(data)) return undefined;
      this.draw();
      return { consume: true };
    });
  }

  get columns(): number {
    return this.#tui.terminal.columns;
  }

  start(): void {
    this.#isStopped = false;
    this.#tui.start();
  }

  /** Gives the terminal back, the cursor below what was drawn. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#working.show(undefined);
    clearTimeout(this.#hintTimer);
    this.#tui.stop();
  }

  /** Gives the terminal back with nothing of the frame left: for errors before there is a session. */
  async vanish(): Promise<void> {
    if (this.#isStopped) return;
    this.#working.show(undefined);
    this.#tui.clear();
    this.#tui.addChild(EMPTY_LINE);
    this.draw();
    await new Promise((resolve) => setTimeout(resolve, REDRAW_MS));
    // Up to where the frame began: the library ends below what it drew last.
    this.#tui.terminal.write(LINE_UP);
    this.stop();
  }

  /** Comes back after `stop`: the screen may show anything. */
  resume(): void {
    if (!this.#isStopped) return;
    this.start();
    this.#tui.requestRender(true);
  }

  draw(): void {
    this.#tui.requestRender();
  }

  add(block: Block): void {
    this.#transcript.add(block);
    this.draw();
  }

  changed(block: Block): void {
    this.#transcript.changed(block);
    this.draw();
  }

  /** Takes everything off the transcript; what scrolled off stays in the terminal. */
  clear(): void {
    this.#transcript.clear();
    this.#tui.requestRender(true);
  }

  working(what: string | undefined): void {
    this.#working.show(what);
  }

  queued(messages: readonly string[]): void {
    this.#queue.messages = messages;
    this.draw();
  }

  status(status: Status): void {
    this.#status.status = status;
    this.draw();
  }

  /** Says something in the status line for two seconds. */
  hint(text: string): void {
    clearTimeout(this.#hintTimer);
    this.#status.hint = text;
    this.#hintTimer = setTimeout(() => {
      this.#status.hint = undefined;
      this.draw();
    }, HINT_MS);
    this.#hintTimer.unref();
    this.draw();
  }

  /** Puts a component in the editor's place, with the keys; `undefined` brings the editor back, its draft untouched. A draft stays in sight. */
  take(component: Component | undefined): void {
    const { editor } = this;
    const draft: Component = {
      render: (columns) => (editor.getText() === '' ? [] : ['', ...editor.render(columns)]),
      invalidate: () => undefined,
    };
    this.#slot.clear();
    for (const part of component === undefined ? [editor] : [component, draft]) this.#slot.addChild(part);
    this.#tui.setFocus(component ?? this.editor);
    this.draw();
  }

  /** The newest folds, newest first, and the lines from each to the end of the transcript. */
  folds(): readonly { readonly block: Block; readonly linesBelow: number }[] {
    return this.#transcript.folds();
  }

  /** Lines of the screen. */
  get rows(): number {
    return this.#tui.terminal.rows;
  }
}
