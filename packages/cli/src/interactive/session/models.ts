/** Which models may go on with a session, and which are worth offering. */
import { knownModels, type ModelFacts, vendorOfModel } from '@holdover/engine';
import type { OpenedModel } from '../../model.ts';

const NAMES = { anthropic: 'Anthropic', openai: 'OpenAI' } as const;
const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;

/** They take tools in OpenAI's Responses API only, which is not spoken here. */
const RESPONSES_ONLY = /^gpt-6\.\d/;

/** A server of one's own, or a gateway, may serve anybody's models under any name. */
function isVendors({ endpoint }: OpenedModel): boolean {
  return endpoint?.baseUrl === undefined || /\.(?:anthropic|openai)\.com$/.test(new URL(endpoint.baseUrl).hostname);
}

/** Why `id` cannot be asked, and what to do instead; undefined where it can. */
export function refusalOf(id: string, opened: OpenedModel): string | undefined {
  if (opened.isBuiltin)
    return id === opened.model
      ? undefined
      : 'The built-in model is the only one here. With ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment, or --base-url, there are others.';
  const vendor = vendorOfModel(id);
  const own = opened.endpoint?.vendor;
  if (own === undefined || !isVendors(opened)) return undefined;
  if (vendor !== undefined && vendor !== own)
    return `${id} is a model of ${NAMES[vendor]}, and this session speaks with ${NAMES[own]}. Leave, set ${KEYS[vendor]} and start anew: holdover --model ${id}`;
  if (own === 'openai' && RESPONSES_ONLY.test(id))
    return `${id} takes tools in OpenAI's Responses API only, which Holdover does not speak; gpt-6-sol does.`;
  return undefined;
}

/** Models of the same vendor the table knows; none for other servers, which say themselves what they serve. */
export function offeredModels(opened: OpenedModel): readonly ModelFacts[] {
  const { endpoint } = opened;
  if (endpoint === undefined || !isVendors(opened)) return [];
  return knownModels(endpoint.vendor).filter(({ id }) => refusalOf(id, opened) === undefined);
}
