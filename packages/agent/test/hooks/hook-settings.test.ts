import { describe, expect, it } from 'vitest';
import { parseHookSettings } from '../../src/hooks/hook-settings.ts';

describe('settings of hooks', () => {
  it('are taken as they are written', () => {
    const settings = {
      PreToolUse: [{ matcher: 'bash|mcp__web__fetch', command: './check.sh', timeoutMs: 5_000 }, { command: 'log' }],
      PostToolUse: [{ matcher: '*', command: 'format' }],
      SessionStart: [{ command: 'git status' }],
    };
    expect(parseHookSettings(settings)).toEqual(settings);
    expect(parseHookSettings({})).toEqual({});
  });

  it.each([
    [null, 'hooks: it has to be an object of hooks by event'],
    [{ Stopp: [] }, 'hooks.Stopp: there is no such member'],
    [{ Stop: {} }, 'hooks.Stop: it has to be a list of { command, timeoutMs? }'],
    [{ Stop: [{}] }, 'hooks.Stop.0.command: it is missing'],
    [{ Stop: [{ command: ' ' }] }, 'hooks.Stop.0.command: it has to be a command line that says something'],
    [{ Stop: [{ command: 'a\0b' }] }, 'hooks.Stop.0.command: it has to be a command line without NUL'],
    [{ Stop: [{ command: 'a', matcher: '*' }] }, 'hooks.Stop.0.matcher: there is no such member'],
    [{ Stop: [{ command: 'a', timeoutMs: 0 }] }, 'hooks.Stop.0.timeoutMs: it has to be at least 1'],
    [{ Stop: [{ command: 'a', timeoutMs: 600_001 }] }, 'hooks.Stop.0.timeoutMs: it has to be at most 600000'],
    [{ PreToolUse: [{ command: 'a', matcher: 'ba.*' }] }, 'hooks.PreToolUse.0.matcher: it has to be names of tools'],
    [{ PreToolUse: [{ command: 'a', matcher: 'bash|' }] }, 'hooks.PreToolUse.0.matcher: it has to be names of tools'],
    [{ PreToolUse: [{ command: 'a', matcher: '' }] }, 'hooks.PreToolUse.0.matcher: it has to be names of tools'],
  ])('are refused with the place: %j', (settings, message) => {
    expect(() => parseHookSettings(settings)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringContaining(message) as string }),
    );
  });
});
