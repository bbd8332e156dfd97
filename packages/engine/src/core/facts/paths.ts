/** One key for the spellings of a path. Nothing is looked up on a disk, so an absolute and a relative path stay two. */

/** What makes a path need normalising: `./`, `//`, `..`, or a slash at the end. */
const ODD = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** `./a//b/../c/` as `a/c`; what leads out of a relative path's start stays. */
export function pathKey(path: string): string {
  // The slash an absolute path begins with is not odd.
  if (!ODD.test(path.startsWith('/') ? path.slice(1) : path)) return path;
  const kept: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else kept.push(name);
  }
  const joined = kept.join('/');
  if (path.startsWith('/')) return `/${joined}`;
  return joined === '' ? '.' : joined;
}
