/** The interactive terminal: the frame, the keys, the sessions, put together. */
import { matchesKey } from '@mariozechner/pi-tui/dist/keys.js';
import type { AgentEvent, PermissionAnswer, PermissionQuestion, SessionChoice } from '@holdover/agent';
import { foldedBlock } from './blocks/folded-block.ts';
import { type HeaderBlock, headerBlock } from './blocks/header-block.ts';
import { noteBlock } from './blocks/note-block.ts';
import type { CommandHost } from './commands/command.ts';
import { Conversation } from './conversation.ts';
import type { Early } from './early.ts';
import { Chooser } from './input/chooser.ts';
import { createCompletion } from './input/completion.ts';
import type { PromptHistory } from './input/prompt-history.ts';
import { Question } from './input/question.ts';
import { openedBlocks } from './past-blocks.ts';
import type { Frame } from './screen/frame.ts';
import type { SessionListener, SessionPort, SessionsPort } from './session/session-port.ts';
import { sanitiseLine } from './text/sanitise.ts';
import { createTurnView, type TurnView } from './turn/turn-view.ts';
import { toggleFolds } from './unfold.ts';

export interface AppOptions {
  readonly early: Early;
  readonly folder: string;
  readonly history: PromptHistory;
  readonly choice: SessionChoice;
  /** Starts the model; called once, after the keys work. */
  readonly connect: (listener: SessionListener) => Promise<SessionsPort>;
}

/** Requests to end, with the status a shell expects of them. Ctrl-C is a key here and none of them. */
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** A second Ctrl-C on an empty prompt leaves within this time. */
const LEAVE_MS = 2_000;
/** Longer than it takes to be stopped. */
const SUSPEND_MS = 300;
/** What a turn gets to end by itself when the user leaves. */
const FAREWELL_MS = 4_000;

export class App {
  readonly #options: AppOptions;
  readonly #frame: Frame;
  readonly #view: TurnView;
  readonly #conversation: Conversation;
  readonly #header: HeaderBlock;
  #sessions: SessionsPort | undefined;
  #session: SessionPort | undefined;
  /** What happens while a session is being opened is told below what it says of itself. */
  #opening: AgentEvent[] | undefined;
  /** Set while a question or a list has the keys. */
  #modal: { readonly cancel: () => void; readonly takesKeys: boolean } | undefined;
  #questions: Promise<unknown> = Promise.resolve();
  #askedToLeaveMs = 0;
  #leave: (status: number) => void = () => undefined;

  constructor(options: AppOptions) {
    const { early, folder } = options;
    this.#options = options;
    this.#frame = early.frame;
    this.#view = createTurnView(this.#frame, this.#frame.theme);
    this.#header = headerBlock(folder, this.#frame.theme);
    this.#conversation = new Conversation({
      frame: this.#frame,
      view: this.#view,
      session: () => this.#opened(),
      host: (signal) => this.#host(signal),
      refresh: () => this.#refresh(),
    });
  }

  /** Resolves to the exit status when the user leaves. Rejects where no session could be opened. */
  async run(): Promise<number> {
    const left = new Promise<number>((resolve) => {
      this.#leave = resolve;
    });
    for (const [name, status] of SIGNALS) process.once(name, () => this.#leave(status));
    this.#takeKeys();
    this.#frame.add(this.#header);
    try {
      await this.#connect().catch(async (error: unknown) => {
        await this.#frame.vanish();
        await this.#sessions?.close();
        throw error;
      });
      for (const text of this.#options.early.sent) this.#conversation.send(text);
      const status = await left;
      await this.#farewell();
      return status;
    } finally {
      this.#frame.stop();
    }
  }

  async #connect(): Promise<void> {
    this.#sessions = await this.#options.connect({
      onEvent: (event) => this.#onEvent(event),
      ask: (question) => this.#ask(question),
    });
    this.#header.setAbout(this.#sessions.about);
    this.#frame.changed(this.#header);
    await this.#open(this.#options.choice);
  }

  #opened(): SessionPort {
    if (this.#session === undefined) throw new Error('the session is not open yet; try again in a moment');
    return this.#session;
  }

  async #open(choice: SessionChoice): Promise<void> {
    const waiting: AgentEvent[] = [];
    this.#opening = waiting;
    const session = await this.#sessions?.open(choice).finally(() => {
      this.#opening = undefined;
    });
    if (session === undefined) return;
    const before = this.#session;
    this.#session = session;
    process.once('exit', session.kill);
    if (before !== undefined) {
      process.off('exit', before.kill);
      await before.close();
      this.#frame.clear();
      this.#frame.add(this.#header);
    }
    for (const block of openedBlocks(session, this.#frame.theme)) this.#frame.add(block);
    for (const event of waiting) this.#view.onEvent(event);
    this.#refresh();
  }

  #refresh(): void {
    const { sessionId, model } = this.#opened();
    const meter = this.#opened().meter();
    const { usd } = this.#opened().cost();
    this.#frame.status({
      model: sanitiseLine(model),
      sessionId,
      ...(meter === undefined ? {} : { meter }),
      ...(usd === undefined ? {} : { usd }),
    });
  }

  #onEvent(event: AgentEvent): void {
    if (this.#opening !== undefined) {
      this.#opening.push(event);
      return;
    }
    this.#view.onEvent(event);
    if (event.type === 'turn-end' && this.#session !== undefined) this.#refresh();
  }

  #takeKeys(): void {
    const { editor } = this.#frame;
    const { history, folder } = this.#options;
    for (const prompt of history.prompts) editor.addToHistory(prompt);
    editor.setAutocompleteProvider(createCompletion(folder));
    editor.onSubmit = (text) => this.#submit(text);
    this.#frame.onKey = (data) => this.#onKey(data);
  }

  #submit(text: string): void {
    if (text.trim() === '') return;
    this.#frame.editor.addToHistory(text);
    this.#options.history.add(text);
    if (this.#session === undefined) this.#options.early.sent.push(text);
    else this.#conversation.send(text);
  }

  #onKey(data: string): boolean {
    if (matchesKey(data, 'ctrl+z')) return this.#suspend();
    if (matchesKey(data, 'ctrl+o')) {
      if (!toggleFolds(this.#frame)) this.#frame.hint('nothing is folded');
      return true;
    }
    if (this.#modal !== undefined) return this.#onModalKey(data, this.#modal);
    if (matchesKey(data, 'ctrl+c')) return this.#onInterruptKey();
    if (matchesKey(data, 'escape')) return this.#onEscape();
    if (matchesKey(data, 'ctrl+d') && this.#frame.editor.getText() === '') {
      this.#leave(0);
      return true;
    }
    return matchesKey(data, 'alt+up') && this.#takeBack();
  }

  #onModalKey(data: string, modal: { readonly cancel: () => void; readonly takesKeys: boolean }): boolean {
    if (modal.takesKeys || !(matchesKey(data, 'ctrl+c') || matchesKey(data, 'escape'))) return false;
    modal.cancel();
    return true;
  }

  #onEscape(): boolean {
    if (!this.#conversation.isBusy || this.#frame.editor.isShowingAutocomplete()) return false;
    this.#conversation.interrupt();
    return true;
  }

  #onInterruptKey(): boolean {
    const { editor } = this.#frame;
    if (this.#conversation.isInterrupted) this.#leave(0);
    else if (this.#conversation.isBusy) this.#conversation.interrupt();
    else if (editor.getText() !== '') {
      // The draft can be had back with Up.
      editor.addToHistory(editor.getExpandedText());
      editor.setText('');
    } else if (Date.now() - this.#askedToLeaveMs < LEAVE_MS) this.#leave(0);
    else {
      this.#askedToLeaveMs = Date.now();
      this.#frame.hint('Ctrl-C again leaves');
    }
    return true;
  }

  #takeBack(): boolean {
    const text = this.#conversation.takeBack();
    if (text === undefined) return false;
    const { editor } = this.#frame;
    editor.setText([text, editor.getExpandedText()].filter((one) => one !== '').join('\n'));
    return true;
  }

  #suspend(): boolean {
    if (process.platform === 'win32') return false;
    // Timers stand still with the process. Where there is no shell to stop it, it goes on, and comes back at once.
    const timer = setTimeout(() => this.#frame.resume(), SUSPEND_MS);
    process.once('SIGCONT', () => {
      clearTimeout(timer);
      this.#frame.resume();
    });
    this.#frame.stop();
    process.kill(0, 'SIGTSTP');
    return true;
  }

  /** One question at a time, in the order they come. */
  #ask(question: PermissionQuestion): Promise<PermissionAnswer> {
    const asked = this.#questions.then(() => this.#askNow(question));
    this.#questions = asked;
    return asked;
  }

  #askNow(question: PermissionQuestion): Promise<PermissionAnswer> {
    if (this.#conversation.isInterrupted) return Promise.resolve('deny');
    this.#frame.working(undefined);
    return new Promise<PermissionAnswer>((resolve) => {
      const answer = (given: PermissionAnswer): void => {
        this.#modal = undefined;
        this.#frame.take(undefined);
        this.#frame.working('working');
        resolve(given);
      };
      const cancel = (): void => {
        answer('deny');
        this.#conversation.interrupt();
      };
      const about = { question, task: this.#view.taskOf(question.input) };
      const component = new Question(about, this.#frame.theme, {
        answer,
        typed: (data) => this.#frame.editor.handleInput(data),
      });
      this.#modal = {
        cancel,
        get takesKeys() {
          return component.isAskingWhy;
        },
      };
      this.#frame.take(component);
    });
  }

  #choose(title: string, items: CommandChoices): Promise<string | undefined> {
    return new Promise((resolve) => {
      const chosen = (value: string | undefined): void => {
        this.#modal = undefined;
        this.#frame.take(undefined);
        resolve(value);
      };
      this.#modal = { cancel: () => chosen(undefined), takesKeys: false };
      this.#frame.take(new Chooser({ title, items }, this.#frame.theme, chosen));
    });
  }

  #host(signal: AbortSignal): CommandHost {
    const frame = this.#frame;
    const sessions = this.#sessions;
    if (sessions === undefined) throw new Error('the model is not ready yet; try again in a moment');
    return {
      theme: frame.theme,
      columns: frame.columns,
      folder: this.#options.folder,
      session: this.#opened(),
      sessions,
      signal,
      say: (lines) => frame.add(noteBlock(lines)),
      sayFolded: (lines) => frame.add(foldedBlock(lines, frame.theme)),
      sayCompaction: (receipt) => this.#view.compaction(receipt),
      working: (what) => frame.working(what),
      choose: (title, items) => this.#choose(title, items),
      switchTo: (choice) => this.#open(choice),
      draft: (text) => frame.editor.setText(text),
      refresh: () => this.#refresh(),
      leave: () => this.#leave(0),
    };
  }

  async #farewell(): Promise<void> {
    this.#modal?.cancel();
    if (this.#conversation.isBusy) {
      this.#conversation.interrupt();
      await Promise.race([
        this.#conversation.settled,
        new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref()),
      ]);
    }
    this.#frame.stop();
    const session = this.#session;
    await session?.close();
    await this.#sessions?.close();
    if (session !== undefined && session.past().length > 0)
      process.stdout.write(`${this.#frame.theme.dim(`holdover --resume ${session.sessionId} goes on`)}\n`);
  }
}

type CommandChoices = Parameters<CommandHost['choose']>[1];
