/** The built-in tools, in the order the model sees them. */
import { type BashOptions, createBashTool } from './bash.ts';
import { createEditFileTool, type EditFileOptions } from './edit-file.ts';
import { createGlobTool, type GlobToolOptions } from './glob.ts';
import { createGrepTool, type GrepOptions } from './grep.ts';
import type { Processes } from './processes.ts';
import { createReadFileTool, type ReadFileOptions } from './read-file.ts';
import { createTodoWriteTool, type TodoList } from './todo-write.ts';
import type { Tool } from './tool.ts';
import { createWriteFileTool } from './write-file.ts';

export interface ToolsOptions {
  /** Runs the commands of `bash`; the caller disposes of it at the end of a turn and of the session. */
  readonly processes: Processes;
  /** Where `todo_write` keeps its list. */
  readonly todos: TodoList;
  /** @default DEFAULT_BASH_OPTIONS */
  readonly bash?: BashOptions;
  /** @default DEFAULT_READ_FILE_OPTIONS */
  readonly readFile?: ReadFileOptions;
  /** @default DEFAULT_EDIT_FILE_OPTIONS */
  readonly editFile?: EditFileOptions;
  /** @default DEFAULT_GLOB_TOOL_OPTIONS */
  readonly glob?: GlobToolOptions;
  /** @default DEFAULT_GREP_OPTIONS */
  readonly grep?: GrepOptions;
}

/** @throws AgentError `invalid_option` */
export function createTools(options: ToolsOptions): readonly Tool[] {
  return [
    createBashTool(options.processes, options.bash),
    createReadFileTool(options.readFile),
    createWriteFileTool(),
    createEditFileTool(options.editFile),
    createGlobTool(options.glob),
    createGrepTool(options.grep),
    createTodoWriteTool(options.todos),
  ];
}
