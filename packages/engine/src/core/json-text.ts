/** JSON of objects that come again with every request, as tools do: made once for each. They must not be changed in place. */
const known = new WeakMap<object, string>();

export function jsonText(value: object): string {
  const before = known.get(value);
  if (before !== undefined) return before;
  const text = JSON.stringify(value);
  known.set(value, text);
  return text;
}
