/** Cutting text without splitting a surrogate pair: half a pair makes a request body the provider refuses. */

/** The first `maxChars` UTF-16 units (one less at a pair), with `…` appended when something was cut. */
export function cutEnd(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${head(text, maxChars)}…`;
}

/** Room for the line between the two ends. */
const CUT_LINE_CHARS = 120;
const HEAD_SHARE = 0.75;

/** The two ends of a text that is too long, within `maxChars` (1,000 or more) together with a line that says what is missing. */
function endsOf(text: string, maxChars: number): { readonly first: string; readonly last: string } {
  const shownChars = maxChars - CUT_LINE_CHARS;
  const first = head(text, Math.floor(shownChars * HEAD_SHARE));
  return { first, last: tail(text, shownChars - first.length) };
}

/** `text`, or its two ends around a line that says how much was left out. `note` is added to that line. */
export function cutMiddle(text: string, maxChars: number, note: string = ''): string {
  if (text.length <= maxChars) return text;
  const { first, last } = endsOf(text, maxChars);
  const leftOut = text.length - first.length - last.length;
  return `${first}\n[… ${leftOut} of ${text.length} characters left out${note}]\n${last}`;
}

/** At most `maxChars` UTF-16 units from the start. */
export function head(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = maxChars > 0 && isHighSurrogate(text.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return text.slice(0, end);
}

/** At most `maxChars` UTF-16 units from the end. */
export function tail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.length - maxChars;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
