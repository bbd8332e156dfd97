export type Address = string;
export interface Archive {
  readonly name: string;
  put(address: Address, text: string): Promise<void>;
  get(address: Address): Promise<string | undefined>;
  hash?(text: string): string;
}
export function contentAddress(text: string, hash: (text: string) => string): Address {
  return `c_${hash(text).slice(0, 16)}`;
}
export function isContentAddress(value: string): boolean {
  return /^c_[0-9a-f]{16}$/.test(value);
}
