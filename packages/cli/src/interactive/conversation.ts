/** Prompts and commands, one after the other: what is sent while a turn runs waits, and an interrupt loses nothing. */
import { failureBlock, hintBlock } from './blocks/note-block.ts';
import { userBlock } from './blocks/user-block.ts';
import type { CommandHost } from './commands/command.ts';
import { type Parsed, parseCommand } from './commands/registry.ts';
import { isAbort, messageOf, STOPPED } from './run-note.ts';
import type { Frame } from './screen/frame.ts';
import type { SessionPort } from './session/session-port.ts';
import type { TurnView } from './turn/turn-view.ts';

export interface ConversationPorts {
  readonly frame: Frame;
  readonly view: TurnView;
  readonly session: () => SessionPort;
  readonly host: (signal: AbortSignal) => CommandHost;
  /** After every turn and command. */
  readonly refresh: () => void;
}

export class Conversation {
  readonly #ports: ConversationPorts;
  #queue: readonly string[] = [];
  #running: AbortController | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get isInterrupted(): boolean {
    return this.#running?.signal.aborted === true;
  }

  /** Resolves when nothing runs and nothing is queued. */
  get settled(): Promise<void> {
    return this.#work;
  }

  send(text: string): void {
    if (this.#running === undefined) {
      this.#running = new AbortController();
      this.#work = this.#drain(text);
      return;
    }
    const parsed = parseCommand(text);
    if (parsed?.kind === 'command' && parsed.command.isReadOnly) void this.#command(parsed, this.#running.signal, true);
    else this.#setQueue([...this.#queue, text]);
  }

  /** Takes the last queued message back; undefined where there is none. */
  takeBack(): string | undefined {
    const last = this.#queue.at(-1);
    this.#setQueue(this.#queue.slice(0, -1));
    return last;
  }

  /** Ends the turn; what is queued goes back into the editor. */
  interrupt(): void {
    if (this.#running === undefined) return;
    this.#running.abort();
    this.#ports.frame.working('interrupting');
    const { editor } = this.#ports.frame;
    const waiting = [...this.#queue, editor.getExpandedText()].filter((text) => text.trim() !== '');
    if (this.#queue.length > 0) editor.setText(waiting.join('\n'));
    this.#setQueue([]);
  }

  #setQueue(queue: readonly string[]): void {
    this.#queue = queue;
    this.#ports.frame.queued(queue);
  }

  async #drain(first: string): Promise<void> {
    for (let next: string | undefined = first; next !== undefined; ) {
      const controller = new AbortController();
      this.#running = controller;
      await this.#one(next, controller.signal);
      const [waiting, ...rest]: readonly (string | undefined)[] = this.#queue;
      this.#setQueue(rest.filter((text) => text !== undefined));
      next = waiting;
    }
    this.#running = undefined;
    this.#ports.refresh();
  }

  async #one(text: string, signal: AbortSignal): Promise<void> {
    const parsed = parseCommand(text);
    await (parsed === undefined ? this.#turn(text, signal) : this.#command(parsed, signal, false));
  }

  async #command(parsed: Parsed, signal: AbortSignal, isAside: boolean): Promise<void> {
    const { frame, host } = this.#ports;
    if (parsed.kind === 'unknown') {
      const message = `There is no command /${parsed.name}; the nearest is /${parsed.nearest}. /help lists them all.`;
      frame.add(failureBlock(message, frame.theme));
      return;
    }
    const shown = parsed.args === '' ? `/${parsed.command.name}` : `/${parsed.command.name} ${parsed.args}`;
    frame.add(hintBlock(`❯ ${shown}`, frame.theme));
    try {
      await parsed.command.run(parsed.args, host(signal));
    } catch (error) {
      this.#failed(error);
    } finally {
      if (!isAside) frame.working(undefined);
    }
  }

  async #turn(text: string, signal: AbortSignal): Promise<void> {
    const { frame, view, session, refresh } = this.#ports;
    frame.add(userBlock(text, frame.theme));
    frame.working('working');
    try {
      const { pieces, notes } = await session().expand(text);
      if (notes.length > 0) frame.add(hintBlock(notes.map((note) => `  ${note}`).join('\n'), frame.theme));
      const result = await session().run(pieces, { signal });
      const why = STOPPED[result.stop];
      if (why !== undefined) frame.add(hintBlock(why, frame.theme));
    } catch (error) {
      this.#failed(error);
    } finally {
      view.end();
      frame.working(undefined);
      refresh();
    }
  }

  #failed(error: unknown): void {
    const { frame } = this.#ports;
    const block = isAbort(error)
      ? hintBlock('interrupted; everything up to here is kept', frame.theme)
      : failureBlock(messageOf(error), frame.theme);
    frame.add(block);
  }
}
