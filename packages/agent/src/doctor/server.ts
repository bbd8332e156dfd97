/** The provider: whether it answers, takes the key and knows the model. */
import { type Endpoint, isLocalUrl } from '../providers/choose-provider.ts';
import { NO_KEY } from '../providers/provider.ts';
import { type Answer, ask, type Fields, listAt, type Server } from '../windows/ask-json.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const OWN_URLS = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;

/** A provider far away takes longer than a server next door. Milliseconds. */
const TIMEOUT_MS = 10_000;

const MAX_NAMES = 5;

interface Catalogue {
  readonly answer: Answer;
  /** Undefined where the server lists none. */
  readonly models: readonly Fields[] | undefined;
}

/** What the server says of its models: one request that costs nothing. */
export async function askCatalogue({ vendor, baseUrl, apiKey }: Endpoint, signal: AbortSignal): Promise<Catalogue> {
  // As requests will be sent: where no key is needed, something stands in for it.
  const key = apiKey ?? NO_KEY;
  const server: Server = {
    baseUrl: baseUrl ?? OWN_URLS[vendor],
    signal,
    ...(vendor === 'openai' ? { apiKey: key } : { headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' } }),
  };
  const path = vendor === 'anthropic' ? './v1/models?limit=1000' : './models';
  const answer = await ask(server, { path, timeoutMs: TIMEOUT_MS });
  const isList = answer.kind === 'answer' && answer.status === 200;
  return { answer, models: isList ? listAt(answer.body, 'data') : undefined };
}

function addressOf({ vendor, baseUrl }: Endpoint): string {
  return new URL(baseUrl ?? OWN_URLS[vendor]).origin;
}

export function checkServer(endpoint: Endpoint, { answer }: Catalogue): Finding {
  const address = addressOf(endpoint);
  if (answer.kind === 'none') {
    const isLocal = endpoint.baseUrl !== undefined && isLocalUrl(endpoint.baseUrl);
    return fail(
      'server',
      `${address} does not answer: ${answer.reason}`,
      isLocal ? 'start the server, or correct the base URL' : 'check the network, the proxy and the base URL',
    );
  }
  const { status } = answer;
  if (status === 401 || status === 403)
    return fail(
      'server',
      `${address} refuses the key (${status})`,
      'make a new key, and check that it is for this server',
    );
  if (status === 429)
    return warn('server', `${address} answers, but limits your rate (429)`, 'wait, or raise the limit');
  if (status >= 500) return warn('server', `${address} has trouble of its own (${status})`, 'try again later');
  if (status === 404)
    return warn(
      'server',
      `${address} answers, but has no list of models`,
      'check that the base URL ends where /models is served, usually in /v1',
    );
  if (status !== 200) return warn('server', `${address} answers with status ${status}`, 'check the base URL');
  return ok(
    'server',
    endpoint.apiKey === undefined ? `${address} answers` : `${address} answers and does not refuse the key`,
  );
}

export function checkModel(model: string, { models }: Catalogue): Finding | undefined {
  if (models === undefined) return undefined;
  const ids = models.map(({ id }) => String(id));
  if (ids.includes(model) || ids.includes(`${model}:latest`)) return ok('model', `${model} is served there`);
  const stem = model.slice(0, 4).toLowerCase();
  const near = [...ids.filter((id) => id.toLowerCase().includes(stem)), ...ids].slice(0, MAX_NAMES);
  const names = near.length === 0 ? 'it lists none' : `it has ${[...new Set(near)].join(', ')}`;
  // Aliases and dated names are not always listed.
  return warn('model', `${model} is not in the server's list`, `name one of its models: ${names}`);
}
