/** Cutting text without splitting a surrogate pair: half a pair makes a request body the provider refuses. */

/** The first `maxChars` UTF-16 units (one less at a pair), with `…` appended when something was cut. */
export function cutEnd(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${head(text, maxChars)}…`;
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
