/** What an MCP tool answered, as text for the model. Only texts are shown; everything else is said to be there. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

type Block = CallToolResult['content'][number];

export function resultText(result: Partial<CallToolResult>): string {
  const blocks = result.content ?? [];
  const texts = blocks.map(blockText);
  // Servers repeat structured content as text, for clients that know text only.
  const hasText = blocks.some((block) => block.type === 'text');
  if (result.structuredContent !== undefined && !hasText) texts.push(JSON.stringify(result.structuredContent, null, 1));
  return texts.join('\n').toWellFormed();
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `(${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes; it cannot be shown here)`;
    case 'resource':
      return 'text' in block.resource
        ? `(${block.resource.uri})\n${block.resource.text}`
        : `(${block.resource.uri}, ${bytesOf(block.resource.blob)} bytes of binary data; it cannot be shown here)`;
    case 'resource_link':
      return `(link: ${block.name}, ${block.uri})`;
  }
}

/** Bytes a base64 text stands for. */
function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}
