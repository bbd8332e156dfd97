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
  /** Messages of the user that are neither in view nor behind one recall; all of them so far are looked for. */
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

/** What a model sees that calls the recall tool once. */
type Recall = (input: object) => Promise<string>;

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

/** What stands for a stretch of the conversation says how many messages it had. */
const STRETCH = /\bmessages?\b/;

/** The address beside which most words of a query stand in view; where none does, that of the first stretch of messages that was left out. */
function likeliestAddress(lines: readonly string[], query: string): string | undefined {
  const words = wordsOf(query);
  let best: { readonly address: string; readonly score: number } | undefined;
  for (const line of lines) {
    const address = line.match(ADDRESS)?.at(-1);
    if (address === undefined) continue;
    const low = line.toLowerCase();
    const found = words.filter((word) => low.includes(word)).length;
    const score = found > 0 ? found : Number(STRETCH.test(line)) / 2;
    if (score > (best?.score ?? 0)) best = { address, score };
  }
  return best?.address;
}

/** A text as it stands in JSON, too: calls are shown as such. */
function holds(text: string, answer: string): boolean {
  return text.includes(answer) || text.includes(JSON.stringify(answer).slice(1, -1));
}

/** In view, or in what one recall gives: a search, or the address that looks likeliest. */
async function sight(
  recall: Recall,
  seen: readonly string[],
  { query, answer }: Pick<Needle, 'query' | 'answer'>,
): Promise<Found> {
  if (holds(seen.join('\n'), answer)) return 'in view';
  if (holds(await recall({ query }), answer)) return 'by recall';
  const address = likeliestAddress(seen, query);
  if (address !== undefined && holds(await recall({ address }), answer)) return 'by recall';
  return 'lost';
}

function wordsIn({ role, content }: Message): readonly string[] {
  return role === 'user' ? content.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])) : [];
}

/** Words of a message somebody may remember it by. */
const REMEMBERED_WORDS = 6;

async function lostWords(recall: Recall, seen: readonly string[], said: readonly string[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const answer of said) {
    const query = answer.split(/\s+/).slice(0, REMEMBERED_WORDS).join(' ');
    if ((await sight(recall, seen, { query, answer })) === 'lost') lost.push(answer);
  }
  return lost;
}

class Player {
  readonly #story: Story;
  readonly #context: Session;
  readonly #request: object;
  readonly #recall: Recall;
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
    const { name, description, inputSchema, run } = recallTool(this.#context);
    this.#recall = async (input) => (await run(input)).text;
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
      sightings.push({ needle, found: await sight(this.#recall, this.#seen, needle) });
    const said = this.#story.messages.slice(0, length).flatMap(wordsIn);
    return {
      epochs,
      sightings,
      lostWords: await lostWords(this.#recall, this.#seen, said),
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
