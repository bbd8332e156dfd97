/** Turns what happens in an agent into blocks of the transcript. */
import type { AgentEvent } from '@holdover/agent';
import type { ContextEvent, Receipt } from '@holdover/engine';
import { type Block, fixedBlock } from './blocks/block.ts';
import { compactionBlock, isWorthALine } from './blocks/compaction-block.ts';
import { failureBlock, hintBlock } from './blocks/note-block.ts';
import { type ReplyBlock, replyBlock } from './blocks/reply-block.ts';
import { type ToolBlock, toolBlock } from './blocks/tool-block.ts';
import { subjectOf } from './blocks/describe-call.ts';
import { inWords } from './run-note.ts';
import { wrap } from './text/lines.ts';
import { exact } from './text/numbers.ts';
import { sanitise, sanitiseLine } from './text/sanitise.ts';
import type { Theme } from './text/theme.ts';

/** Where blocks go. */
export interface Stage {
  add(block: Block): void;
  changed(block: Block): void;
  working(what: string | undefined): void;
}

export interface TurnView {
  onEvent(event: AgentEvent): void;
  /** The turn is over, however it ended. */
  end(): void;
}

class View implements TurnView {
  readonly #stage: Stage;
  readonly #theme: Theme;
  readonly #tools = new Map<string, ToolBlock>();
  #reply: ReplyBlock | undefined;
  #text = '';
  #retries: { line: string } | undefined;
  #retryBlock: Block | undefined;
  /** The compaction of the request under way, told when it is sent and not again when it is taken in. */
  #told: string | undefined;

  constructor(stage: Stage, theme: Theme) {
    this.#stage = stage;
    this.#theme = theme;
  }

  onEvent(event: AgentEvent): void {
    switch (event.type) {
      case 'text-delta':
        return this.#grow(event.delta);
      case 'assistant-message':
        return this.#closeReply(event.text);
      case 'tool-start':
        return this.#startTool(event);
      case 'tool-end':
        return this.#endTool(event);
      case 'request-retry':
        return this.#retry(event);
      case 'notice':
        return this.#warn(event.text);
      case 'context':
        return this.#context(event.event);
      default:
        return undefined;
    }
  }

  end(): void {
    this.#retries = undefined;
    this.#reply = undefined;
    this.#text = '';
    this.#tools.clear();
  }

  #grow(delta: string): void {
    this.#text += delta;
    if (this.#text.trim() === '') return;
    if (this.#reply === undefined) {
      this.#reply = replyBlock(this.#theme);
      this.#stage.add(this.#reply);
      this.#stage.working('writing');
    }
    this.#reply.setText(this.#text);
    this.#stage.changed(this.#reply);
  }

  /** The whole reply, which may say what no delta did. */
  #closeReply(text: string): void {
    this.#retries = undefined;
    if (text.trim() !== '' && this.#reply === undefined) this.#grow(text);
    this.#reply = undefined;
    this.#text = '';
    this.#stage.working('working');
  }

  #startTool({ id, name, input }: Extract<AgentEvent, { type: 'tool-start' }>): void {
    const block = toolBlock({ name, input }, this.#theme);
    this.#tools.set(id, block);
    this.#stage.add(block);
    this.#stage.working(sanitiseLine(`${name} ${subjectOf(name, input)}`).slice(0, 60));
  }

  #endTool({ id, text, isError }: Extract<AgentEvent, { type: 'tool-end' }>): void {
    const block = this.#tools.get(id);
    if (block === undefined) return;
    block.end({ text, isError });
    this.#tools.delete(id);
    this.#stage.changed(block);
    this.#stage.working('working');
  }

  #retry({ reason, waitMs }: Extract<AgentEvent, { type: 'request-retry' }>): void {
    // Half a reply was drawn and will come again from its beginning.
    this.#reply?.setText('');
    if (this.#reply !== undefined) this.#stage.changed(this.#reply);
    this.#text = '';
    const wait = waitMs > 0 ? `, again in ${exact(Math.ceil(waitMs / 1_000))} s` : '';
    const line = this.#theme.dim(sanitise(`↻ ${inWords(reason)}${wait}`));
    // One line for all attempts of one request.
    if (this.#retries === undefined) {
      this.#retries = { line };
      const retries = this.#retries;
      this.#retryBlock = fixedBlock((columns) => wrap(retries.line, columns));
      this.#stage.add(this.#retryBlock);
    } else if (this.#retryBlock !== undefined) {
      this.#retries.line = line;
      this.#stage.changed(this.#retryBlock);
    }
  }

  #context(event: ContextEvent): void {
    switch (event.type) {
      case 'turn-start':
        return this.#compaction(event.receipt);
      case 'turn-accept':
        this.#told = undefined;
        return undefined;
      case 'summary-start':
        return this.#stage.working(`compacting: ${sanitiseLine(event.writer)} writes a summary`);
      case 'summary-end':
        if (event.refusal !== undefined) this.#warn(`the summary was refused: ${event.refusal}`);
        return this.#stage.working('working');
      case 'turn-overflow':
        return this.#warn(
          event.requestedTokens === undefined
            ? 'too long for the model: asking again with less'
            : `too long for the model (${exact(event.requestedTokens)} tokens): asking again with less`,
        );
      case 'silent-truncation':
        return this.#stage.add(
          failureBlock(`the provider cut the prompt: ${exact(event.reportedTokens)} tokens arrived`, this.#theme),
        );
      default:
        return undefined;
    }
  }

  #compaction(receipt: Receipt): void {
    if (!isWorthALine(receipt) || this.#told === receipt.turnId) return;
    this.#told = receipt.turnId;
    this.#stage.add(compactionBlock(receipt, this.#theme));
  }

  #warn(text: string): void {
    this.#stage.add(hintBlock(`! ${text}`, this.#theme));
  }
}

export function createTurnView(stage: Stage, theme: Theme): TurnView {
  return new View(stage, theme);
}
