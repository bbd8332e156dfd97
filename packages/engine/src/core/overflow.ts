export type ProviderError =
  | { readonly kind: 'overflow'; readonly what: 'input' | 'input-and-output' | 'bytes' | 'media'; readonly limitTokens?: number; readonly requestedTokens?: number }
  | { readonly kind: 'rate'; readonly retryAfterMs?: number; readonly shrinkWouldHelp: boolean }
  | { readonly kind: 'overloaded'; readonly retryAfterMs?: number }
  | { readonly kind: 'other'; readonly status?: number };
export function classifyError(error: unknown): ProviderError {
  return String(error).includes('too long') ? { kind: 'overflow', what: 'input' } : { kind: 'other' };
}
export function isSilentOverflow(_: { reportedTokens: number; estimatedTokens: number; windowTokens: number; stop: string; outputTokens: number }): boolean {
  return false;
}
