/** The shape of a JSON value: types, keys, lengths and distinct short values of everything at one place, gathered in one walk of bounded depth. */
import { headOf } from '../layers/marker.ts';

/** Levels that are told apart; what lies deeper counts by its type only. */
const MAX_DEPTH = 6;
/** Keys that make a record; an object with more is a table by key. */
const MAX_KEYS = 40;
const MAX_VALUES = 8;
const MAX_VALUE_CHARS = 40;

interface Range {
  min: number;
  max: number;
}

/** Everything that stood at one place. */
export interface Shape {
  count: number;
  readonly types: Map<string, number>;
  /** Short values and how often each; emptied once there are too many. */
  values: Map<string, number> | undefined;
  numbers: Range | undefined;
  chars: Range | undefined;
  lengths: Range | undefined;
  items: Shape | undefined;
  /** Of records, in the order they were first seen. */
  readonly keys: Map<string, Shape>;
  /** Of objects with too many keys: what all their values have in common. */
  entries: Shape | undefined;
  sizes: Range | undefined;
}

function emptyShape(): Shape {
  return {
    count: 0,
    types: new Map(),
    values: new Map(),
    numbers: undefined,
    chars: undefined,
    lengths: undefined,
    items: undefined,
    keys: new Map(),
    entries: undefined,
    sizes: undefined,
  };
}

function widen(range: Range | undefined, value: number): Range {
  if (range === undefined) return { min: value, max: value };
  range.min = Math.min(range.min, value);
  range.max = Math.max(range.max, value);
  return range;
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function noteValue(shape: Shape, value: unknown): void {
  if (shape.values === undefined) return;
  const text = JSON.stringify(value) ?? '';
  if (text.length > MAX_VALUE_CHARS) shape.values = undefined;
  else shape.values.set(text, (shape.values.get(text) ?? 0) + 1);
  if ((shape.values?.size ?? 0) > MAX_VALUES) shape.values = undefined;
}

function addObject(shape: Shape, value: object, depth: number): void {
  const members = Object.entries(value);
  shape.sizes = widen(shape.sizes, members.length);
  if (depth >= MAX_DEPTH) return;
  if (members.length > MAX_KEYS) {
    shape.entries ??= emptyShape();
    for (const [, member] of members) addTo(shape.entries, member, depth + 1);
    return;
  }
  for (const [key, member] of members) {
    const known = shape.keys.get(key);
    if (known === undefined && shape.keys.size >= MAX_KEYS) continue;
    const place = known ?? emptyShape();
    if (known === undefined) shape.keys.set(key, place);
    addTo(place, member, depth + 1);
  }
}

function addTo(shape: Shape, value: unknown, depth: number): void {
  const type = typeOf(value);
  shape.count += 1;
  shape.types.set(type, (shape.types.get(type) ?? 0) + 1);
  if (typeof value === 'object' && value !== null) shape.values = undefined;
  else noteValue(shape, value);
  if (typeof value === 'number') shape.numbers = widen(shape.numbers, value);
  if (typeof value === 'string') shape.chars = widen(shape.chars, value.length);
  if (Array.isArray(value)) {
    shape.lengths = widen(shape.lengths, value.length);
    if (depth >= MAX_DEPTH) return;
    shape.items ??= emptyShape();
    for (const item of value) addTo(shape.items, item, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    addObject(shape, value, depth);
  }
}

/** What `values`, which stand for one another, have in common. */
export function shapeOf(values: readonly unknown[]): Shape {
  const shape = emptyShape();
  for (const value of values) addTo(shape, value, 0);
  return shape;
}

function span({ min, max }: Range): string {
  return min === max ? String(min) : `${min}–${max}`;
}

function listed(values: ReadonlyMap<string, number>): string {
  const counted = [...values].map(([text, times]) => (times === 1 ? text : `${text} ×${times}`));
  return counted.join(', ');
}

/** Whether there are few enough values to say all of them. */
function isChoice({ values, count }: Shape): boolean {
  return values !== undefined && values.size > 0 && (values.size < count || count <= 3);
}

function described(type: string, shape: Shape): string {
  if ((type === 'integer' || type === 'number') && shape.numbers !== undefined) return `${type} ${span(shape.numbers)}`;
  if (type === 'string' && shape.chars !== undefined) return `string of ${span(shape.chars)} characters`;
  if (type === 'array' && shape.lengths !== undefined) return `array of ${span(shape.lengths)}`;
  if (type === 'object' && shape.entries !== undefined && shape.sizes !== undefined)
    return `object with ${span(shape.sizes)} keys`;
  return type;
}

function headLine(shape: Shape): string {
  if (isChoice(shape) && shape.values !== undefined) return listed(shape.values);
  return [...shape.types.keys()].map((type) => described(type, shape)).join(' | ');
}

/** Most lines of one shape: more are never shown. */
const MAX_LINES = 400;

/** Lines that tell a shape, a level deeper by two blanks each, keys behind the name they have. */
export function shapeLines(shape: Shape): readonly string[] {
  const lines: string[] = [];
  tell(shape, '', lines);
  return lines;
}

/** `label` with its indent. */
function tell(shape: Shape, label: string, into: string[]): void {
  if (into.length >= MAX_LINES) return;
  into.push(`${label}${headLine(shape)}`);
  const deeper = `${/^ */.exec(label)?.[0] ?? ''}  `;
  if (shape.items !== undefined && shape.items.count > 0) tell(shape.items, `${deeper}each: `, into);
  const records = shape.types.get('object') ?? 0;
  for (const [key, member] of shape.keys) {
    const name = JSON.stringify(headOf(key, MAX_VALUE_CHARS * 2)).slice(1, -1);
    tell(member, `${deeper}${name}${member.count < records ? `? (${member.count})` : ''}: `, into);
  }
  if (shape.entries !== undefined) tell(shape.entries, `${deeper}each value: `, into);
}
