/** The model lists of both vendors. */

import type { JsonObject } from '../json.ts';

export interface ListedModel {
  readonly id: string;
  readonly windowTokens: number;
}

const CREATED_AT = '2026-01-01T00:00:00Z';
const CREATED_SECONDS = 1_767_225_600;

export function encodeModel(profile: 'anthropic' | 'openai', { id, windowTokens }: ListedModel): JsonObject {
  if (profile === 'openai') return { id, object: 'model', created: CREATED_SECONDS, owned_by: 'simulator' };
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: CREATED_AT,
    max_input_tokens: windowTokens,
    max_tokens: windowTokens,
    capabilities: null,
    line: null,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
  };
}

export function encodeModels(profile: 'anthropic' | 'openai', models: readonly ListedModel[]): JsonObject {
  const data = models.map((model) => encodeModel(profile, model));
  if (profile === 'openai') return { object: 'list', data };
  return { data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
}
