/** `node scripts/install-once.mjs <folder>`: installs a folder with a lock file of its own, where it is not installed as the lock file says. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to install');

/** Names and versions a lock file asks for; npm keeps one of what it installed beside it. */
function versionsIn(path) {
  try {
    const { packages } = JSON.parse(readFileSync(path, 'utf8'));
    return new Map(Object.entries(packages).map(([name, { version }]) => [name, version]));
  } catch {
    return new Map();
  }
}

const wanted = versionsIn(join(folder, 'package-lock.json'));
const installed = versionsIn(join(folder, 'node_modules', '.package-lock.json'));
// What is optional on this platform may be missing; what is there has to be of the version asked for.
const isInstalled = installed.size > 0 && [...installed].every(([name, version]) => wanted.get(name) === version);
if (!isInstalled) {
  console.log(`Installing ${folder}, about half a minute.`);
  execFileSync('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund'], { stdio: 'inherit' });
}
