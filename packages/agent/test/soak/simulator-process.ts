/** The provider of a soak, in a process of its own: what it keeps is not the agent's memory. */
import { createSimulator, type SimRecord, type Simulator } from '@holdover/simulator';
import { createSoakBrain } from './brain.ts';
import { planner } from './faults.ts';
import { MODELS, type ReportWish, type SimulatorReady, type SimulatorReport, type SimulatorStart } from './protocol.ts';

/** More than one turn makes. */
const KEPT_REQUESTS = 400;
const CHARS_PER_TOKEN = 4;

const OVERFLOW = /prompt is too long|maximum context length|context window/i;

function explained({ status, fault, error = '' }: SimRecord): boolean {
  return status < 400 || fault !== undefined || OVERFLOW.test(error);
}

function watch(simulator: Simulator): () => SimulatorReport {
  let next = 0;
  let overflows = 0;
  const faults: Record<string, number> = {};
  return () => {
    const fresh = simulator.requests.filter(({ index }) => index >= next);
    const unseen = (fresh[0]?.index ?? next) - next;
    next = (fresh.at(-1)?.index ?? next - 1) + 1;
    for (const { fault } of fresh) if (fault !== undefined) faults[fault] = (faults[fault] ?? 0) + 1;
    overflows += fresh.filter(({ fault, error = '' }) => fault === undefined && OVERFLOW.test(error)).length;
    const refusals = fresh
      .filter((record) => !explained(record))
      .map(({ index, status, model, error }) => `request ${index} to ${model}: ${status} ${error ?? ''}`);
    return { type: 'report', requests: next, faults: { ...faults }, overflows, refusals, unseen };
  };
}

async function start({ seed }: SimulatorStart): Promise<Simulator> {
  const simulator = await createSimulator({
    brain: createSoakBrain(seed),
    windowTokens: Object.fromEntries(Object.entries(MODELS).map(([model, { real }]) => [model, real])),
    keepRequests: KEPT_REQUESTS,
    countTokens: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
  });
  simulator.addFault(planner(seed, (fault) => simulator.addFault(fault)));
  return simulator;
}

let report: (() => SimulatorReport) | undefined;

process.on('message', (message: SimulatorStart | ReportWish) => {
  if (message.type === 'report') {
    if (report !== undefined) process.send?.(report());
    return;
  }
  void start(message).then((simulator) => {
    report = watch(simulator);
    process.send?.({ type: 'ready', url: simulator.url } satisfies SimulatorReady);
  });
});
process.on('disconnect', () => process.exit(0));
