/** The port of the archive, where everything taken out of the view is kept, and the rules of its addresses. */

import { ContextError } from './errors.ts';

/**
 * Names what a marker took out of the view. Content: `c_` and the first 16 hex digits of the content's SHA-256. A
 * range of the history: `h_<from>-<to>_<16 hex>`, read from the history itself and never put into an archive. The two
 * forms keep content and ranges apart, so content that spells a range is still content.
 */
export type Address = string;

/** What a text is and where it came from, as far as that is known. For archives that can search; others take no notice. */
export interface TextAbout {
  /** The tool that said it. */
  readonly tool?: string | undefined;
  /** The file it is about, as the call named it. */
  readonly path?: string | undefined;
  /** When it was put away, milliseconds since 1970. */
  readonly atMs?: number | undefined;
  /** The session that put it away. */
  readonly session?: string | undefined;
}

/** One text an archive holds. */
export interface StoredText {
  readonly address: Address;
  /** What it takes up in the archive, compressed where the archive does that. */
  readonly bytes: number;
  /** When it was put there last, by the archive's own clock, milliseconds since 1970. */
  readonly usedMs: number;
}

/**
 * Keeps texts under their content addresses, exactly: any Unicode, NUL, lone surrogates. Private to one tenant, since
 * whoever knows an address can read the text. Several sessions and processes of a tenant may share one.
 */
export interface Archive {
  /** For messages and receipts, such as `memory` or `fs`. */
  readonly name: string;

  /**
   * Stores `text` for good; resolved means stored. Putting the same text again changes nothing, also at the same time.
   *
   * @throws ContextError ARCHIVE_CONFLICT when another text is (or belongs) at `address`, ARCHIVE_FAILED when it could
   * not be stored, INVALID_OPTION when `address` is no content address. Nothing changes in any of these cases.
   */
  put(address: Address, text: string, about?: TextAbout): Promise<void>;

  /**
   * The exact text, or undefined when nothing is stored there or `address` is no content address.
   *
   * @throws ContextError ARCHIVE_FAILED when the archive cannot be read or what it holds is damaged.
   */
  get(address: Address): Promise<string | undefined>;

  /** SHA-256 of the UTF-8 bytes of a well-formed string as 64 hex digits. @default sha256Hex, in plain JavaScript */
  hash?(text: string): string;

  /** All it holds, in no order. For retention; with `remove` or not at all. @throws ContextError ARCHIVE_FAILED */
  list?(): Promise<readonly StoredText[]>;

  /**
   * Removes the text at `address` unless it was put there at or after `usedBeforeMs`, also by somebody who does so at this very moment. Resolves
   * to whether it is gone because of this call.
   *
   * @throws ContextError ARCHIVE_FAILED
   */
  remove?(address: Address, limit: { readonly usedBeforeMs: number }): Promise<boolean>;
}

const CONTENT_ADDRESS = /^c_[0-9a-f]{16}$/;

/** 64 bits: among a billion texts of one tenant, two share an address with a chance of 3 in 100. Then put refuses. */
const DIGEST_CHARS = 16;

/** Begins the hashed form of texts that have no UTF-8 form of their own. */
const ESCAPED_PREFIX = 'holdover:json-string:';

/**
 * The address of `text`. `hash` is the archive's own, or `sha256Hex`; it is only given well-formed strings. Different
 * texts never share what is hashed.
 */
export function contentAddress(text: string, hash: (text: string) => string): Address {
  return `c_${hash(hashedForm(text)).slice(0, DIGEST_CHARS)}`;
}

/** Whether `value` is a content address: only then is it safe as a file name or a database key. */
export function isContentAddress(value: string): boolean {
  return CONTENT_ADDRESS.test(value);
}

/** For archives, before an address becomes a key or a path. @throws ContextError INVALID_OPTION */
export function requireContentAddress(address: Address): void {
  if (isContentAddress(address)) return;
  const shown = JSON.stringify(address.slice(0, 80));
  throw new ContextError('INVALID_OPTION', `address must be c_ and 16 lower-case hex digits, got ${shown}`);
}

/** The refusal of a second text at one address. */
export function archiveConflict(archive: string, address: Address): ContextError {
  const advice = 'nothing was changed; give each tenant an archive of its own';
  return new ContextError('ARCHIVE_CONFLICT', `the ${archive} archive has another text at ${address}; ${advice}`);
}

/**
 * Whether `text` has no lone surrogates. Those have no UTF-8 form: written as UTF-8 they all turn into U+FFFD, and
 * different texts become one. Archives store ill-formed texts as JSON strings instead.
 */
export function isWellFormed(text: string): boolean {
  // Native on Node 20 and current browsers, but not in the ES2023 library types.
  const native = (text as { isWellFormed?(): boolean }).isWellFormed?.();
  return native ?? !/\p{Surrogate}/u.test(text);
}

/**
 * What is hashed for `text`: itself, or a prefix and its JSON string where it is ill-formed. A text that begins with
 * the prefix is escaped too, so that no two texts have one form.
 */
function hashedForm(text: string): string {
  return isWellFormed(text) && !text.startsWith(ESCAPED_PREFIX) ? text : ESCAPED_PREFIX + JSON.stringify(text);
}
