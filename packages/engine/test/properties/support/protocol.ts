/**
 * The providers' rules on the order and shape of messages, written from their references and sharing no code with the engine: what
 * they answer with status 400. Returns every rule a request breaks.
 */

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Turn {
  readonly role: string;
  readonly blocks: readonly Fields[];
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}

/** Neighbours of one role are one turn, as the server merges them. */
function turnsOf(messages: readonly unknown[]): readonly Turn[] {
  const turns: { role: string; blocks: Fields[] }[] = [];
  for (const message of messages) {
    const { role, content } = message as Fields;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role && role !== 'system') last.blocks.push(...blocksOf(content));
    else turns.push({ role: String(role), blocks: [...blocksOf(content)] });
  }
  return turns;
}

const idsOf = (turn: Turn | undefined, type: string, key: string): readonly string[] =>
  (turn?.blocks ?? []).filter((block) => block['type'] === type).map((block) => String(block[key]));

function messageShapes(messages: readonly unknown[]): string[] {
  return messages.flatMap((message, index) => {
    const { role, content } = message as Fields;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      return [`messages.${index}: role ${String(role)}`];
    const blocks = blocksOf(content);
    if (blocks.length === 0) return [`messages.${index}: content is empty`];
    const isBlank = (block: Fields): boolean => block['type'] === 'text' && String(block['text']).trim() === '';
    return blocks.some(isBlank) ? [`messages.${index}: a text block is empty`] : [];
  });
}

function answersOf(turns: readonly Turn[], index: number): string[] {
  const expected = new Set(idsOf(turns[index - 1], 'tool_use', 'id'));
  const given = idsOf(turns[index], 'tool_result', 'tool_use_id');
  const faults = given.filter((id) => !expected.has(id)).map((id) => `turn ${index}: unexpected tool_use_id ${id}`);
  return new Set(given).size === given.length ? faults : [...faults, `turn ${index}: a call has two results`];
}

function callsOf(turns: readonly Turn[], index: number, known: Set<string>): string[] {
  const calls = idsOf(turns[index], 'tool_use', 'id');
  const answers = new Set(idsOf(turns[index + 1], 'tool_result', 'tool_use_id'));
  const faults: string[] = [];
  for (const id of calls) {
    if (known.has(id)) faults.push(`turn ${index}: tool_use id ${id} is not unique`);
    if (!answers.has(id)) faults.push(`turn ${index}: no tool_result for ${id} immediately after`);
    known.add(id);
  }
  const next = turns[index + 1]?.role;
  return calls.length > 0 && next !== 'user' ? [...faults, `turn ${index}: calls are followed by ${next}`] : faults;
}

function pairing(turns: readonly Turn[]): string[] {
  const known = new Set<string>();
  return turns.flatMap((turn, index) =>
    turn.role === 'user' ? answersOf(turns, index) : callsOf(turns, index, known),
  );
}

/** Results come first in a turn that answers calls, whatever messages it is made of. */
function resultsFirst(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ blocks }, index) => {
    const kinds = blocks.map((block) => block['type'] === 'tool_result');
    return kinds.includes(false) && kinds.lastIndexOf(true) > kinds.indexOf(false)
      ? [`turn ${index}: a result stands behind other blocks`]
      : [];
  });
}

/** A call and its result both inside one assistant message: server tools and tools of a remote server. */
function serverTools(turns: readonly Turn[]): string[] {
  return turns.flatMap((turn, index) => {
    const uses = turn.blocks
      .filter((block) => block['type'] === 'server_tool_use' || block['type'] === 'mcp_tool_use')
      .map((block) => block['id']);
    const results = turn.blocks
      .filter((block) => block['type'] !== 'tool_result' && 'tool_use_id' in block)
      .map((block) => block['tool_use_id']);
    const isPaired = uses.length === results.length && uses.every((id) => results.includes(id));
    return isPaired ? [] : [`turn ${index}: a server tool's call and result are parted`];
  });
}

function roles(turns: readonly Turn[]): string[] {
  const faults: string[] = [];
  const first = turns[0];
  if (first !== undefined && first.role !== 'user' && first.blocks[0]?.['type'] !== 'compaction')
    faults.push('the first message is not of the user');
  turns.forEach((turn, index) => {
    const onlyThinking = turn.blocks.every((block) => String(block['type']).endsWith('thinking'));
    if (turn.role === 'assistant' && onlyThinking) faults.push(`turn ${index}: nothing but thinking`);
    if (turn.role !== 'system') return;
    const next = turns[index + 1];
    if (turns[index - 1]?.role !== 'user' || (next !== undefined && next.role !== 'assistant'))
      faults.push(`turn ${index}: a system message stands between ${turns[index - 1]?.role} and ${next?.role}`);
  });
  return faults;
}

function breakpoints(request: Fields): string[] {
  const count = JSON.stringify(request).split('"cache_control":{').length - 1;
  return count > 4 ? [`${count} cache breakpoints`] : [];
}

/** Rules of the Messages API. */
export function anthropicFaults(request: object): readonly string[] {
  const messages = (request as Fields)['messages'] as readonly unknown[];
  const shapes = messageShapes(messages);
  if (shapes.length > 0) return shapes;
  const turns = turnsOf(messages);
  return [
    ...pairing(turns),
    ...resultsFirst(turns),
    ...serverTools(turns),
    ...roles(turns),
    ...breakpoints(request as Fields),
  ];
}

const OPENAI_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

const isAbsent = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

function openaiShape(message: Fields, at: string): string[] {
  const { role, content } = message;
  const hasElse = role === 'assistant' && ['tool_calls', 'refusal', 'audio'].some((key) => !isAbsent(message[key]));
  const isBlank = (block: Fields): boolean => block['type'] === 'text' && String(block['text']).trim() === '';
  const rules: readonly (readonly [isBroken: boolean, what: string])[] = [
    [!OPENAI_ROLES.has(role), `role ${String(role)}`],
    [isAbsent(content) && !hasElse, 'content is empty'],
    [Array.isArray(content) && content.length === 0, 'content is an empty list'],
    [Array.isArray(message['tool_calls']) && message['tool_calls'].length === 0, 'tool_calls is empty'],
    [role === 'tool' && typeof message['tool_call_id'] !== 'string', 'no tool_call_id'],
    [role !== 'tool' && blocksOf(content).some(isBlank), 'a text is empty'],
  ];
  return rules.flatMap(([isBroken, what]) => (isBroken ? [`${at}: ${what}`] : []));
}

/** Rules of the Chat Completions API. */
export function openaiChatFaults(request: object): readonly string[] {
  const messages = (request as Fields)['messages'] as readonly Fields[];
  const faults = messages.flatMap((message, index) => openaiShape(message, `messages.${index}`));
  const known = new Set<string>();
  let open = new Set<string>();
  const close = (index: number): void => {
    for (const id of open) faults.push(`messages.${index}: tool_call ${id} has no response`);
    open = new Set();
  };
  messages.forEach((message, index) => {
    if (message['role'] === 'tool') {
      if (!open.delete(String(message['tool_call_id'])))
        faults.push(`messages.${index}: tool message answers no open call`);
      return;
    }
    close(index);
    // Ids are unique among the calls of one message; servers behind this format number them anew each time.
    known.clear();
    const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isFields) : [];
    for (const id of calls.map((call) => String(call['id']))) {
      if (known.has(id)) faults.push(`messages.${index}: tool_call id ${id} is not unique`);
      known.add(id);
      open.add(id);
    }
  });
  close(messages.length);
  return faults;
}
