/** Histories out of builders' messages, for tests of the core without a context. */
import type { Archive } from '../../src/core/archive.ts';
import { codePointTokens } from '../../src/core/estimate.ts';
import { History } from '../../src/core/history.ts';
import type { LayerInput } from '../../src/core/layers/layer.ts';
import { EMPTY_VIEW, extend } from '../../src/core/view.ts';
import { CLASSIC_WINDOW, windowOf } from '../../src/core/window.ts';
import { entryOf } from '../../src/hub/session.ts';
import { anthropicBuilder, type WireBuilder } from '../../src/testing/wire-builder.ts';
import { memoryArchive } from '../properties/support/doubles.ts';

export const build: WireBuilder = anthropicBuilder;

export function historyOf(messages: readonly object[], builder: WireBuilder = build): History {
  const history = new History();
  for (const message of messages) history.append(entryOf(message, builder.codec, codePointTokens));
  return history;
}

export const hash: NonNullable<Archive['hash']> = (text) => memoryArchive().hash?.(text) ?? '';

export function inputOf(messages: readonly object[], windowTokens = 200_000): LayerInput {
  const history = historyOf(messages);
  const window = windowOf({ windowTokens, maxOutputTokens: 1_000 }, CLASSIC_WINDOW);
  return { history, view: extend(EMPTY_VIEW, history), window, count: codePointTokens, hash };
}

export const call = (...ids: string[]): object =>
  build.assistant({ calls: ids.map((id) => ({ id, name: 'bash', input: {} })) });

export const result = (...ids: string[]): object =>
  build.results(ids.map((callId) => ({ callId, text: `result of ${callId}` })))[0] ?? {};
