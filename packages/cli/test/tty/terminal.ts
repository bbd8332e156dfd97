/** The real binary in a pseudo-terminal, its screen read back through a terminal emulator. */
import { spawn, type IPty } from '@lydell/node-pty';
import xterm, { type IBufferCell, type Terminal as Emulator } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { BINARY } from '../support/holdover.ts';

export interface TerminalOptions {
  readonly folder: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** @default the binary of this repository, in Node */
  readonly command?: readonly [file: string, ...args: string[]];
}

export interface Cell {
  readonly text: string;
  /** Palette index; -1 for the terminal's own. */
  readonly colour: number;
  readonly background: number;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

const KEYS = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  up: '\u001b[A',
  down: '\u001b[B',
  'alt+up': '\u001b[1;3A',
  'shift+enter': '\u001b[13;2u',
  backspace: '\u007f',
  'ctrl+c': '\u0003',
  'ctrl+d': '\u0004',
  'ctrl+o': '\u000f',
  'ctrl+u': '\u0015',
  'ctrl+z': '\u001a',
} as const;

export type Key = keyof typeof KEYS;

/** A run of the library's own takes this long at most; a busy machine is no failure. */
const WAIT_MS = 15_000;
const POLL_MS = 20;
const LAST_WORDS_MS = 50;
/** Longer than a question is deaf. */
const QUESTION_MS = 500;

export class Terminal {
  readonly #pty: IPty;
  readonly #emulator: Emulator;
  /** Everything the binary wrote, escapes included. */
  raw = '';
  exitStatus: number | undefined;

  constructor(args: readonly string[], options: TerminalOptions) {
    const { folder, columns = 80, rows = 24, env = {}, command = [process.execPath, BINARY] } = options;
    const [file, ...before] = command;
    this.#emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    this.#pty = spawn(file, [...before, ...args], {
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows,
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        XDG_CONFIG_HOME: `${folder}/.config`,
        LANG: 'C.UTF-8',
        ...env,
      },
    });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#emulator.write(data);
    });
    // Answers to the binary's questions, such as which keyboard protocol there is.
    this.#emulator.onData((data) => this.#pty.write(data));
    this.#pty.onExit(({ exitCode }) => {
      this.exitStatus = exitCode;
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  press(...keys: readonly Key[]): void {
    for (const key of keys) this.#pty.write(KEYS[key]);
  }

  /** Types a line and sends it. Enter comes on its own, as from a person: together they would be a paste. */
  async send(text: string): Promise<void> {
    this.type(text);
    await this.waitFor(text.slice(-20));
    this.press('enter');
  }

  paste(text: string): void {
    this.#pty.write(`\u001b[200~${text}\u001b[201~`);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Scrollback and screen as text, without trailing spaces. */
  all(): readonly string[] {
    return this.#lines(0);
  }

  #lines(from: number): readonly string[] {
    const { active } = this.#emulator.buffer;
    const rows = Array.from({ length: active.length - from }, (_, row) => active.getLine(from + row));
    return rows.map((line) => line?.translateToString(true) ?? '');
  }

  /** What is on the screen. */
  screen(): readonly string[] {
    return this.#lines(this.#emulator.buffer.active.baseY);
  }

  text(): string {
    return this.all().join('\n');
  }

  /** Lines of the scrollback and the screen that the terminal itself had to wrap: those were drawn too wide. */
  wrapped(): readonly string[] {
    const { active } = this.#emulator.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row));
    return rows.flatMap((line) => (line?.isWrapped === true ? [line.translateToString(true)] : []));
  }

  /** Cells of a row of the screen. */
  cells(row: number): readonly Cell[] {
    const { active } = this.#emulator.buffer;
    const line = active.getLine(active.baseY + row);
    return Array.from({ length: this.#emulator.cols }, (_, column) => cellOf(line?.getCell(column)));
  }

  /** The first cell of a text on the screen. */
  cellAt(text: string): Cell | undefined {
    const row = this.screen().findIndex((line) => line.includes(text));
    return row < 0 ? undefined : this.cells(row)[this.screen()[row]?.indexOf(text) ?? 0];
  }

  get columns(): number {
    return this.#emulator.cols;
  }

  async waitFor(wanted: string | RegExp | ((terminal: Terminal) => boolean), waitMs = WAIT_MS): Promise<void> {
    const isThere = (): boolean => {
      if (typeof wanted === 'function') return wanted(this);
      return typeof wanted === 'string' ? this.text().includes(wanted) : wanted.test(this.text());
    };
    for (const endMs = Date.now() + waitMs; !isThere(); await pause(POLL_MS))
      if (Date.now() > endMs) throw new Error(`${String(wanted)} did not come:\n${this.text().trimEnd()}`);
  }

  /** Until the prompt can be typed at and nothing is under way. */
  async ready(): Promise<void> {
    const hasEnded = (): boolean => this.exitStatus !== undefined;
    await this.waitFor((terminal) => {
      const text = terminal.screen().join('\n');
      if (hasEnded()) throw new Error(`it ended with status ${this.exitStatus}:\n${text.trimEnd()}`);
      return text.includes('❯') && !text.includes('interrupts') && !/ starting$/m.test(text);
    });
  }

  /** The lines of the question on the screen; empty where there is none. */
  #question(): string {
    const lines = this.screen();
    const end = lines.findLastIndex((line) => line.includes('y once'));
    return end < 0
      ? ''
      : lines
          .slice(
            lines.findLastIndex((line) => line.startsWith('? ')),
            end + 1,
          )
          .join('\n');
  }

  /** Answers a permission question, after the moment in which keys are not yet answers. Another one may stand there afterwards. */
  async answer(key: string): Promise<void> {
    await this.waitFor(() => this.#question() !== '');
    await pause(QUESTION_MS);
    const question = this.#question();
    this.type(key);
    await this.waitFor(() => this.#question() !== question);
  }

  async ended(): Promise<number> {
    await this.waitFor((terminal) => terminal.exitStatus !== undefined);
    // The last words may still be on their way to the emulator.
    await pause(LAST_WORDS_MS);
    await new Promise<void>((resolve) => this.#emulator.write('', resolve));
    return this.exitStatus ?? -1;
  }

  kill(): void {
    if (this.exitStatus === undefined) this.#pty.kill('SIGKILL');
  }
}

const NO_CELL: Cell = { text: '', colour: -1, background: -1, isBold: false, isDim: false, isInverse: false };

function cellOf(cell: IBufferCell | undefined): Cell {
  if (cell === undefined) return NO_CELL;
  return {
    text: cell.getChars(),
    colour: cell.isFgDefault() ? -1 : cell.getFgColor(),
    background: cell.isBgDefault() ? -1 : cell.getBgColor(),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isInverse: cell.isInverse() !== 0,
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Starts the binary and waits for its prompt; it is ended with the test. */
export async function terminal(options: TerminalOptions, args: readonly string[] = []): Promise<Terminal> {
  const started = new Terminal(args, options);
  onTestFinished(() => started.kill());
  await started.ready();
  return started;
}
