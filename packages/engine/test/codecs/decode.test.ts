/** What each recorded message means, pinned by literals. */
import { describe, expect, it } from 'vitest';
import type { Decoded } from '../../src/core/entry.ts';
import { anthropicBuilder, openaiChatBuilder, type WireBuilder } from '../../src/testing/wire-builder.ts';
import { fixture } from './fixture.ts';

function outline({ origin, parts }: Decoded): string {
  const names = parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return `text ${part.text}`;
      case 'call':
        return `call ${part.id} ${part.name} ${JSON.stringify(part.input)}`;
      case 'result':
        return `result ${part.callId} ${JSON.stringify(part.text)}${part.isError ? ' error' : ''}${part.mediaCount > 0 ? ` +${part.mediaCount}` : ''}`;
      case 'reasoning':
        return `reasoning ${part.sizeChars}`;
      case 'media':
        return `media ${part.mediaType}`;
      default:
        return `opaque ${part.name}${part.isBarrier ? ' barrier' : ''}`;
    }
  });
  return [origin, ...names].join(' | ');
}

function outlines(builder: WireBuilder): readonly string[] {
  const request = fixture(`${builder.name}-agent-request.json`) as object;
  return builder.codec.messages(request).map((message) => outline(builder.codec.decode(message)));
}

describe('decoding', () => {
  it('reads Anthropic Messages', () => {
    expect(outlines(anthropicBuilder)).toEqual([
      'user | text Look at the screenshot and fix the header. | media image/png',
      'model | reasoning 39 | reasoning 12 | text I will read both. | call toolu_01A read_file {"path":"src/header.tsx"} | call toolu_01B read_file {"path":"src/header.css"}',
      'user | result toolu_01A "export function Header() {}\\n" | result toolu_01B "ENOENT: no such file" error +1 | text By the way, keep it blue.',
      'model | opaque server_tool_use | opaque web_search_tool_result | text Blue it is.',
      'user | media text/plain | opaque search_result | opaque container_upload | text Follow this guide.',
      'host | text From now on answer briefly.',
      'model | text Understood.',
      'user | text Go on.',
    ]);
  });

  it('reads Chat Completions, leading messages of the host left to the head', () => {
    expect(outlines(openaiChatBuilder)).toEqual([
      'user | text Look at the screenshot and fix the header. | media image | media file | media audio',
      'model | reasoning 27 | text I will read both. | call call_1 read_file {"path":"src/header.tsx"} | call call_2 apply_patch "*** Begin Patch"',
      'user | result call_1 "export function Header() {}\\n"',
      'user | result call_2 "Done"',
      'model | text I cannot open the audio.',
      'user | text Why not?',
      'model | text It is | text not allowed',
      'host | text From now on answer in French.',
      'user | text Read it aloud.',
      'model | opaque audio',
      'user | text Merci.',
    ]);
  });

  it('reads what is in front of the messages', () => {
    const head = (builder: WireBuilder): unknown =>
      builder.codec.head(fixture(`${builder.name}-agent-request.json`) as object);
    expect(head(anthropicBuilder)).toMatchObject({
      model: 'claude-sonnet-4-5',
      maxOutputTokens: 8192,
      toolNames: ['read_file', 'web_search'],
    });
    expect(head(openaiChatBuilder)).toMatchObject({
      model: 'gpt-5.1',
      maxOutputTokens: 8192,
      toolNames: ['read_file', 'apply_patch'],
    });
  });
});

describe('cache breakpoints of Anthropic', () => {
  const count = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;

  it('are four at most, the caller’s own counted', () => {
    const request = fixture('anthropic-agent-request.json') as object;
    const { codec } = anthropicBuilder;
    expect(count(request)).toBe(2);
    expect(count(codec.encode(request, codec.messages(request), [0, 1, 3, 7]))).toBe(4);
  });

  it('stand on shallow copies: the caller’s messages stay as they were', () => {
    const message = anthropicBuilder.user('hello');
    const sent = anthropicBuilder.codec.encode(anthropicBuilder.request([message]), [message], [0]);
    expect(count(sent)).toBe(2);
    expect(count(message)).toBe(0);
  });

  it('never stand on thinking', () => {
    const message = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'so' },
        { type: 'thinking', thinking: 'hm', signature: 's' },
      ],
    };
    const { messages } = anthropicBuilder.codec.encode(anthropicBuilder.request([message]), [message], [0]) as {
      messages: readonly { content: readonly object[] }[];
    };
    expect(messages[0]?.content.map(count)).toEqual([1, 0]);
  });
});
