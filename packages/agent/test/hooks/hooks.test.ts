import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AgentError } from '../../src/errors.ts';
import { createHooks, type HookEvent, type HookToolCall } from '../../src/hooks/hooks.ts';

const CALL: HookToolCall = { id: 'call-1', name: 'bash', input: { command: 'ls' } };
const OUTPUT = { text: 'out', isError: false };

describe('answers', () => {
  it('the first one wins, in order, and later callbacks stay quiet', async () => {
    const hooks = createHooks();
    const seen: string[] = [];
    hooks.on('PreToolUse', () => void seen.push('a'));
    hooks.on('PreToolUse', async () => {
      await sleep(5);
      seen.push('b');
      return null;
    });
    hooks.on('PreToolUse', ({ name }) => `blocked ${name}`);
    hooks.on('PreToolUse', () => void seen.push('never'));
    expect(await hooks.preToolUse(CALL)).toBe('blocked bash');
    expect(seen).toEqual(['a', 'b']);
  });

  it('each event gets its own arguments', async () => {
    const hooks = createHooks<{ role: string }>();
    const messages = [{ role: 'user' }];
    hooks.on('UserPromptSubmit', (query) => `context for ${query}`);
    hooks.on('Stop', (list) => `${list.length} messages, first by ${list[0]?.role}`);
    expect(await hooks.userPromptSubmit('hi')).toBe('context for hi');
    expect(await hooks.stop(messages)).toBe('1 messages, first by user');
    expect(await hooks.preToolUse(CALL)).toBeNull();
  });

  it('an empty text is an answer', async () => {
    const hooks = createHooks();
    hooks.on('PreToolUse', () => '');
    expect(await hooks.preToolUse(CALL)).toBe('');
  });

  it('PostToolUse observes only, and every callback is called', async () => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    hooks.on('PostToolUse', (call, output) => {
      seen.push([call, output]);
      return 'ignored';
    });
    hooks.on('PostToolUse', () => seen.push('second'));
    expect(await hooks.postToolUse(CALL, OUTPUT)).toBeUndefined();
    expect(seen).toEqual([[CALL, OUTPUT], 'second']);
  });

  it('a callback can be taken out again, once', async () => {
    const hooks = createHooks();
    const hook = (): string => 'no';
    const off = hooks.on('PreToolUse', hook);
    hooks.on('PreToolUse', hook);
    off();
    off();
    expect(await hooks.preToolUse(CALL)).toBe('no');
  });

  it('a callback cannot change the call', async () => {
    const hooks = createHooks();
    const call = { id: '1', name: 'bash', input: { command: 'ls' } };
    hooks.on('PreToolUse', (copy) => {
      (copy.input as { command: string }).command = 'rm x';
    });
    await hooks.preToolUse(call);
    expect(call.input).toEqual({ command: 'ls' });
  });
});

describe('failures', () => {
  it('a throwing hook changes nothing and is reported', async () => {
    const onError = vi.fn<(event: HookEvent, error: unknown) => void>();
    const hooks = createHooks({ onError });
    hooks.on('PreToolUse', () => {
      throw new Error('sync');
    });
    hooks.on('PreToolUse', () => Promise.reject(new Error('async')));
    hooks.on('PreToolUse', () => 'answer');
    expect(await hooks.preToolUse(CALL)).toBe('answer');
    expect(onError.mock.calls.map(([event, error]) => [event, (error as Error).message])).toEqual([
      ['PreToolUse', 'sync'],
      ['PreToolUse', 'async'],
    ]);
  });

  it('a hanging hook is given up, and its late answer or rejection ignored', async () => {
    const errors: string[] = [];
    const hooks = createHooks({ timeoutMs: 30, onError: (event, error) => errors.push(`${event} ${String(error)}`) });
    hooks.on('Stop', () => new Promise(() => undefined));
    hooks.on('Stop', async () => {
      await sleep(60);
      throw new Error('too late');
    });
    hooks.on('PostToolUse', () => sleep(60));
    expect(await hooks.stop([])).toBeNull();
    await hooks.postToolUse(CALL, OUTPUT);
    await sleep(80);
    expect(errors).toHaveLength(3);
    expect(errors[0]).toContain('a Stop hook took longer than 30 ms');
  });

  it('an answer that is no text is reported and skipped', async () => {
    const onError = vi.fn<(event: HookEvent, error: unknown) => void>();
    const hooks = createHooks({ onError });
    hooks.on('UserPromptSubmit', () => ({ block: true }) as unknown as string);
    expect(await hooks.userPromptSubmit('x')).toBeNull();
    expect(onError).toHaveBeenCalledOnce();
  });

  it('a throwing reporter is survived', async () => {
    const hooks = createHooks({
      onError: () => {
        throw new Error('reporter');
      },
    });
    hooks.on('Stop', () => {
      throw new Error('hook');
    });
    expect(await hooks.stop([])).toBeNull();
  });

  it('the timeout has a range', () => {
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31]) expect(() => createHooks({ timeoutMs })).toThrow(AgentError);
  });
});

describe('hooks of sessions and compactions', () => {
  it('PreCompact answers with instructions or a block, the first one', async () => {
    const errors: string[] = [];
    const hooks = createHooks({ onError: (event, error) => errors.push(`${event} ${String(error)}`) });
    const seen: unknown[] = [];
    hooks.on('PreCompact', (about) => void seen.push(about));
    hooks.on('PreCompact', () => ({ block: 7 }) as unknown as string);
    const off = hooks.on('PreCompact', () => ({ block: 'not now' }));
    hooks.on('PreCompact', () => 'keep the names');
    expect(await hooks.preCompact({ trigger: 'manual', focus: 'tests' })).toEqual({ block: 'not now' });
    off();
    expect(await hooks.preCompact({ trigger: 'threshold' })).toBe('keep the names');
    expect(seen).toEqual([{ trigger: 'manual', focus: 'tests' }, { trigger: 'threshold' }]);
    expect(errors).toHaveLength(2);
  });

  it('X07: a hook that blocks for ever: PreCompact is given up and the compaction goes on', async () => {
    const hooks = createHooks({ timeoutMs: 20 });
    hooks.on('PreCompact', () => new Promise(() => undefined));
    expect(await hooks.preCompact({ trigger: 'threshold' })).toBeNull();
  });

  it('PostCompact observes, every one', async () => {
    const hooks = createHooks();
    const seen: unknown[] = [];
    const about = { trigger: 'manual', summary: 's', tokensBefore: 9, tokensAfter: 3 };
    hooks.on('PostCompact', (it) => seen.push(it));
    hooks.on('PostCompact', (it) => seen.push(it.summary));
    expect(await hooks.postCompact(about)).toBeUndefined();
    expect(seen).toEqual([about, 's']);
  });

  it('SessionStart answers with text for the context', async () => {
    const hooks = createHooks();
    hooks.on('SessionStart', ({ source, sessionId }) => (source === 'resume' ? `back in ${sessionId}` : null));
    expect(await hooks.sessionStart({ source: 'startup', sessionId: 'a' })).toBeNull();
    expect(await hooks.sessionStart({ source: 'resume', sessionId: 'a' })).toBe('back in a');
  });

  it('one hook may have a time of its own', async () => {
    const hooks = createHooks({ timeoutMs: 10 });
    hooks.on(
      'Stop',
      async () => {
        await sleep(40);
        return 'patient';
      },
      { timeoutMs: 5_000 },
    );
    expect(await hooks.stop([])).toBe('patient');
    expect(() => hooks.on('Stop', () => null, { timeoutMs: 0 })).toThrow(AgentError);
  });
});
