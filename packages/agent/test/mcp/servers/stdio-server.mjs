// A small MCP server over standard input and output. Its first argument says what it does wrong, if anything.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [fault = 'none', file] = process.argv.slice(2);

if (fault === 'exit') {
  console.error('cannot open the database');
  process.exit(3);
}
if (fault === 'silent') setInterval(() => undefined, 1_000);
if (fault === 'endless-line') setInterval(() => process.stdout.write('x'.repeat(1_000_000)), 1);
if (fault === 'deaf') process.on('SIGTERM', () => undefined);
if (fault === 'chatty') console.log('Listening on standard input…\n{"half": \n[1, 2]');
if (file !== undefined) {
  const grandchild = spawn('sleep', ['300'], { stdio: 'ignore' });
  writeFileSync(file, `${process.pid} ${grandchild.pid}`);
  if (fault === 'deaf') setInterval(() => undefined, 1_000);
}

const object = (properties = {}, more = {}) => ({ type: 'object', properties, ...more });

const TOOLS = [
  {
    name: 'echo',
    description: 'Says it back.',
    inputSchema: object({ text: { type: 'string' } }, { required: ['text'] }),
  },
  { name: 'env', description: 'Tells a variable.', inputSchema: object({ name: { type: 'string' } }) },
  { name: 'fail', inputSchema: object() },
  { name: 'mixed', description: 'M'.repeat(5_000), inputSchema: object(), annotations: { readOnlyHint: true } },
  { name: 'structured', inputSchema: object(), outputSchema: object({ n: { type: 'number' } }, { required: ['n'] }) },
  { name: 'long', inputSchema: object() },
  { name: 'hang', inputSchema: object() },
  { name: 'crash', inputSchema: object() },
  { name: 'nonsense', inputSchema: object() },
  { name: 'flood', inputSchema: object() },
  { name: 'has.dots and more', inputSchema: object({}, { oneOf: [object(), object({ a: {} })] }) },
  { name: 'has_dots_and_more', inputSchema: object() },
  { name: 'bad-parameter', inputSchema: object({ 'a b': { type: 'string' } }) },
  { name: 'huge', inputSchema: object({ a: { type: 'string', description: 'x'.repeat(30_000) } }) },
];

const text = (words) => ({ content: [{ type: 'text', text: words }] });

const ANSWERS = {
  echo: ({ text: words }) => text(words),
  env: ({ name }) => text(process.env[name] ?? '(none)'),
  fail: () => ({ ...text('it went wrong'), isError: true }),
  mixed: () => ({
    content: [
      { type: 'text', text: 'first' },
      { type: 'image', data: 'QUJD', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'QUJDRA==' } },
      { type: 'resource_link', uri: 'file:///c', name: 'c' },
    ],
  }),
  structured: () => ({ content: [], structuredContent: { n: 7 } }),
  long: () => text(Array.from({ length: 30_000 }, (_, n) => `row ${n}`).join('\n')),
  hang: () => new Promise(() => undefined),
  crash: () => {
    console.error('out of luck');
    process.exit(1);
  },
  nonsense: () => ({ content: [{ type: 'text', text: 5 }, { type: 'unheard-of' }] }),
  flood: async () => {
    process.stdout.write(`{"jsonrpc":"2.0","junk":"${'x'.repeat(40_000_000)}`);
    return new Promise(() => undefined);
  },
};

if (fault !== 'silent' && fault !== 'endless-line') {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    // Two pages, in an order of its own.
    if (params?.cursor === undefined) return { tools: TOOLS.slice(5), nextCursor: 'rest' };
    return { tools: TOOLS.slice(0, 5) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ANSWERS[params.name](params.arguments ?? {}));
  await server.connect(new StdioServerTransport());
}
