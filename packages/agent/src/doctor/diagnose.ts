/** Looks at everything an agent needs before it is needed, and says what to do. */
import { AgentError } from '../errors.ts';
import type { Choice } from '../providers/choose-provider.ts';
import { checkCache } from './cache.ts';
import { fail, type Finding, ok, warn } from './finding.ts';
import { checkDisk, checkFolder, checkNode, checkSessions } from './machine.ts';
import { askCatalogue, checkModel, checkServer } from './server.ts';
import { checkWindow, type WindowFacts } from './window.ts';

export interface DiagnoseOptions {
  readonly workspace: string;
  /** As `chooseProvider` answers; an `AgentError` it throws becomes a finding. */
  readonly choose: () => Choice<WindowFacts> | undefined;
  /** The user's own setting of the window. */
  readonly windowTokens?: number;
  /** Sends two requests of about 5,000 tokens each, which the provider bills, to see the cache work. @default false */
  readonly isOnline?: boolean;
  /** @default the one that runs */
  readonly nodeVersion?: string;
  readonly signal?: AbortSignal;
}

const HOW_TO_START =
  'set ANTHROPIC_API_KEY or OPENAI_API_KEY, or give the base URL of a server of your own, such as http://localhost:11434/v1';

const HOW_TO_NAME = 'name a model: --model, or "model" in the settings';

type Chosen = { readonly finding: Finding; readonly choice?: Choice<WindowFacts> };

function chooseSafely(choose: DiagnoseOptions['choose']): Chosen {
  try {
    const choice = choose();
    if (choice !== undefined) return { finding: ok('key', choice.source), choice };
    return { finding: warn('key', 'there is neither a key nor a base URL: the built-in model answers', HOW_TO_START) };
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    if (error.code === 'no_model') return { finding: fail('model', error.message, HOW_TO_NAME) };
    return { finding: fail('key', error.message, HOW_TO_START) };
  }
}

/** Never prints a key; without `isOnline` it costs nothing. Findings in the order in which they are to be mended. */
export async function diagnose(options: DiagnoseOptions): Promise<readonly Finding[]> {
  const { workspace, signal = new AbortController().signal, nodeVersion = process.versions.node } = options;
  const { finding, choice } = chooseSafely(options.choose);
  const machine = await Promise.all([checkFolder(workspace), checkDisk(workspace), checkSessions(workspace)]);
  const local = [checkNode(nodeVersion), ...machine, finding];
  if (choice === undefined) return local;
  const { endpoint, model, facts, provider } = choice;
  const catalogue = await askCatalogue(endpoint, signal);
  const served = checkServer(endpoint, catalogue);
  // Nothing further can be found out of a server that is not there, or shuts the door.
  if (served.status === 'fail') return [...local, served];
  const listed = checkModel(model, catalogue);
  const window = await checkWindow({ endpoint, model, facts, setTokens: options.windowTokens, signal });
  const cache = options.isOnline === true ? [await checkCache({ provider, model, signal })] : [];
  return [...local, served, ...(listed === undefined ? [] : [listed]), window, ...cache];
}
