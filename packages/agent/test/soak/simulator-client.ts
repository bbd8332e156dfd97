/** The simulator's process, seen from the agent's. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { extname } from 'node:path';
import type { SimulatorReady, SimulatorReport } from './protocol.ts';

export interface SimulatorProcess {
  readonly url: string;
  readonly pid: number | undefined;
  report(): Promise<SimulatorReport>;
  stop(): Promise<void>;
}

function next<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`the simulator ended with code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Message);
    });
  });
}

export async function startSimulator(seed: string): Promise<SimulatorProcess> {
  const program = `./simulator-process${extname(import.meta.url)}`;
  const child = fork(fileURLToPath(new URL(program, import.meta.url)));
  child.send({ type: 'start', seed });
  const { url } = await next<SimulatorReady>(child);
  return {
    url,
    pid: child.pid,
    report() {
      child.send({ type: 'report' });
      return next<SimulatorReport>(child);
    },
    async stop() {
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.disconnect();
      await gone;
    },
  };
}
