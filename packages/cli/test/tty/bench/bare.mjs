/** The library and nothing else: an editor with a prompt. What `holdover` is measured beside. */
import { Editor, ProcessTerminal, Text, TUI } from '@mariozechner/pi-tui';

const same = (text) => text;
const list = { selectedPrefix: same, selectedText: same, description: same, scrollInfo: same, noMatch: same };
const tui = new TUI(new ProcessTerminal());
const editor = new Editor(tui, { borderColor: same, selectList: list });
tui.addChild(new Text('❯'));
tui.addChild(editor);
tui.setFocus(editor);
tui.start();
