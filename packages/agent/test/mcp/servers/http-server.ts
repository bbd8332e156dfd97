/** A small MCP server over Streamable HTTP on loopback, which wants a token and remembers sessions. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

export interface HttpServer {
  readonly url: string;
  /** Sessions that are open. */
  sessions(): number;
  /** As a server started anew does: its sessions are unknown to it. */
  forget(): void;
}

const TOOLS = ['echo', 'endless'].map((name) => ({ name, inputSchema: { type: 'object' as const } }));

function mcpServer(): Server {
  const server = new Server({ name: 'web', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
  }));
  return server;
}

/** `token`: what the Authorization header must say. */
export async function httpServer(token: string): Promise<HttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await mcpServer().connect(transport as Transport);
    return transport;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== token) return void response.writeHead(401).end('no entry');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    if (body.includes('"endless"') && body.includes('tools/call')) return pour(response);
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(String(id));
    if (id !== undefined && known === undefined) return void response.writeHead(404).end('no such session');
    await (known ?? (await open())).handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    sessions: () => sessions.size,
    forget: () => sessions.clear(),
  };
}

/** An event that never ends. */
function pour(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('event: message\ndata: ');
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(1_000_000)));
  };
  response.on('drain', more);
  more();
}
