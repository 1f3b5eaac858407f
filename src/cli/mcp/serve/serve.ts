/** `hermes mcp serve`: the conversations in chats, for other agents, over the streams of this process. */
import { Console } from 'node:console';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { LoadedConfig } from '../../../config/load.ts';
import { logSettings, openLog } from '../../../config/open-log.ts';
import { runningGateway } from '../../../gateway/process/running-gateway.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { secretMask } from '../../../runtime/secret-mask.ts';
import type { CliContext } from '../../command.ts';
import { readPackage } from '../../commands/version.ts';
import type { BridgeTool } from './bridge-tool.ts';
import { channelsTool } from './channels.ts';
import { ChatWatcher } from './chat-watcher.ts';
import { conversationTools } from './conversations.ts';
import { EventQueue } from './event-queue.ts';
import { eventTools } from './live-events.ts';
import { messageTools } from './messages.ts';
import { permissionTools } from './permissions.ts';
import { bridgeServer } from './protocol-server.ts';
import { sendTool } from './sending.ts';
import { StoreAtHand } from './store-at-hand.ts';
import { Wire } from './wire.ts';

export interface ServeOptions {
  readonly verbose?: true;
}

const patienceMs = 2000;

/** Resolves when the client is gone. */
export async function serve(context: CliContext, { verbose }: ServeOptions): Promise<void> {
  const { home, env, io } = context;
  // Whatever a library has to say must not stand between the messages.
  if (io.stdout === process.stdout) globalThis.console = new Console(io.stderr, io.stderr);
  const config = await context.config();
  const mask = secretMask({ config, env });
  const log = (verbose === true ? shownLog(context, config, mask) : context.log).named('mcp.serve');
  const store = new StoreAtHand(home.path, (line) => void io.stderr.write(`${line}\n`));
  const events = new EventQueue();
  const watcher = new ChatWatcher({
    store,
    events,
    log,
    mask,
    gatewayRuns: () => runningGateway(home.path) !== undefined,
  });
  const tools: readonly BridgeTool[] = [
    ...conversationTools(store),
    ...messageTools(store, mask),
    ...eventTools(events),
    sendTool(context),
    channelsTool(home.path, store),
    ...permissionTools(home.path, watcher),
  ];
  const { version } = readPackage();
  const stopping = new AbortController();
  // What is there before the first question is not new. A store that is locked keeps no client waiting.
  await Promise.race([watcher.look(), sleep(patienceMs, undefined, { ref: false })]);
  const watching = watcher.watch(stopping.signal);
  const wire = new Wire(io.stdin, io.stdout);
  const handle = serveStdio(() => bridgeServer({ tools, version, log, mask }), {
    transport: wire,
    onerror: (error) => log.debug(`a message was not understood: ${errorMessage(error)}`),
  });
  log.info('serves an MCP client');
  await wire.ended;
  log.info('the MCP client is gone');
  stopping.abort();
  await handle.close();
  await watching;
  await store.close();
}

function shownLog({ home, io }: CliContext, { config }: LoadedConfig, mask: (text: string) => string): Log {
  const log = openLog(home, mask, { onEntry: (_level, line) => void io.stderr.write(line) });
  log.configure({ ...logSettings(config), level: 'DEBUG' });
  return log;
}
