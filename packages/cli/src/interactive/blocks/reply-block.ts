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

export function replyBlock(theme: Theme): ReplyBlock {
  const markdown = new Markdown('', 0, 0, markdownTheme(theme));
  return {
    setText: (text) => markdown.setText(sanitise(text).trim()),
    render(columns) {
      // The library fills lines up with spaces, which would be copied along with the text.
      return markdown
        .render(columns)
        .filter((line) => !line.includes(FENCE))
        .map((line) => clip(line.replace(/ +$/, ''), columns));
    },
  };
}
