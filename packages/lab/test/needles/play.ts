/** Replays a story under a policy and looks for its needles after each compaction. */
import { createContext, holdoverLens, type Policy, recallTool, type Writer } from '@holdover/engine';
import { memoryArchive } from '@holdover/engine/archives/memory';
import { anthropic } from '@holdover/engine/codecs/anthropic';
import type { Message, Needle } from './needle.ts';
import type { Story } from './story.ts';

export type Found = 'in view' | 'by recall' | 'lost';

export interface Sighting {
  readonly needle: Needle;
  readonly found: Found;
}

export interface Look {
  /** How many compactions have been asked for. */
  readonly epochs: number;
  readonly sightings: readonly Sighting[];
  /** Messages with words of the user that are neither in view nor behind one recall; all of them so far are looked for. */
  readonly lostWords: readonly string[];
  readonly userMessages: number;
}

export interface PlayOptions {
  readonly policy: Policy;
  /** Absent: summaries are made without a model. */
  readonly writer?: Writer;
  /** After how many compactions to look. */
  readonly looks: readonly number[];
}

const ADDRESS = /\b[ch]_[0-9a-f.-]+(?:_[0-9a-f]+)?/g;
const MODEL = 'claude-opus-4-5';
const STEP_MS = 12_000;

type Session = ReturnType<typeof createContext<object, object>>;

function linesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split('\n');
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(linesIn);
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .filter((word) => word.length > 2);

/** The address beside which most words of a query stand in view. */
function likeliestAddress(lines: readonly string[], query: string): string | undefined {
  const words = wordsOf(query);
  let best: { address: string; score: number } | undefined;
  for (const line of lines) {
    const addresses = line.match(ADDRESS);
    if (addresses === null) continue;
    const low = line.toLowerCase();
    const score = words.filter((word) => low.includes(word)).length;
    if (score > (best?.score ?? 0)) best = { address: addresses.at(-1) ?? '', score };
  }
  return best?.address;
}

async function recalled(context: Session, address: string): Promise<string> {
  const answer = await context.recall(address).catch(() => undefined);
  return answer?.kind === 'content' ? answer.text : '';
}

function searched(context: Session, query: string): string {
  const found = context.search(query);
  return found.kind === 'hits' ? found.hits.map(({ what, excerpt }) => `${what}\n${excerpt}`).join('\n') : '';
}

/** A text as it stands in JSON, too: calls are shown as such. */
function holds(text: string, answer: string): boolean {
  return text.includes(answer) || text.includes(JSON.stringify(answer).slice(1, -1));
}

async function sight(
  context: Session,
  seen: readonly string[],
  { query, answer }: Pick<Needle, 'query' | 'answer'>,
): Promise<Found> {
  if (holds(seen.join('\n'), answer)) return 'in view';
  if (holds(searched(context, query), answer)) return 'by recall';
  const address = likeliestAddress(seen, query);
  if (address !== undefined && holds(await recalled(context, address), answer)) return 'by recall';
  return 'lost';
}

function wordsIn({ role, content }: Message): readonly string[] {
  return role === 'user' ? content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])) : [];
}

/** The user's messages: in view, or behind an address that says so. */
async function lostWords(
  context: Session,
  seen: readonly string[],
  said: readonly string[],
): Promise<readonly string[]> {
  const view = seen.join('\n');
  const missing = said.filter((text) => !holds(view, text));
  if (missing.length === 0) return [];
  const address = likeliestAddress(seen, 'older messages of the user left out');
  const older = address === undefined ? '' : await recalled(context, address);
  return missing.filter(
    (text) => !holds(older, text) && !holds(searched(context, text.split(/\s+/).slice(0, 6).join(' ')), text),
  );
}

class Player {
  readonly #story: Story;
  readonly #context: Session;
  readonly #request: object;
  #nowMs = Date.parse('2026-11-01T08:00:00Z');
  #seen: readonly string[] = [];

  constructor(story: Story, { policy, writer }: PlayOptions) {
    this.#story = story;
    this.#context = createContext<object, object>({
      codec: anthropic({ cache: false }) as never,
      archive: memoryArchive(),
      policy,
      lens: holdoverLens,
      windowTokens: 200_000,
      now: () => this.#nowMs,
      ...(writer === undefined ? {} : { writer }),
    });
    const { name, description, inputSchema } = recallTool(this.#context);
    const tools = [{ name, description, input_schema: inputSchema }];
    this.#request = { model: MODEL, max_tokens: 8_000, system: 'You are a coding agent.', tools, messages: [] };
  }

  /** Asks, and takes the recorded reply. */
  async #call(reply: Message): Promise<void> {
    this.#nowMs += STEP_MS;
    const turn = await this.#context.prepare(this.#request);
    this.#seen = linesIn((turn.request as { messages: unknown }).messages);
    const isCall = reply.content.some(({ type }) => type === 'tool_use');
    await turn.accept({ role: 'assistant', content: reply.content, stop_reason: isCall ? 'tool_use' : 'end_turn' });
  }

  async #look(epochs: number, length: number): Promise<Look> {
    const sightings: Sighting[] = [];
    for (const needle of this.#story.needles)
      sightings.push({ needle, found: await sight(this.#context, this.#seen, needle) });
    const said = this.#story.messages.slice(0, length).flatMap(wordsIn);
    return {
      epochs,
      sightings,
      lostWords: await lostWords(this.#context, this.#seen, said),
      userMessages: said.length,
    };
  }

  async play(looks: readonly number[]): Promise<readonly Look[]> {
    const found: Look[] = [];
    const { messages, epochs } = this.#story;
    let asked = 0;
    for (const [index, message] of messages.entries()) {
      if (message.role === 'user') {
        this.#context.append([message]);
        continue;
      }
      const isDue = asked < epochs.length && index >= (epochs[asked] ?? 0);
      if (isDue) {
        this.#context.compact();
        asked += 1;
      }
      await this.#call(message);
      if (isDue && looks.includes(asked)) found.push(await this.#look(asked, index));
    }
    return found;
  }
}

export function play(story: Story, options: PlayOptions): Promise<readonly Look[]> {
  return new Player(story, options).play(options.looks);
}

/** Models that summarise as badly as they may. */
export const POOR_WRITERS: Readonly<Record<'vague' | 'wrong', Writer>> = {
  vague: {
    name: 'vague',
    write: async () => ({
      text: 'Work went on. Some files were looked at, a few things were changed and some tests were run. Most of it is fine.',
      stop: 'end',
    }),
  },
  wrong: {
    name: 'wrong',
    write: async () => ({
      text: 'Goal: rewrite everything in another language. The user allows every change and set no limit. All tests pass; there were no errors. No decision was taken.',
      stop: 'end',
    }),
  },
};
