/** The environment a command gets: the user's, without the agent's credentials and switches. */
import { fetchedMark, fetchedNames } from '../lib/fetched-names.ts';
import { isInternalSecret, isNeverPassedOn, isPolicySwitch, isPrivateVariable } from './secret-variables.ts';

const forcePrefix = '_HERMES_FORCE_';

/** The Python environment that we were started from: commands work in others, and their tools would change ours. */
const ownPython = new Set(['VIRTUAL_ENV', 'CONDA_PREFIX']);

/**
 * `env` without credentials, gateway settings, policy switches, what a secret manager gave, and our Python environment.
 * `passthrough` (names from `terminal.env_passthrough` and from loaded skills) gives single variables back, but none that
 * is the agent's own.
 * `_HERMES_FORCE_<NAME>` is the owner's own way to hand over any variable but a policy switch and what is of use to nobody else.
 */
export function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  options: { readonly passthrough?: Iterable<string> } = {},
): Record<string, string> {
  const passed = new Set(options.passthrough);
  const fetched = new Set([...fetchedNames(env), fetchedMark]);
  const child: Record<string, string> = {};
  const forced: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (name.startsWith(forcePrefix)) forced[name.slice(forcePrefix.length)] = value;
    else if (mayInherit(name, passed) && (passed.has(name) || !fetched.has(name))) child[name] = value;
  }
  for (const [name, value] of Object.entries(forced)) {
    if (name !== '' && !isPolicySwitch(name) && !isInternalSecret(name)) child[name] = value;
  }
  return child;
}

function mayInherit(name: string, passed: ReadonlySet<string>): boolean {
  if (isNeverPassedOn(name) || ownPython.has(name)) return false;
  return passed.has(name) || !isPrivateVariable(name);
}
