/** Policies others use, as plain functions outside the engine: what everything of ours is measured against. */
import type { CachePrices } from '@holdover/engine';
import { CLAUDE_CODE_WINDOW, windowOf } from '@holdover/engine';
import { fileNameOf, pathIn } from '../dependencies/find.ts';
import { textOf } from '../session/json.ts';
import type { Block, Message } from '../session/recorded.ts';
import type { Contestant, ReplayCall, Setup } from './contestant.ts';
import { standInSummary } from './stand-in.ts';

/** What a reference policy is: the view of a call, and what asking a model cost it so far. */
interface Rule {
  view(call: ReplayCall): readonly Message[];
  /** Input-token equivalents. */
  readonly ownCost?: number;
}

function reference(name: string, make: (setup: Setup) => Rule): Contestant {
  return {
    name,
    start(setup) {
      const rule = make(setup);
      return {
        extraHeadTokens: 0,
        view: async (call) => rule.view(call),
        settle: async () => undefined,
        ownCost: () => rule.ownCost ?? 0,
      };
    },
  };
}

const CLEARED = 'The result was cleared to save room.';

function hasResults({ content }: Message): boolean {
  return content.some(({ type }) => type === 'tool_result');
}

/** Makes cleared copies of messages, the same object for the same message. */
function createClearer(): (message: Message, keepNewest?: number) => Message {
  const made = new Map<Message, Map<number, Message>>();
  return (message, keepNewest = 0) => {
    const known = made.get(message)?.get(keepNewest);
    if (known !== undefined) return known;
    let left = message.content.filter(({ type }) => type === 'tool_result').length - keepNewest;
    const content = message.content.map((block): Block => {
      if (block.type !== 'tool_result') return block;
      left -= 1;
      return left >= 0 ? { ...block, content: CLEARED } : block;
    });
    const cleared = { ...message, content };
    made.set(message, (made.get(message) ?? new Map<number, Message>()).set(keepNewest, cleared));
    return cleared;
  };
}

/** Every turn, the results of all rounds but the newest `rounds` are cleared. */
export function maskEveryTurn(rounds: number): Contestant {
  return reference(`mask-${rounds}`, () => {
    const clear = createClearer();
    return {
      view({ history }) {
        const withResults = history.flatMap((message, index) => (hasResults(message) ? [index] : []));
        const from = withResults.at(-rounds) ?? 0;
        return history.map((message, index) => (index < from && hasResults(message) ? clear(message) : message));
      },
    };
  });
}

/** A part of the view that a batch of clears has done with. */
interface Cleared {
  readonly until: number;
  readonly messages: readonly Message[];
}

/** At `triggerTokens` all results but the newest `keep` are cleared together, where that frees at least `atLeastTokens`. */
export function clearInBatches(name: string, options: BatchOptions): Contestant {
  const { triggerTokens, keep, atLeastTokens } = options;
  return reference(name, ({ tokensOf }) => {
    const clear = createClearer();
    const sum = (messages: readonly Message[]): number => messages.reduce((all, message) => all + tokensOf(message), 0);
    const batch = (history: readonly Message[]): readonly Message[] => {
      let kept = 0;
      return history
        .toReversed()
        .map((message) => {
          if (!hasResults(message)) return message;
          const keepHere = Math.max(0, keep - kept);
          kept += message.content.filter(({ type }) => type === 'tool_result').length;
          return clear(message, keepHere);
        })
        .toReversed();
    };
    let done: Cleared = { until: 0, messages: [] };
    return {
      view({ history }) {
        const view = [...done.messages, ...history.slice(done.until)];
        const tokens = sum(view);
        if (tokens < triggerTokens) return view;
        const cleared = batch(history);
        if (tokens - sum(cleared) < atLeastTokens) return view;
        done = { until: history.length, messages: cleared };
        return cleared;
      },
    };
  });
}

export interface BatchOptions {
  readonly triggerTokens: number;
  /** Results that stay. */
  readonly keep: number;
  readonly atLeastTokens: number;
}

/** What a summary request of a model costs: the prompt read from the cache, the words written. */
function summaryCost(promptTokens: number, summaryTokens: number, { readTimes, outputTimes }: CachePrices): number {
  return readTimes * promptTokens + outputTimes * summaryTokens;
}

interface CompactOptions {
  /** Messages and head together. */
  readonly triggerTokens: number;
  /** Verbatim at the end; whole rounds. 0: nothing. */
  readonly tailTokens: number;
  readonly summaryTokens: number;
  /** Whether a model writes the summary, which costs a request. */
  readonly isByModel: boolean;
  /** What else is put back behind the summary. */
  readonly restore?: (history: readonly Message[]) => readonly Block[];
  /** What a message is sent as. */
  readonly shape?: (message: Message, history: readonly Message[]) => Message;
}

/** Where the tail begins: before a message of the user's side without results, or before a reply. */
function tailStart(history: readonly Message[], tailTokens: number, tokensOf: (message: object) => number): number {
  let start = history.length;
  let tokens = 0;
  for (let index = history.length - 1; index > 0 && tailTokens > 0; index -= 1) {
    const message = history[index] as Message;
    tokens += tokensOf(message);
    if (tokens > tailTokens && start < history.length) break;
    if (!hasResults(message)) start = index;
  }
  return start;
}

/** A summary in place of everything before the tail, again and again. */
function compactRule(setup: Setup, options: CompactOptions): Rule {
  const { tokensOf, headTokens, prices } = setup;
  const { triggerTokens, tailTokens, summaryTokens, isByModel, restore, shape = (message) => message } = options;
  let front: readonly Message[] = [];
  let from = 0;
  let ownCost = 0;
  return {
    get ownCost() {
      return ownCost;
    },
    view({ history }) {
      const shaped = (start: number): readonly Message[] =>
        history.slice(start).map((message) => shape(message, history));
      const view = [...front, ...shaped(from)];
      const tokens = view.reduce((sum, message) => sum + tokensOf(message), headTokens);
      if (tokens < triggerTokens) return view;
      if (isByModel) ownCost += summaryCost(tokens, summaryTokens, prices);
      from = tailStart(history, tailTokens, tokensOf);
      const text = standInSummary(history.slice(0, from), summaryTokens, setup);
      front = [{ role: 'user', content: [{ type: 'text', text }, ...(restore?.(history) ?? [])] }];
      return [...front, ...shaped(from)];
    },
  };
}

const SUMMARY_TOKENS = 4_000;

/** The common default: at `triggerTokens` a model's summary of 4,000 tokens and a tail. */
export function compactAt(
  name: string,
  limits: { readonly triggerTokens: number; readonly tailTokens: number },
): Contestant {
  return reference(name, (setup) => compactRule(setup, { ...limits, summaryTokens: SUMMARY_TOKENS, isByModel: true }));
}

/** The same without a model, the tail a quarter of the trigger and 20,000 at most: a grid of these is the oracle that knows the best fixed trigger. */
export function digestAt(triggerTokens: number): Contestant {
  const tailTokens = Math.min(20_000, triggerTokens / 4);
  const summaryTokens = Math.min(SUMMARY_TOKENS, triggerTokens / 10);
  return reference(`digest-${triggerTokens / 1_000}k`, (setup) =>
    compactRule(setup, { triggerTokens, tailTokens, summaryTokens, isByModel: false }),
  );
}

/** Claude Code as observed in 2026: sizes in characters of one result, tokens of what is restored. */
const CLAUDE_CODE = { resultChars: 50_000, previewChars: 2_000, files: 5, fileTokens: 5_000 } as const;

/** Tools whose results it never cuts, since reading them again would give the same. */
const READ_TOOL = /read/i;

function callOf(id: string, history: readonly Message[]): Block | undefined {
  return history.flatMap(({ content }) => content).find((block) => block.type === 'tool_use' && block['id'] === id);
}

function resultText(block: Block): string {
  const { content } = block;
  if (typeof content === 'string') return content;
  return (content as readonly Block[] | undefined)?.map((inner) => textOf(inner['text'])).join('\n') ?? '';
}

/** A result over the limit leaves the place where it is kept and its beginning. */
function persistLarge(message: Message, history: readonly Message[]): Message {
  if (!hasResults(message)) return message;
  const content = message.content.map((block): Block => {
    const text = block.type === 'tool_result' ? resultText(block) : '';
    if (text.length <= CLAUDE_CODE.resultChars) return block;
    const isRead = READ_TOOL.test(textOf(callOf(textOf(block['tool_use_id']), history)?.['name']));
    const preview = `Saved to a file, ${text.length} characters. It begins:\n${text.slice(0, CLAUDE_CODE.previewChars)}`;
    return isRead ? block : { ...block, content: preview };
  });
  return content.every((block, index) => block === message.content[index]) ? message : { ...message, content };
}

/** The files read last, as they were read last; too large ones by name. */
function newestFiles(history: readonly Message[], { count }: Setup): readonly Block[] {
  const calls = history.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use');
  const results = new Map(
    history
      .flatMap(({ content }) => content)
      .flatMap((block) => (block.type === 'tool_result' ? [[textOf(block['tool_use_id']), block] as const] : [])),
  );
  const byPath = new Map<string, Block>();
  for (const call of calls.toReversed()) {
    const path = pathIn(call['input']);
    const result = results.get(textOf(call['id']));
    if (path === '' || result === undefined || !READ_TOOL.test(textOf(call['name'])) || byPath.has(path)) continue;
    byPath.set(path, result);
  }
  return [...byPath].slice(0, CLAUDE_CODE.files).map(([path, result]) => {
    const text = resultText(result);
    const shown = count(text) <= CLAUDE_CODE.fileTokens ? text : `(too large: ${fileNameOf(path)})`;
    return { type: 'text', text: `${path}\n${shown}` };
  });
}

/** Claude Code's thresholds, large results on arrival, a summary without a tail, and the newest files again; cleared results not, they are off. */
export function claudeCode(): Contestant {
  return reference('claude-code', (setup) => {
    const { windowTokens, maxOutputTokens } = setup;
    const { actTokens } = windowOf({ windowTokens, maxOutputTokens }, CLAUDE_CODE_WINDOW);
    const shaped = new Map<Message, Message>();
    return compactRule(setup, {
      triggerTokens: actTokens,
      tailTokens: 0,
      summaryTokens: SUMMARY_TOKENS,
      isByModel: true,
      restore: (history) => newestFiles(history, setup),
      shape(message, history) {
        const known = shaped.get(message) ?? persistLarge(message, history);
        shaped.set(message, known);
        return known;
      },
    });
  });
}
