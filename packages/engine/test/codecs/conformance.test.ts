import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { codecConformance, type RecordedReply } from '../../src/testing/codec-conformance.ts';
import { type WireBuilder, wireBuilders } from '../../src/testing/wire-builder.ts';
import { fixture } from './fixture.ts';

/** Every kind of part the builders know, as one request. */
function everyKind(builder: WireBuilder): object {
  const { user, assistant, result } = builder.kinds;
  const call = { id: 'call_1', name: 'bash', input: { command: 'ls', nested: { list: [1, true, null, 'x'] } } };
  return builder.request([
    ...Object.values(user).map((make) => make('some words')),
    ...Object.values(assistant).flatMap((make) => [make('some words', []), make('some words', [call])]),
    ...Object.values(result).flatMap((make) =>
      builder.results([{ callId: 'call_1', text: '', content: make('found it') }], 'and my words'),
    ),
    builder.host('a rule'),
  ]);
}

describe.each(wireBuilders)('codec conformance, $name', (builder) => {
  const recorded = fixture(`${builder.name}-agent-request.json`) as object;
  const replies = fixture(`${builder.name}-replies.json`) as readonly RecordedReply[];
  const options = { create: () => builder.codec, requests: [recorded, everyKind(builder)], replies };
  for (const { name, run } of codecConformance(options)) it(name, run);
});

describe('recorded payloads', () => {
  it.each(wireBuilders)('are JSON as it went over the wire, $name', (builder) => {
    const raw = readFileSync(new URL(`./fixtures/${builder.name}-agent-request.json`, import.meta.url), 'utf8');
    builder.codec.head(JSON.parse(raw) as object);
  });
});
