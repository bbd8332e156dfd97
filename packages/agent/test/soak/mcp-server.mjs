// A small MCP server without the SDK, which starts in a moment and ends in the middle of a call when it is told to.
import { createInterface } from 'node:readline';

const text = (words, isError = false) => ({ content: [{ type: 'text', text: words }], isError });
const tool = (name) => ({
  name,
  description: `${name} it.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
});

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'frail', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: ['echo', 'fail', 'crash'].map(tool) }),
  'tools/call'({ name, arguments: given }) {
    if (name === 'crash') process.exit(1);
    return name === 'fail' ? text('it went wrong', true) : text(`echo: ${given?.text ?? ''}`);
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = ANSWERS[method];
  if (id === undefined) return;
  const outcome =
    answer === undefined ? { error: { code: -32_601, message: `no ${method}` } } : { result: answer(params ?? {}) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
