/** Checks the demo's work against the files themselves: the changes were made, and each line of the report is true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoTask } from './task.ts';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function lineCount(text: string): number {
  const lines = text.split('\n').length;
  return text.endsWith('\n') ? lines - 1 : lines;
}

/** What is wrong with the work; empty when it is right. */
export function checkWork(scratch: string, task: DemoTask): readonly string[] {
  const failures: string[] = [];
  for (const { path, after } of task.changes) {
    if (!read(join(scratch, path)).startsWith(`${after}\n`))
      failures.push(`${path} does not begin with ${JSON.stringify(after)}`);
  }
  const lines = read(join(scratch, task.reportPath)).split('\n');
  for (const path of task.reported) {
    const text = read(join(scratch, path));
    const about = lines.filter((line) => line.includes(path));
    const numbers = new Set(about.flatMap((line) => line.replace(path, '').match(/\d+/g) ?? []).map(Number));
    if (about.length !== 1) failures.push(`${task.reportPath} has ${about.length} lines about ${path}`);
    else if (!numbers.has(lineCount(text)))
      failures.push(`${task.reportPath}: ${path} has ${lineCount(text)} lines, it says ${about[0]}`);
    else if (!numbers.has([...text].length))
      failures.push(`${task.reportPath}: ${path} has ${[...text].length} characters, it says ${about[0]}`);
  }
  return failures;
}
