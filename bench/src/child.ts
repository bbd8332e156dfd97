/** The process of one case: `child.js <file> <subject> <size>`. */
import type { Said } from './job.ts';
import type { Case } from './row.ts';

const [file = '', subject = '', size = '0'] = process.argv.slice(2);

function say(said: Said): void {
  process.send?.(said);
}

try {
  const { run } = (await import(new URL(`./${file}.js`, import.meta.url).href)) as Case;
  const rows = await run({ size: Number(size), subject, begin: () => say({ kind: 'begin' }) });
  say({ kind: 'rows', rows });
} catch (error) {
  say({
    kind: 'failed',
    reason: error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : String(error),
  });
}
process.disconnect?.();
