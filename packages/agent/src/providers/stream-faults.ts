/** Faults of a stream that the SDKs report as bugs of the program rather than of the connection. */

/**
 * A stream that holds something else than events ended wrong somewhere on its way: a proxy's error page, half a line. Nothing was taken in,
 * so it counts as cut.
 */
export function asStreamFault(error: unknown): unknown {
  const { name, message, cause } = error as { name?: string; message?: string; cause?: { name?: string } };
  const isSyntax = name === 'SyntaxError' || cause?.name === 'SyntaxError';
  return isSyntax ? new Error(`malformed stream: ${message}`, { cause: error }) : error;
}
