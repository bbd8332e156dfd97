/** JSON for programs that is harmless where a terminal reads it. */

/** What `JSON.stringify` leaves as it is and a terminal may obey: DEL, the 8-bit controls, changes of direction. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One value on one line. Says the same as the plain JSON: what is unsafe is escaped, not taken out. */
export function jsonLine(value: unknown): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${(JSON.stringify(value) ?? 'null').replace(UNSAFE, escaped)}\n`;
}
