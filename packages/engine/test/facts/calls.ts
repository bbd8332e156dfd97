/** Histories made of rounds, for tests of facts. */
import { codePointTokens } from '../../src/core/estimate.ts';
import { History } from '../../src/core/history.ts';
import { entryOf } from '../../src/hub/session.ts';
import { anthropicBuilder, type CallSpec, type ResultSpec, type WireBuilder } from '../../src/testing/wire-builder.ts';

/** One call with its result; without `text` it stays unanswered. */
export interface Did {
  readonly name: string;
  readonly input: object;
  readonly text?: string;
  readonly isError?: boolean;
}

/** A history that grows round by round. */
export class Rounds {
  readonly history: History;
  readonly builder: WireBuilder;
  #calls = 0;

  constructor(builder: WireBuilder = anthropicBuilder, history: History = new History()) {
    this.builder = builder;
    this.history = history;
  }

  #append(message: object): void {
    this.history.append(entryOf(message, this.builder.codec, codePointTokens));
  }

  user(text: string): this {
    this.#append(this.builder.user(text));
    return this;
  }

  says(text: string): this {
    this.#append(this.builder.assistant({ text }));
    return this;
  }

  /** A batch of calls at once, and their results. */
  did(...batch: readonly Did[]): this {
    const calls: CallSpec[] = batch.map(({ name, input }, i) => ({ id: `call_${this.#calls + i}`, name, input }));
    const results: ResultSpec[] = batch.flatMap(({ text, isError = false }, i) =>
      text === undefined ? [] : [{ callId: `call_${this.#calls + i}`, text, isError }],
    );
    this.#calls += batch.length;
    this.#append(this.builder.assistant({ calls }));
    if (results.length > 0) for (const message of this.builder.results(results)) this.#append(message);
    return this;
  }

  read(path: string, text = 'text', more: object = {}): this {
    return this.did({ name: 'read_file', input: { path, ...more }, text });
  }

  wrote(path: string): this {
    return this.did({
      name: 'write_file',
      input: { path, content: 'x' },
      text: `created ${path} (1 characters written)`,
    });
  }

  edited(path: string): this {
    return this.did({
      name: 'edit_file',
      input: { path, old_text: 'x', new_text: 'y' },
      text: `edited ${path} at line 1`,
    });
  }

  failedEdit(path: string): this {
    const text = `edit_file: "old_text" does not occur in ${path}`;
    return this.did({ name: 'edit_file', input: { path, old_text: 'x', new_text: 'y' }, text, isError: true });
  }

  ran(command: string, output = 'ok', exitCode = 0): this {
    const text = exitCode === 0 ? output : `${output}\n(exit code ${exitCode})`;
    return this.did({ name: 'bash', input: { command }, text, isError: exitCode !== 0 });
  }
}
