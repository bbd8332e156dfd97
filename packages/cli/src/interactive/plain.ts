/** The same conversation without a screen: prompts line by line, plain lines out, no escapes. For pipes and terminals that only print. */
import { createInterface } from 'node:readline';
import type { PermissionQuestion, SessionChoice } from '@holdover/agent';
import { compactionDetails, compactionText } from './blocks/compaction-block.ts';
import { subjectOf } from './blocks/describe-call.ts';
import type { CommandHost } from './commands/command.ts';
import { parseCommand } from './commands/registry.ts';
import { answersTo } from './input/answers.ts';
import type { Choice } from './input/chooser.ts';
import { createPlainEvents, type PlainEvents } from './plain-events.ts';
import { isAbort, messageOf, STOPPED } from './run-note.ts';
import type { PermissionAnswer } from '@holdover/agent';
import type { SessionListener, SessionPort, SessionsPort } from './session/session-port.ts';
import { sanitise, sanitiseLine } from './text/sanitise.ts';
import { PLAIN } from './text/theme.ts';

export interface PlainOptions {
  readonly folder: string;
  readonly choice: SessionChoice;
  readonly connect: (listener: SessionListener) => Promise<SessionsPort>;
  readonly out: (text: string) => void;
}

const COLUMNS = 80;
const FAILED_STATUS = 1;

class Plain {
  readonly #options: PlainOptions;
  readonly #lines: AsyncIterator<string>;
  /** A person at a terminal that only prints, as against a pipe: only the one can be asked. */
  readonly #isPerson = process.stdin.isTTY === true;
  readonly #close: () => void;
  #sessions: SessionsPort | undefined;
  #session: SessionPort | undefined;
  #running: AbortController | undefined;
  #isLeaving = false;
  #status = 0;
  readonly #events: PlainEvents;

  constructor(options: PlainOptions) {
    this.#options = options;
    this.#events = createPlainEvents((text) => this.#line(text));
    const reader = createInterface({ input: process.stdin, terminal: false });
    this.#lines = reader[Symbol.asyncIterator]();
    this.#close = () => reader.close();
    // Ctrl-C: the turn first, then the process.
    process.on('SIGINT', () => {
      if (this.#running === undefined || this.#running.signal.aborted) process.exit(130);
      this.#running.abort();
    });
  }

  async run(): Promise<number> {
    this.#sessions = await this.#options.connect({
      onEvent: (event) => this.#events.onEvent(event),
      ...(this.#isPerson ? { ask: (question) => this.#ask(question) } : {}),
    });
    try {
      this.#line(`Holdover · ${sanitiseLine(this.#sessions.about)} · /help`);
      await this.#open(this.#options.choice);
      await this.#converse();
      await this.#session?.close();
    } finally {
      this.#close();
      await this.#sessions.close();
    }
    return this.#status;
  }

  async #converse(): Promise<void> {
    for (let text = await this.#next(); text !== undefined && !this.#isLeaving; text = await this.#next()) {
      if (text.trim() !== '') await this.#one(text);
      if (this.#isLeaving) break;
    }
  }

  #line(text: string): void {
    this.#options.out(`${text}\n`);
  }

  async #next(): Promise<string | undefined> {
    if (this.#isPerson) this.#options.out('> ');
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  async #open(choice: SessionChoice): Promise<void> {
    const session = await this.#sessions?.open(choice);
    await this.#session?.close();
    this.#session = session;
    if (session === undefined) return;
    this.#line(`session ${session.sessionId}`);
    if (session.readOnly !== undefined) this.#line(`! ${sanitiseLine(session.readOnly)}`);
  }

  async #one(text: string): Promise<void> {
    if (!this.#isPerson) this.#line(`> ${sanitise(text)}`);
    const controller = new AbortController();
    this.#running = controller;
    try {
      const parsed = parseCommand(text);
      if (parsed === undefined) await this.#turn(text, controller.signal);
      else if (parsed.kind === 'command') await parsed.command.run(parsed.args, this.#host(controller.signal));
      else this.#fail(`there is no command /${parsed.name}; the nearest is /${parsed.nearest}`);
    } catch (error) {
      if (isAbort(error)) this.#line('interrupted; everything up to here is kept');
      else this.#fail(sanitise(messageOf(error)));
    } finally {
      this.#running = undefined;
    }
  }

  #fail(message: string): void {
    this.#status = FAILED_STATUS;
    this.#line(`! ${message}`);
  }

  async #turn(text: string, signal: AbortSignal): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const { pieces, notes } = await session.expand(text);
    for (const note of notes) this.#line(`  ${sanitiseLine(note)}`);
    const { stop } = await session.run(pieces, { signal });
    const why = STOPPED[stop];
    if (why !== undefined) this.#fail(why);
  }

  async #ask(question: PermissionQuestion): Promise<PermissionAnswer> {
    const { tool, input, reason } = question;
    const task = this.#events.taskOf(input);
    const asker = task === undefined ? '' : `  asked by a sub-agent: ${task}\n`;
    this.#line(`? ${tool} ${subjectOf(tool, input)}\n${asker}  ${sanitise(reason)}`);
    const answers = answersTo(question);
    this.#options.out(`  ${answers.map(({ key, what }) => `${key} ${what}`).join(', ')}: `);
    const { value } = await this.#lines.next();
    const given = String(value ?? 'n').trim();
    return answers.find(({ key }) => key === given)?.answer ?? 'deny';
  }

  /** Nothing can be pointed at here: what there is to choose from is listed, for the command to be given one. */
  async #choose(title: string, items: readonly Choice[]): Promise<string | undefined> {
    this.#line(title);
    for (const { value, label, description } of items)
      this.#line(
        `  ${value}  ${sanitiseLine(label)}${description === undefined ? '' : `  (${sanitiseLine(description)})`}`,
      );
    if (!this.#isPerson) return undefined;
    this.#options.out('  which: ');
    const { value } = await this.#lines.next();
    return items.find((item) => item.value === String(value ?? '').trim())?.value;
  }

  #host(signal: AbortSignal): CommandHost {
    const say = (lines: readonly string[]): void => this.#line(lines.join('\n'));
    const { folder } = this.#options;
    if (this.#session === undefined || this.#sessions === undefined) throw new Error('no session is open');
    return {
      theme: PLAIN,
      columns: COLUMNS,
      folder,
      session: this.#session,
      sessions: this.#sessions,
      signal,
      say,
      sayFolded: say,
      sayCompaction: (receipt) => say([compactionText(receipt), ...compactionDetails(receipt)]),
      working: () => undefined,
      choose: (title, items) => this.#choose(title, items),
      switchTo: (choice) => this.#open(choice),
      draft: (text) => this.#line(`the message was: ${sanitise(text)}`),
      refresh: () => undefined,
      leave: () => {
        this.#isLeaving = true;
      },
    };
  }
}

/** Resolves to the exit status: 1 where anything failed. */
export function runPlain(options: PlainOptions): Promise<number> {
  return new Plain(options).run();
}
