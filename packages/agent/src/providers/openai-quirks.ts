/** What servers of the Chat Completions format refuse, read from their refusals. Each is learned once and kept for its model. */

type Body = Readonly<Record<string, unknown>>;

export interface Quirk {
  /** For people. */
  readonly about: string;
  readonly isMeant: (refusal: string, body: Body) => boolean;
  readonly apply: (body: Body) => Body;
}

function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
}

function renamed(body: Body, from: string, to: string): Body {
  return body[from] === undefined ? body : { ...without(body, from), [to]: body[from] };
}

function mapAssistants(body: Body, change: (message: Body) => Body): Body {
  const messages = (body['messages'] as readonly Body[]).map((message) =>
    message['role'] === 'assistant' ? change(message) : message,
  );
  return { ...body, messages };
}

const REASONING_MEMBERS = ['reasoning_content', 'reasoning_details', 'reasoning'] as const;
const UNKNOWN = /unknown|unrecognized|unsupported|not support|unexpected|extra|not permitted|forbidden|invalid/i;

/** In the order they are applied. */
export const QUIRKS: readonly Quirk[] = [
  {
    // OpenAI from gpt-5.6 on: "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
    about: 'this model takes tools here only without reasoning',
    isMeant: (refusal, body) => /reasoning_effort to '?none/i.test(refusal) && body['tools'] !== undefined,
    apply: (body) => (body['tools'] === undefined ? body : { ...body, reasoning_effort: 'none' }),
  },
  {
    about: 'the server does not take a reasoning effort',
    isMeant: (refusal, body) => /reasoning_effort/.test(refusal) && body['reasoning_effort'] !== undefined,
    apply: (body) => without(body, 'reasoning_effort'),
  },
  {
    about: 'the server wants max_completion_tokens',
    isMeant: (refusal, body) => /max_completion_tokens/.test(refusal) && body['max_tokens'] !== undefined,
    apply: (body) => renamed(body, 'max_tokens', 'max_completion_tokens'),
  },
  {
    about: 'the server wants max_tokens',
    isMeant: (refusal, body) =>
      /max_completion_tokens/.test(refusal) && UNKNOWN.test(refusal) && body['max_completion_tokens'] !== undefined,
    apply: (body) => renamed(body, 'max_completion_tokens', 'max_tokens'),
  },
  {
    about: 'the server reports no usage while it streams',
    isMeant: (refusal, body) => /stream_options/.test(refusal) && body['stream_options'] !== undefined,
    apply: (body) => without(body, 'stream_options'),
  },
  {
    // DeepSeek: "The reasoning_content in the thinking mode must be passed back to the API." An empty one will do.
    about: 'the server wants a reasoning_content with every call',
    isMeant: (refusal) => /reasoning_content/.test(refusal) && /passed back|missing/i.test(refusal),
    apply: (body) =>
      mapAssistants(body, (message) =>
        message['tool_calls'] === undefined ? message : { reasoning_content: '', ...message },
      ),
  },
  {
    about: 'the server takes no reasoning back',
    isMeant: (refusal) =>
      /reasoning(?:_content|_details)?/.test(refusal) &&
      /messages/.test(refusal) &&
      UNKNOWN.test(refusal) &&
      !/passed back|missing/i.test(refusal),
    apply: (body) => mapAssistants(body, (message) => REASONING_MEMBERS.reduce(without, message)),
  },
];

/** The quirk a refusal speaks of that is not `known` yet; undefined for every other error. */
export function learnedFrom(error: unknown, body: Body, known: ReadonlySet<Quirk>): Quirk | undefined {
  const { status, message } = error as { status?: number; message?: string };
  if ((status !== 400 && status !== 422) || message === undefined) return undefined;
  return QUIRKS.find((quirk) => !known.has(quirk) && quirk.isMeant(message, body));
}

export function applyQuirks(body: Body, known: ReadonlySet<Quirk>): Body {
  return QUIRKS.filter((quirk) => known.has(quirk)).reduce((next, quirk) => quirk.apply(next), body);
}
