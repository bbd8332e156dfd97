/**
 * The rarer kinds of message part of each wire format, by name, after the providers' references. Tests append them to see that what the engine does
 * not understand passes through as it is.
 */
import type { Wire } from '../core/entry.ts';

/** A call as the kinds need it. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}

export interface WireKinds {
  /** User messages; the text is put where the kind has room for words. */
  readonly user: Readonly<Record<string, (text: string) => Wire>>;
  /** Assistant messages with `calls` behind the rarer parts; with none they stand alone. */
  readonly assistant: Readonly<Record<string, (text: string, calls: readonly Call[]) => Wire>>;
  /** Contents of a tool result. */
  readonly result: Readonly<Record<string, (text: string) => unknown>>;
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SIGNATURE = 'c2lnbmF0dXJl';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const document = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'A short document.' },
  title: 'notes.txt',
};
const searchResult = (text: string): object => ({
  type: 'search_result',
  source: 'https://example.org/page',
  title: 'A page',
  content: [{ type: 'text', text: text === '' ? 'found' : text }],
});

const anthropicUser =
  (blocks: (text: string) => readonly object[]) =>
  (text: string): Wire => ({ role: 'user', content: blocks(text) });

const words = (text: string): object => ({ type: 'text', text });

const use = (calls: readonly Call[]): object[] =>
  calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));

const anthropicAssistant =
  (blocks: (text: string) => readonly object[]) =>
  (text: string, calls: readonly Call[]): Wire => ({ role: 'assistant', content: [...blocks(text), ...use(calls)] });

const serverTool =
  (name: string, result: string, content: unknown) =>
  (text: string): readonly object[] => [
    { type: 'server_tool_use', id: `srvtoolu_${text.length}_${result}`, name, input: { query: text.slice(0, 20) } },
    { type: result, tool_use_id: `srvtoolu_${text.length}_${result}`, content },
    words(text),
  ];

export const anthropicKinds: WireKinds = {
  user: {
    plain: (text) => ({ role: 'user', content: text }),
    blocks: anthropicUser((text) => [words(text), words(`${text}.`)]),
    image: anthropicUser((text) => [image, words(text)]),
    document: anthropicUser((text) => [document, words(text)]),
    'search-result': anthropicUser((text) => [searchResult('hit'), words(text)]),
    'container-upload': anthropicUser((text) => [words(text), { type: 'container_upload', file_id: 'file_011' }]),
    unknown: anthropicUser((text) => [
      words(text),
      { type: 'hologram', payload: { text: '$&', list: [1, null, true] } },
    ]),
    cached: anthropicUser((text) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]),
    'picture-only': anthropicUser(() => [image]),
  },
  assistant: {
    plain: anthropicAssistant((text) => [words(text)]),
    thinking: anthropicAssistant((text) => [
      { type: 'thinking', thinking: 'Let me see.', signature: SIGNATURE },
      words(text),
    ]),
    'thinking-omitted': anthropicAssistant((text) => [
      { type: 'thinking', thinking: '', signature: SIGNATURE.repeat(40) },
      words(text),
    ]),
    'redacted-thinking': anthropicAssistant((text) => [
      { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' },
      words(text),
    ]),
    citations: anthropicAssistant((text) => [
      {
        type: 'text',
        text,
        citations: [
          { type: 'char_location', cited_text: 'A', document_index: 0, start_char_index: 0, end_char_index: 1 },
        ],
      },
    ]),
    'web-search': anthropicAssistant(
      serverTool('web_search', 'web_search_tool_result', [
        { type: 'web_search_result', url: 'https://example.org', title: 'x', encrypted_content: 'ZQ==' },
      ]),
    ),
    'web-fetch': anthropicAssistant(
      serverTool('web_fetch', 'web_fetch_tool_result', {
        type: 'web_fetch_result',
        url: 'https://example.org',
        content: document,
      }),
    ),
    'code-execution': anthropicAssistant(
      serverTool('bash_code_execution', 'bash_code_execution_tool_result', {
        type: 'bash_code_execution_result',
        stdout: 'ok',
        stderr: '',
        return_code: 0,
        content: [],
      }),
    ),
    'mcp-tool': anthropicAssistant((text) => [
      { type: 'mcp_tool_use', id: `mcptoolu_${text.length}`, name: 'echo', server_name: 'srv', input: {} },
      { type: 'mcp_tool_result', tool_use_id: `mcptoolu_${text.length}`, is_error: false, content: [words('hello')] },
      words(text),
    ]),
    unknown: anthropicAssistant((text) => [{ type: 'telepathy', strength: 3 }, words(text)]),
    compaction: anthropicAssistant((text) => [{ type: 'compaction', content: 'What came before.' }, words(text)]),
  },
  result: {
    plain: (text) => text,
    blocks: (text) => [words(text), words('and more')],
    image: (text) => [words(text), image],
    'image-only': () => [image],
    document: () => [document],
    'search-result': (text) => [searchResult(text)],
    'tool-reference': () => [{ type: 'tool_reference', tool_name: 'grep' }],
    none: () => undefined,
  },
};

const openaiCalls = (calls: readonly Call[]): object =>
  calls.length === 0
    ? {}
    : {
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      };

const openaiAssistant =
  (fields: (text: string) => object) =>
  (text: string, calls: readonly Call[]): Wire => ({ role: 'assistant', ...fields(text), ...openaiCalls(calls) });

const openaiUser =
  (parts: (text: string) => readonly object[]) =>
  (text: string): Wire => ({ role: 'user', content: parts(text) });

export const openaiChatKinds: WireKinds = {
  user: {
    plain: (text) => ({ role: 'user', content: text }),
    blocks: openaiUser((text) => [words(text), words(`${text}.`)]),
    image: openaiUser((text) => [
      words(text),
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    ]),
    audio: openaiUser((text) => [
      words(text),
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ]),
    file: openaiUser((text) => [{ type: 'file', file: { file_id: 'file-011' } }, words(text)]),
    unknown: openaiUser((text) => [words(text), { type: 'hologram', payload: '$&' }]),
    named: (text) => ({ role: 'user', name: 'ada', content: text }),
    'picture-only': openaiUser(() => [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]),
  },
  assistant: {
    plain: openaiAssistant((text) => ({ content: text })),
    parts: openaiAssistant((text) => ({ content: [words(text), words('more')] })),
    refusal: openaiAssistant(() => ({ content: null, refusal: 'I cannot help with that.' })),
    'refusal-part': openaiAssistant(() => ({ content: [{ type: 'refusal', refusal: 'I cannot.' }] })),
    audio: openaiAssistant(() => ({ content: null, audio: { id: 'audio_011' } })),
    reasoning: openaiAssistant((text) => ({ reasoning_content: 'Let me see.', content: text })),
    named: openaiAssistant((text) => ({ name: 'bot', content: text })),
    // A custom call's input is text, not JSON.
    'custom-calls': (text, calls) => ({
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: 'custom',
              custom: { name, input: JSON.stringify(input) },
            })),
          }),
    }),
    'broken-arguments': (text, calls) => ({
      role: 'assistant',
      content: text,
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ id, name }) => ({
              id,
              type: 'function',
              function: { name, arguments: '{"path": "src/' },
            })),
          }),
    }),
  },
  result: {
    plain: (text) => text,
    blocks: (text) => [words(text), words('and more')],
  },
};
