/** The prompt of a Messages request in cache order: tools, system, messages. */

import { canonicalJson, isObject, type JsonObject, lookUp } from '../json.ts';
import type { CountTokens } from '../tokens/count.ts';
import { type ChainedUnit, chainUnits, MEDIA_TOKENS, type PromptUnit } from '../tokens/units.ts';
import { HOUR_MS } from '../cache/outcome.ts';
import { type Block, blocksOf, isThinking, type Turn } from './conversation.ts';

export interface UnitOptions {
  readonly countTokens: CountTokens;
  /** Time to live of a breakpoint that names none. */
  readonly cacheTtlMs: number;
}

const BLOCK_OVERHEAD_TOKENS = 4;
const TOOL_OVERHEAD_TOKENS = 8;
const REQUEST_OVERHEAD_TOKENS = 6;

export function unitsOf(body: JsonObject, turns: readonly Turn[], options: UnitOptions): readonly PromptUnit[] {
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isObject) : [];
  const units = [
    ...tools.map((tool) => unitOf(tool, toolTokens(tool, options.countTokens), { label: 'tool', options })),
    ...blocksOf(body['system']).map((block) =>
      unitOf(block, blockTokens(block, options.countTokens), { label: 'system', options }),
    ),
    { text: settingsText(body, turns), tokens: REQUEST_OVERHEAD_TOKENS },
    ...turns.flatMap((turn) =>
      turn.blocks.map(({ block }) =>
        unitOf(block, blockTokens(block, options.countTokens), { label: turn.role, options }),
      ),
    ),
  ];
  return addTopLevelBreakpoint(body, units, { turns, options });
}

/** What else the cached messages depend on: a change of any of these starts the messages anew. */
function settingsText(body: JsonObject, turns: readonly Turn[]): string {
  const output = body['output_config'];
  const hasImages = turns.some((turn) => turn.blocks.some(({ block }) => block.type === 'image'));
  const effort = isObject(output) ? output['effort'] : undefined;
  return canonicalJson({ choice: body['tool_choice'], thinking: body['thinking'], effort, hasImages });
}

function unitOf(
  block: JsonObject,
  tokens: number,
  { label, options }: { readonly label: string; readonly options: UnitOptions },
): PromptUnit {
  const unit = { text: `${label}\u0000${canonicalJson(block)}`, tokens };
  const ttlMs = breakpointOf(block, options);
  return ttlMs === undefined ? unit : { ...unit, breakpointTtlMs: ttlMs };
}

/** A breakpoint on a block inside a result counts for the whole result. */
function breakpointOf(block: JsonObject, options: UnitOptions): number | undefined {
  const inner = block['type'] === 'tool_result' ? blocksOf(block['content']) : [];
  const control = [block, ...inner].map((item) => item['cache_control']).find(isObject);
  return control === undefined ? undefined : ttlOf(control, options);
}

function ttlOf(control: JsonObject, options: UnitOptions): number {
  return control['ttl'] === '1h' ? HOUR_MS : options.cacheTtlMs;
}

/** Top-level `cache_control` marks the last block that can be cached. */
function addTopLevelBreakpoint(
  body: JsonObject,
  units: readonly PromptUnit[],
  { turns, options }: { readonly turns: readonly Turn[]; readonly options: UnitOptions },
): readonly PromptUnit[] {
  const control = body['cache_control'];
  if (!isObject(control)) return units;
  const blocks = turns.flatMap((turn) => turn.blocks);
  const lastCacheable = blocks.findLastIndex((placed) => !isThinking(placed));
  const target = units.length - blocks.length + lastCacheable;
  return units.map((unit, index) =>
    index === target ? { ...unit, breakpointTtlMs: unit.breakpointTtlMs ?? ttlOf(control, options) } : unit,
  );
}

function toolTokens(tool: JsonObject, countTokens: CountTokens): number {
  return TOOL_OVERHEAD_TOKENS + countTokens(canonicalJson(tool));
}

const CONTENT_TOKENS: Readonly<Record<string, (block: Block, countTokens: CountTokens) => number>> = {
  text: (block, countTokens) => countTokens(String(block['text'])),
  thinking: (block, countTokens) => countTokens(String(block['thinking'])),
  redacted_thinking: () => 0,
  image: () => MEDIA_TOKENS,
  document: (block, countTokens) => {
    const source = block['source'];
    return isObject(source) && source['type'] === 'text' ? countTokens(String(source['data'])) : MEDIA_TOKENS;
  },
  tool_use: (block, countTokens) => countTokens(String(block['name'])) + countTokens(canonicalJson(block['input'])),
  tool_result: (block, countTokens) =>
    blocksOf(block['content']).reduce((sum, inner) => sum + contentTokens(inner, countTokens), 0),
};

function contentTokens(block: Block, countTokens: CountTokens): number {
  return lookUp(CONTENT_TOKENS, block.type)?.(block, countTokens) ?? countTokens(canonicalJson(block));
}

function blockTokens(block: Block, countTokens: CountTokens): number {
  return BLOCK_OVERHEAD_TOKENS + contentTokens(block, countTokens);
}

/** Hashes of the prompt before each turn, thinking left out: what thinking on a bound model is tied to. */
export function prefixHashes(body: JsonObject, turns: readonly Turn[]): (turnIndex: number) => string {
  let hashes: readonly ChainedUnit[] | undefined;
  return (turnIndex) => {
    hashes ??= chainUnits('bound', [headUnit(body), ...turns.map(turnUnit)]);
    return hashes[turnIndex]?.prefixHash ?? '';
  };
}

/** A system prompt is the same as one string and as one text block. */
function headUnit(body: JsonObject): PromptUnit {
  const system = typeof body['system'] === 'string' ? blocksOf(body['system']) : (body['system'] ?? []);
  return { text: canonicalJson([system, body['tools'] ?? []]), tokens: 0 };
}

function turnUnit(turn: Turn): PromptUnit {
  const blocks = turn.blocks.filter((placed) => !isThinking(placed)).map(({ block }) => block);
  return { text: `${turn.role}\u0000${canonicalJson(blocks)}`, tokens: 0 };
}
