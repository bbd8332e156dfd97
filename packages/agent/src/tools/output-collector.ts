/** Collects the output of a command in bounded memory: its beginning, its end and an honest count between. */
import { StringDecoder } from 'node:string_decoder';
import { head, tail } from './cut-text.ts';

export interface OutputCollector {
  /** One decoder per stream, so that a character split between chunks survives. */
  addStream(): (chunk: Uint8Array) => void;
  /** Stripped, at most `maxChars` characters; empty when there was no output. */
  text(): string;
  /** Characters seen so far, kept or not. */
  totalChars(): number;
}

/** Room for the line that says how much was left out. */
const MARKER_CHARS = 60;

interface Collected {
  start: string;
  end: string;
  /** Characters in neither `start` nor `end`. */
  dropped: number;
}

export function createOutputCollector(maxChars: number): OutputCollector {
  const state: Collected = { start: '', end: '', dropped: 0 };
  return {
    addStream() {
      const decoder = new StringDecoder('utf8');
      return (chunk) =>
        add(state, decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)), maxChars);
    },
    text: () => render(state, maxChars),
    totalChars: () => state.start.length + state.dropped + state.end.length,
  };
}

function add(state: Collected, text: string, maxChars: number): void {
  const room = head(text, Math.max(0, maxChars - state.start.length));
  // once something went to the end, later text must follow it there
  const toStart = state.end === '' && state.dropped === 0 ? room : '';
  state.start += toStart;
  state.end += text.slice(toStart.length);
  // twice the size before cutting: each character is copied at most once on average
  if (state.end.length <= 2 * maxChars) return;
  const kept = tail(state.end, maxChars);
  state.dropped += state.end.length - kept.length;
  state.end = kept;
}

function render(state: Collected, maxChars: number): string {
  if (state.dropped === 0) return shorten((state.start + state.end).trim(), 0, maxChars);
  const start = state.start.trimStart();
  return shorten(start + state.end.trimEnd(), state.dropped, maxChars);
}

/** `dropped` characters are missing somewhere in the middle of `text`, far from both ends. */
function shorten(text: string, dropped: number, maxChars: number): string {
  if (dropped === 0 && text.length <= maxChars) return text;
  const half = Math.max(0, Math.floor((maxChars - MARKER_CHARS) / 2));
  const first = head(text, half);
  const last = tail(text, half);
  const leftOut = dropped + text.length - first.length - last.length;
  return `${first}\n[… ${leftOut} characters left out …]\n${last}`;
}
