/** `hermes mcp login`: a person logs in to one server, which is then looked at with that login. */
import type { LoginOptions } from '../credentials/oauth/login.ts';
import { UserError } from '../lib/errors.ts';
import { openPorts } from './connect-ports.ts';
import { LoginNeeded } from './login-needed.ts';
import { askForChallenge, type Challenge } from './oauth/challenge.ts';
import { logInToServer } from './oauth/log-in.ts';
import { LoginFiles } from './oauth/login-files.ts';
import type { McpOptions } from './options.ts';
import { type ProbedServer, probeServer } from './probe.ts';
import { readSettings, type ServerEntry } from './settings.ts';
import { suspicionOf } from './suspicious.ts';

type Options = Omit<McpOptions, 'discoveryMs' | 'waits'>;

/** How often a server may ask for more rights than it asked for before. */
const maxLogins = 3;

/**
 * Rejects with a `UserError` when the entry has no login or the login fails, with an `Error` when the server does not
 * answer, and with the signal's reason. What was stored before a failure stays.
 */
export async function logIn(
  name: string,
  entry: ServerEntry,
  options: Options,
  login: LoginOptions,
): Promise<ProbedServer> {
  const suspicion = suspicionOf(entry);
  if (suspicion !== undefined) throw new UserError(`suspicious MCP server '${name}': ${suspicion}.`);
  const { homePath, network } = options;
  const { reach } = readSettings(name, entry, options.variables);
  if (reach.kind === 'stdio' || reach.oauth === undefined) {
    const hint = reach.kind === 'stdio' ? 'A server with a command has none.' : 'Set auth: oauth in its entry.';
    throw new UserError(`The entry of MCP server '${name}' has no login with OAuth.`, { exitCode: 2, hint });
  }
  const guarded = { ...reach, oauth: reach.oauth };
  for (let logins = 1; ; logins++) {
    const challenge = await challengeOf(name, entry, options, login.signal);
    await logInToServer({ name, reach: guarded, network, homePath, challenge }, login);
    try {
      return await probeServer(name, entry, options, login.signal);
    } catch (error) {
      const wanted = new LoginFiles(homePath, name).tokens()?.wanted_scope;
      if (!(error instanceof LoginNeeded) || wanted === undefined || logins === maxLogins) throw error;
      login.prompt.status(`It wants more rights (${wanted}), and so the login once more.`);
    }
  }
}

async function challengeOf(
  name: string,
  entry: ServerEntry,
  options: Options,
  signal: AbortSignal,
): Promise<Challenge> {
  const { ports, close } = openPorts(options);
  try {
    return await askForChallenge(readSettings(name, entry, options.variables), ports, signal);
  } finally {
    await close();
  }
}
