/** Logging in to a provider from the terminal: codes and addresses are shown, pasted answers read, tokens stored. */
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { codexDirectory, modelVariables } from '../../config/model-variables.ts';
import { fetchOver } from '../../lib/fetch-over.ts';
import type { Io } from '../../lib/io.ts';
import type { AuthStore } from '../../credentials/auth-store.ts';
import type { LoginProvider } from '../../credentials/oauth/catalogue.ts';
import type { LoginPrompt, TokenSet } from '../../credentials/oauth/login.ts';
import { idOfSource } from '../../credentials/pool-entry.ts';
import { saveEntry } from '../../credentials/stored-pool.ts';
import type { ProviderProfile } from '../../llm/provider.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { Cancelled, openPrompts } from '../model/prompts.ts';

export interface LoginChoices {
  /** False: the address is shown and not opened. */
  readonly browser?: boolean;
  readonly manualPaste?: boolean;
}

/** Codes of providers are good for 15 minutes at most. */
const deadlineMs = 20 * 60_000;

/** Leads the person through the login and stores nothing. Throws `Cancelled` and `UserError`. */
export async function logIn(context: CliContext, provider: LoginProvider, choices: LoginChoices): Promise<TokenSet> {
  const { io, env, settings } = context;
  const takenOver = provider === 'openai-codex' ? await offerCodexLogin(context) : undefined;
  if (takenOver !== undefined) return takenOver;
  const { openLogin } = await import('../../credentials/oauth/catalogue.ts');
  const { logins, network } = modelVariables(env);
  const login = await openLogin(provider, {
    variables: logins,
    fetch: fetchOver(network),
    trace: (line) => void io.stderr.write(`${escapeForDisplay(line)}\n`),
  });
  const stopped = new AbortController();
  const prompt = terminalPrompt(context, () => stopped.abort(new Cancelled()));
  return await login.start({
    prompt,
    signal: AbortSignal.any([stopped.signal, AbortSignal.timeout(deadlineMs)]),
    // On the other side of an SSH connection a browser would open where nobody sits.
    browser: choices.browser !== false && !settings.terminal.remote,
    manualPaste: choices.manualPaste === true,
  });
}

/** Keeps a login in the provider's pool, in the place of the one before, and makes it the active one. */
export async function storeLogin(
  store: AuthStore,
  profile: Pick<ProviderProfile, 'id' | 'auth' | 'name'>,
  tokens: TokenSet,
  label: string | undefined,
): Promise<void> {
  const { entryFields } = await import('../../credentials/oauth/stored-login.ts');
  const source = profile.auth === 'oauth_pkce' ? 'hermes_pkce' : 'device_code';
  await saveEntry(store, profile.id, {
    ...entryFields(tokens),
    id: idOfSource(profile.id, source),
    label: label ?? profile.name ?? profile.id,
    source,
  });
  await store.update((file) => {
    file.active_provider = profile.id;
  });
}

/** The login of the Codex program, when there is one and the person wants it. */
async function offerCodexLogin({ io, env }: CliContext): Promise<TokenSet | undefined> {
  if (!io.stdin.isTTY || !io.stdout.isTTY) return undefined;
  const { importCodexLogin } = await import('../../credentials/oauth/codex-import.ts');
  // A file that is missing or holds something else is no reason not to log in, and nothing was asked of it.
  const found = await importCodexLogin(join(codexDirectory(env), 'auth.json')).catch(() => undefined);
  if (found === undefined) return undefined;
  const prompts = await openPrompts(io);
  const picked = await prompts.select('The Codex program is logged in on this machine.', [
    { value: 'own', label: 'Log in separately' },
    { value: 'take', label: 'Use its login', hint: 'renewing it may log the Codex program out' },
  ]);
  return picked === 'take' ? found : undefined;
}

/** How a login speaks to the person at the terminal; `stop` is told that they do not want to go on. */
export function terminalPrompt({ io, env }: Pick<CliContext, 'io' | 'env'>, stop: () => void): LoginPrompt {
  const say = (text: string) => void io.stdout.write(`${escapeForDisplay(text)}\n`);
  return {
    showCode({ url, userCode, expiresInSeconds }) {
      const minutes = Math.max(1, Math.round(expiresInSeconds / 60));
      say(`\nOpen ${url}\nand enter this code: ${userCode}\n(good for ${minutes} minutes)\n`);
    },
    async openBrowser(url) {
      const { openAddress } = await import('../../environments/open-address.ts');
      return await openAddress(url, env);
    },
    askForPaste: (message, signal) => readLine(io, message, signal, stop),
    status: say,
  };
}

/** Ctrl+C and the end of input end the whole login. */
async function readLine(io: Io, message: string, signal: AbortSignal, stop: () => void): Promise<string> {
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: io.stdin.isTTY });
  const ended = Promise.withResolvers<never>();
  const end = () => {
    if (signal.aborted) return;
    stop();
    ended.reject(new Cancelled());
  };
  lines.once('SIGINT', end);
  lines.once('close', end);
  // When the line comes first, nobody waits for the end of the input any more.
  ended.promise.catch(() => undefined);
  try {
    return await Promise.race([lines.question(`${escapeForDisplay(message)} `, { signal }), ended.promise]);
  } finally {
    lines.off('close', end);
    lines.close();
    io.stdin.pause();
  }
}
