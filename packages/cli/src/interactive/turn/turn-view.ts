/** Turns what happens in an agent into blocks of the transcript. */
import type { AgentEvent } from '@holdover/agent';
import type { ContextEvent, Receipt } from '@holdover/engine';
import { compactionBlock, heldBack, isWorthALine } from '../blocks/compaction-block.ts';
import { failureBlock, noticeBlock } from '../blocks/note-block.ts';
import { type ReplyBlock, replyBlock } from '../blocks/reply-block.ts';
import { type ThinkingBlock, thinkingBlock } from '../blocks/thinking-block.ts';
import { exact } from '../text/numbers.ts';
import { sanitiseLine } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import { Retries } from './retries.ts';
import type { Stage } from './stage.ts';
import { ToolCalls } from './tool-calls.ts';

export interface TurnView {
  onEvent(event: AgentEvent): void;
  /** Tells of a compaction that is not told of yet. */
  compaction(receipt: Receipt): void;
  /** The task for which a sub-agent made the call with this input; undefined for calls of the main agent. */
  taskOf(input: unknown): string | undefined;
  /** The turn is over, however it ended. */
  end(): void;
}

class View implements TurnView {
  readonly #stage: Stage;
  readonly #theme: Theme;
  readonly #tools: ToolCalls;
  readonly #retries: Retries;
  #reply: ReplyBlock | undefined;
  #text = '';
  #thinking: ThinkingBlock | undefined;
  #thought = '';
  /** The compaction of the request under way, told when it is made and not again when it is taken in. */
  #told: string | undefined;
  /** The newest reason for which there was no compaction: it comes again with every request. */
  #held = '';

  constructor(stage: Stage, theme: Theme) {
    this.#stage = stage;
    this.#theme = theme;
    this.#tools = new ToolCalls(stage, theme);
    this.#retries = new Retries(stage, theme);
  }

  onEvent(event: AgentEvent): void {
    switch (event.type) {
      case 'reasoning-delta':
        return this.#think(event.delta);
      case 'text-delta':
        return this.#grow(event.delta);
      case 'assistant-message':
        return this.#closeReply(event.text);
      case 'tool-start':
        return this.#tools.start(event);
      case 'tool-end':
        return this.#tools.end(event);
      case 'subagent':
        return this.#tools.subagent(event);
      case 'context':
        return this.#context(event.event);
      default:
        return this.#aside(event);
    }
  }

  taskOf(input: unknown): string | undefined {
    return this.#tools.taskOf(input);
  }

  end(): void {
    this.#retries.end();
    this.#closeThinking();
    this.#reply = undefined;
    this.#text = '';
    this.#tools.clear();
  }

  /** What is about the session rather than part of it. */
  #aside(event: AgentEvent): void {
    if (event.type === 'request-retry') this.#retry(event);
    if (event.type === 'notice') this.#warn(event.text);
    if (event.type === 'fallback') this.#warn(`${event.from} is overloaded: ${event.to} takes over for this message`);
    // Turns are counted anew in another session.
    if (event.type === 'session-start') this.#told = undefined;
    if (event.type === 'session-start' && event.forkedFrom !== undefined)
      this.#warn(`session ${event.forkedFrom} is open in another process; this goes on in a copy`);
  }

  #think(delta: string): void {
    this.#thought += delta;
    if (this.#thought.trim() === '') return;
    if (this.#thinking === undefined) {
      this.#thinking = thinkingBlock(this.#theme);
      this.#stage.add(this.#thinking);
      this.#stage.working('thinking');
    }
    this.#thinking.setText(this.#thought);
    this.#stage.changed(this.#thinking);
  }

  #closeThinking(): void {
    this.#thought = '';
    if (this.#thinking === undefined) return;
    this.#thinking.end();
    this.#stage.changed(this.#thinking);
    this.#thinking = undefined;
  }

  #grow(delta: string): void {
    this.#text += delta;
    if (this.#text.trim() === '') return;
    this.#closeThinking();
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
    this.#retries.end();
    this.#closeThinking();
    if (text.trim() !== '' && this.#reply === undefined) this.#grow(text);
    this.#reply = undefined;
    this.#text = '';
    this.#stage.working('working');
  }

  #retry(event: Extract<AgentEvent, { type: 'request-retry' }>): void {
    // Half a reply was drawn and will come again from its beginning.
    this.#reply?.setText('');
    if (this.#reply !== undefined) this.#stage.changed(this.#reply);
    this.#text = '';
    this.#thinking?.setText('');
    this.#closeThinking();
    this.#retries.add(event);
  }

  #context(event: ContextEvent): void {
    switch (event.type) {
      case 'turn-start':
        this.#heldBack(event.receipt);
        if (isWorthALine(event.receipt)) this.compaction(event.receipt);
        return undefined;
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

  compaction(receipt: Receipt): void {
    if (this.#told === receipt.turnId) return;
    this.#told = receipt.turnId;
    this.#stage.add(compactionBlock(receipt, this.#theme));
  }

  /** It comes again with every request, and is said once; what somebody asked for is answered each time. */
  #heldBack(receipt: Receipt): void {
    const why = heldBack(receipt).join('\n');
    const isAsked = receipt.held.some((note) => note.startsWith('summary: manual'));
    if (why !== '' && (isAsked || why !== this.#held)) this.#warn(why);
    this.#held = why;
  }

  #warn(text: string): void {
    this.#stage.add(noticeBlock(text, this.#theme));
  }
}

export function createTurnView(stage: Stage, theme: Theme): TurnView {
  return new View(stage, theme);
}
