/** A server that is started again when it is needed after it went away: a session lasts a day, and few servers do. */
import { connectServer, type ConnectionOptions, type McpConnection } from './connection.ts';
import type { McpServerSettings } from './settings.ts';

export interface LiveServer {
  readonly name: string;
  /** As it offered them first; they stay the session's, so that every request is the same. */
  readonly tools: McpConnection['tools'];
  /** Starts the server again where it is gone. A call it failed in is not repeated: it may have done its work. */
  readonly call: McpConnection['call'];
  close(): Promise<void>;
  kill(): void;
}

export interface LiveOptions extends Omit<ConnectionOptions, 'onGone'> {
  /** It went away, or is back (undefined). */
  readonly onChange: (gone: string | undefined) => void;
}

/** Rejects where the server cannot be used from the start. */
export async function openServer(name: string, settings: McpServerSettings, options: LiveOptions): Promise<LiveServer> {
  let isGone = false;
  let isClosed = false;
  let reopening: Promise<void> | undefined;
  const connect = (): Promise<McpConnection> =>
    connectServer(settings, {
      ...options,
      onGone: (reason) => {
        isGone = true;
        options.onChange(reason === '' ? 'it ended' : reason);
      },
    });
  let connection = await connect();
  const { tools } = connection;
  const reopen = async (): Promise<void> => {
    await connection.close();
    connection = await connect();
    isGone = false;
    options.onChange(undefined);
  };
  return {
    name,
    tools,
    async call(tool, input, signal) {
      if (isClosed) throw new Error('the server was closed');
      if (isGone) {
        reopening ??= reopen().finally(() => {
          reopening = undefined;
        });
        await reopening;
      }
      return connection.call(tool, input, signal);
    },
    async close() {
      isClosed = true;
      await reopening?.catch(() => undefined);
      await connection.close();
    },
    kill: () => connection.kill(),
  };
}
