import { describe, expect, it } from 'vitest';
import { ContextError } from '../../src/core/errors.ts';

describe('ContextError', () => {
  it('is an Error that carries its code, message and cause', () => {
    const cause = new Error('disk full');
    const error = new ContextError('ARCHIVE_FAILED', 'could not store', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('ContextError');
    expect(error.code).toBe('ARCHIVE_FAILED');
    expect(error.message).toBe('could not store');
    expect(error.cause).toBe(cause);
  });

  it('has no cause when none was given', () => {
    expect('cause' in new ContextError('THRASHING', 'x')).toBe(false);
  });
});
