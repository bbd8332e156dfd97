import { describe, expect, it } from 'vitest';
import { afterFailure, CLOSED_BREAKER, isOpen } from '../../src/core/breaker.ts';

describe('breaker', () => {
  const failed = (times: number, target = 'm 1'): typeof CLOSED_BREAKER =>
    Array.from({ length: times }).reduce<typeof CLOSED_BREAKER>(
      (breaker) => afterFailure(breaker, target),
      CLOSED_BREAKER,
    );

  it('opens at the third failure in a row', () => {
    expect([0, 1, 2, 3, 4].map((times) => isOpen(failed(times), 'm 1'))).toEqual([false, false, false, true, true]);
  });

  it('is about one model and window', () => {
    expect(isOpen(failed(3), 'm 2')).toBe(false);
    expect(afterFailure(failed(3), 'm 2')).toEqual({ target: 'm 2', failures: 1 });
  });
});
