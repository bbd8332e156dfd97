/** A reply as Markdown, drawn while it streams. */
import { Markdown, type MarkdownTheme } from '@mariozechner/pi-tui/dist/components/markdown.js';
import { setCapabilities } from '@mariozechner/pi-tui/dist/terminal-image.js';
import { clip } from '../text/lines.ts';
import { sanitise } from '../text/sanitise.ts';
import type { Theme } from '../text/theme.ts';
import type { Block } from './block.ts';

// A link's address is a model's words: it is shown, never handed to the terminal as a link. Nor are there pictures.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Stands for the fences of a code block, which colour and indent tell well enough; sanitised text has no NUL. */
const FENCE = '\u0000';

function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: (text) => theme.bold(text),
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.cyan,
    codeBlock: theme.cyan,
    codeBlockBorder: () => FENCE,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.cyan,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.struck,
    underline: theme.underline,
  };
}

export interface ReplyBlock extends Block {
  /** The whole text so far. */
  setText(text: string): void;
}

/** The tail that is parsed anew with every piece that streams in is cut off from this length on, where a paragraph ends. */
const TAIL_CHARS = 2_000;
/** A paragraph's beginning: nothing that may belong to the list, table or quotation before it. */
const BEGINS_ANEW = /^[^\s\-*+>|\d]/;

/** Where the text may be cut so that both parts are drawn as the whole would be; undefined where nowhere. */
function settledEnd(text: string): number | undefined {
  for (let at = text.lastIndexOf('\n\n'); at > 0; at = text.lastIndexOf('\n\n', at - 1)) {
    const fences = text.slice(0, at).match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
    if (fences % 2 === 0 && BEGINS_ANEW.test(text.slice(at + 2, at + 3))) return at + 2;
  }
  return undefined;
}

class Reply implements ReplyBlock {
  readonly #theme: MarkdownTheme;
  #settled: Markdown[] = [];
  #settledChars = 0;
  #tail: Markdown;

  constructor(theme: Theme) {
    this.#theme = markdownTheme(theme);
    this.#tail = this.#markdown('');
  }

  setText(text: string): void {
    if (text.length < this.#settledChars) {
      this.#settled = [];
      this.#settledChars = 0;
    }
    let tail = text.slice(this.#settledChars);
    const end = tail.length > TAIL_CHARS ? settledEnd(tail) : undefined;
    if (end !== undefined) {
      this.#settled.push(this.#markdown(tail.slice(0, end)));
      this.#settledChars += end;
      tail = tail.slice(end);
    }
    this.#tail.setText(sanitise(tail).trim());
  }

  render(columns: number): readonly string[] {
    const parts = [...this.#settled, this.#tail].map((part) => part.render(columns)).filter(({ length }) => length > 0);
    const lines = parts.flatMap((part, index) => (index === 0 ? part : ['', ...part]));
    // The library fills lines up with spaces, which would be copied along with the text.
    return lines.filter((line) => !line.includes(FENCE)).map((line) => clip(line.replace(/ +$/, ''), columns));
  }

  #markdown(text: string): Markdown {
    return new Markdown(sanitise(text).trim(), 0, 0, this.#theme);
  }
}

export function replyBlock(theme: Theme): ReplyBlock {
  return new Reply(theme);
}
