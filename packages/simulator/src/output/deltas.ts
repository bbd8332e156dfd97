/** Cuts text into the small pieces a stream is made of. */

/** Every match makes progress and nothing backtracks, whatever the text. */
const WORD = /\S{1,120}\s{0,120}|\s{1,120}/gu;
const WORDS_PER_DELTA = 3;

export function splitWords(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** A few words per delta; joined again they are the text. */
export function splitDeltas(text: string): readonly string[] {
  const words = splitWords(text);
  const deltas: string[] = [];
  for (let start = 0; start < words.length; start += WORDS_PER_DELTA) {
    deltas.push(words.slice(start, start + WORDS_PER_DELTA).join(''));
  }
  return deltas;
}

const JSON_PIECE = /[^]{1,16}/gu;

/** Arguments come in pieces that end anywhere, so that a client has to put them together. */
export function splitJson(json: string): readonly string[] {
  return json.match(JSON_PIECE) ?? [];
}
