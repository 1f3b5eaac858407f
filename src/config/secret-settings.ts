/** What secret managers need of the settings and the environment before anything else is read. */
import { join } from 'node:path';
import { managedDirectory } from './dotenv.ts';
import { filled } from './env-values.ts';
import type { Home } from './home.ts';
import type { Variables } from './variables.ts';
import { readText } from './yaml-file.ts';

/**
 * False when no file of settings can have a secret manager switched on. Looks for words instead of reading the files: it
 * is asked with every start, and mostly answers no.
 */
export function mayHaveSecretSources(home: Home, env: Variables): boolean {
  return [home.path, managedDirectory(env)].some((folder) => {
    const text = textOf(join(folder, 'config.yaml'));
    return /(?<![\w.-])secrets["']?\s*:/.test(text) && text.includes('enabled');
  });
}

/** The value of a variable whose name is a setting; undefined when it is unset or blank. */
export function namedVariable(env: Variables, name: string): string | undefined {
  return filled(env[name]);
}

/** Where a program finds itself, its files and the world outside; no secret of this program is among them. */
const HELPER_NAMES =
  `PATH HOME USERPROFILE APPDATA LOCALAPPDATA SystemRoot TMPDIR TMP TEMP XDG_CONFIG_HOME XDG_RUNTIME_DIR
  HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY https_proxy http_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR`.split(
    /\s+/,
  );
const ONE_PASSWORD_NAMES = ['OP_ACCOUNT', 'OP_CONNECT_HOST', 'OP_CONNECT_TOKEN'];

/** All that the program of a secret manager gets to see of an environment. */
export function helperVariables(env: Variables): Record<string, string> {
  return pick(env, (name) => HELPER_NAMES.includes(name));
}

/** What `op` reads itself, but for the token of a service account and its sessions. */
export function onePasswordVariables(env: Variables): Record<string, string> {
  return pick(env, (name) => ONE_PASSWORD_NAMES.includes(name));
}

/** The logins that `op signin` leaves in a shell. */
export function onePasswordSessions(env: Variables): Record<string, string> {
  return pick(env, (name) => name.startsWith('OP_SESSION_'));
}

/** `BWS_SERVER_URL`, which the program of Bitwarden reads where no setting names a server. */
export function bitwardenServer(env: Variables): string | undefined {
  return filled(env['BWS_SERVER_URL']);
}

function pick(env: Variables, wanted: (name: string) => boolean): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && wanted(name)) picked[name] = value;
  }
  return picked;
}

function textOf(path: string): string {
  try {
    return readText(path) ?? '';
  } catch {
    // Whoever reads the settings says what is wrong with them.
    return '';
  }
}
