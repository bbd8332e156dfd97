/** A fetch whose answers are bounded: a server that never stops sending must not fill the memory. */

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** `maxBytes`: bytes between two empty lines, which end an event of a stream; all of a body that has none. More is an error, and `onTooLong` is told. */
export function limitedFetch(maxBytes: number, onTooLong: () => void): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const body = response.body.pipeThrough(bounded(maxBytes, onTooLong));
    const { status, statusText, headers } = response;
    const copy = new Response(body, { status, statusText, headers });
    Object.defineProperty(copy, 'url', { value: response.url });
    return copy;
  };
}

function bounded(maxBytes: number, onTooLong: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const last = lastEmptyLine(chunk);
      bytes = last < 0 ? bytes + chunk.length : chunk.length - last;
      if (bytes <= maxBytes) return controller.enqueue(chunk);
      controller.error(new Error(`the server sent a message of over ${maxBytes} bytes`));
      onTooLong();
    },
  });
}

/** Where the last empty line of a chunk ends, or -1. One cut by a chunk's end is not seen, which only makes the limit come earlier. */
function lastEmptyLine(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(LINE_FEED); at > 0; at = chunk.lastIndexOf(LINE_FEED, at - 1)) {
    const before = chunk[at - 1] === CARRIAGE_RETURN ? at - 2 : at - 1;
    if (chunk[before] === LINE_FEED) return at + 1;
  }
  return -1;
}
