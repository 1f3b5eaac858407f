/** Starts one language server for one project. */
import type { OwnProcesses } from '../../environments/local/own-processes.ts';
import { startTalking } from '../../environments/local/talking-program.ts';
import { errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { type LanguageClient, openLanguageClient } from './language-client.ts';
import type { LanguageServer } from './language-server.ts';
import type { LocatedServer, ServerSources } from './locate-server.ts';

const startMs = 60_000;
const goodbyeMs = 500;
const maxLogChars = 1000;

export interface StartOptions extends ServerSources {
  readonly root: string;
  readonly processes: OwnProcesses;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface StartedServer {
  readonly client: LanguageClient;
  /** Asks it to end, and sees to it. */
  end(): Promise<void>;
}

/** Rejects with the reason, and with nothing left behind. */
export async function startServer(
  server: LanguageServer,
  { command, from, path }: LocatedServer,
  options: StartOptions,
): Promise<StartedServer> {
  const { folder, settings, env, log, root, processes } = options;
  const own = settings.servers[server.id];
  const place = { root, folder, program: path };
  const ownOptions = jsonOf(own?.initialization_options);
  const program = await startTalking(command, { cwd: root, env: { ...env, ...own?.env }, processes });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('it took too long to start')), startMs);
  timer.unref();
  try {
    const client = await openLanguageClient(
      {
        program,
        root,
        // Somebody's own command may be any server.
        ...(server.asks === undefined || from === 'configuration' ? {} : { asks: server.asks }),
        initializationOptions: { ...server.options?.(place), ...ownOptions },
        settings: { ...server.settings?.(place), ...ownOptions },
        debug: (message) => log.debug(`${server.id}: ${message.slice(0, maxLogChars)}`),
      },
      AbortSignal.any([late.signal, options.signal]),
    );
    log.info(`the language server ${server.id} was started in ${root} (${path})`);
    return {
      client,
      async end() {
        await sayGoodbye(client, log);
        await program.end();
      },
    };
  } catch (error) {
    await program.end();
    const complaints = program.complaints().slice(0, maxLogChars);
    const reason = errorMessage(error);
    throw new Error(complaints === '' ? reason : `${reason}: ${complaints}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

async function sayGoodbye(client: LanguageClient, log: Log): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('no answer')), goodbyeMs);
  try {
    await client.shutDown(late.signal);
  } catch (error) {
    log.debug('a language server was ended that did not say goodbye', error);
  } finally {
    clearTimeout(timer);
  }
}

function jsonOf(value: Readonly<Record<string, unknown>> | undefined): JsonObject {
  const json = parseJson(JSON.stringify(value ?? {}));
  return isJsonObject(json) ? json : {};
}
