/** What npm gets to see of the environment: its own settings, the ways to other computers, and what its settings name. */
import { readFileSync } from 'node:fs';
import { npmSettingsFile } from '../../config/npm-variables.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Written in large letters; they count in either case. */
const needed: ReadonlySet<string> = new Set(
  `PATH PATHEXT HOME USER LOGNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA SYSTEMROOT WINDIR COMSPEC TEMP TMP TMPDIR
  LANG LC_ALL LC_CTYPE TZ HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE
  SSL_CERT_DIR`.split(/\s+/),
);
const maxSettings = 100_000;

/**
 * Besides what every program needs: `npm_config_*`, and the variables that the user's `.npmrc` names as `${NAME}`, which is
 * where a token for a registry stands. No other secret is passed on.
 */
export function npmEnvironment(env: Variables): Record<string, string> {
  const named = namedInSettings(env);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (needed.has(name.toUpperCase()) || /^npm_config_/i.test(name) || named.has(name)) passed[name] = value;
  }
  return passed;
}

function namedInSettings(env: Variables): ReadonlySet<string> {
  const path = npmSettingsFile(env);
  if (path === undefined) return new Set();
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, maxSettings);
  } catch {
    // npm does without it as well.
    return new Set();
  }
  return new Set([...text.matchAll(/\$\{(\w+)\??\}/g)].flatMap(([, name]) => name ?? []));
}
