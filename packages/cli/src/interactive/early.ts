/**
 * The prompt before anything else: the frame needs a tenth of what agent, provider and settings need to load, and a person who types does not
 * wait for them. What is typed meanwhile is kept.
 */
import { Frame } from './screen/frame.ts';
import { themeFor } from './text/theme.ts';

export interface Early {
  readonly frame: Frame;
  /** Prompts sent before anybody could take them, oldest first. */
  readonly sent: string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a screen can be drawn: both ends are a terminal, and it knows how to move a cursor. */
export function canDraw(env: Env): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && env['TERM'] !== 'dumb';
}

let early: Early | undefined;

/** Draws the prompt. Resolves when it is on the screen. */
export async function startEarly(env: Env): Promise<Early> {
  const sent: string[] = [];
  const frame = new Frame(themeFor(env), { model: 'starting' });
  const { editor } = frame;
  editor.onSubmit = (text) => {
    if (text.trim() !== '') sent.push(text);
  };
  // Leaving has to work before anything is loaded.
  frame.onKey = (data) => {
    if (data !== '\u0003' && data !== '\u0004') return false;
    frame.stop();
    process.exit(0);
  };
  early = { frame, sent };
  process.once('exit', () => frame.stop());
  frame.start();
  // The library draws in a timer of its own.
  await new Promise((resolve) => setTimeout(resolve, 2));
  return early;
}

/** The frame that was drawn early, or one drawn now. */
export async function takeFrame(env: Env): Promise<Early> {
  return early ?? startEarly(env);
}

/** Gives the terminal back, where it was taken: for errors before the session began. */
export function stopEarly(): void {
  early?.frame.stop();
}
