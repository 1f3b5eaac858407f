/** 1Password: every variable has a reference, which the program `op` reads. */
import pLimit from 'p-limit';
import { isVariableName } from '../config/env-values.ts';
import { expandTilde } from '../config/home.ts';
import type { Config } from '../config/load.ts';
import {
  helperVariables,
  namedVariable,
  onePasswordSessions,
  onePasswordVariables,
} from '../config/secret-settings.ts';
import type { Variables } from '../config/variables.ts';
import { SourceFailure } from './failure.ts';
import { callHelper, fingerprint } from './helper.ts';
import type { Problem, SecretSource } from './source.ts';

type Settings = Config['secrets']['onepassword'];

const sideBySide = 4;
/** These are wrong with all variables alike. */
const hopeless: ReadonlySet<string> = new Set(['binary_missing', 'auth_failed', 'auth_expired']);

export function onePassword(settings: Settings, env: Variables): SecretSource {
  const entries = Object.entries(settings.env);
  return {
    name: 'onepassword',
    label: '1Password',
    shape: 'mapped',
    overrides: settings.override_existing,
    timeoutSeconds: settings.timeout_seconds,
    cacheSeconds: settings.cache_ttl_seconds,
    cacheFile: 'op_cache.json',
    cacheKey: keyOf(settings, env),
    async ask(signal) {
      const values = new Map<string, string>();
      const problems: Problem[] = [];
      const read = async ([variable, reference]: readonly [string, string]): Promise<void> => {
        try {
          values.set(variable, await readValue(variable, reference));
        } catch (error) {
          if (!(error instanceof SourceFailure) || hopeless.has(error.kind)) throw error;
          problems.push({ variable, failure: error });
        }
      };
      const readValue = async (variable: string, reference: string): Promise<string> => {
        const complaint = complaintAbout(variable, reference);
        if (complaint !== undefined) throw new SourceFailure('ref_invalid', complaint);
        const printed = await readReference(settings, env, reference.trim(), signal);
        const value = printed.replace(/\r?\n$/, '');
        if (value.trim() === '') throw new SourceFailure('empty_value', 'it is empty there');
        if (value.includes('\0')) throw new SourceFailure('internal', 'no variable can hold its value');
        return value;
      };
      const [first, ...others] = entries;
      if (first === undefined) {
        throw new SourceFailure(
          'not_configured',
          'no variable has a reference yet',
          'Add one: hermes secrets onepassword set OPENAI_API_KEY "op://Private/OpenAI/api key"',
        );
      }
      // Alone: where something has to be unlocked, that happens once.
      await read(first);
      const limit = pLimit(sideBySide);
      await Promise.all(others.map((entry) => limit(read, entry)));
      return { values, problems: problems.toSorted((a, b) => a.variable.localeCompare(b.variable)) };
    },
  };
}

/** What is wrong with a variable or its reference; undefined when both can be used. */
export function complaintAbout(variable: string, reference: string): string | undefined {
  if (!isVariableName(variable)) return 'that is no name of a variable';
  return reference.trim().startsWith('op://') ? undefined : 'its reference does not begin with op://';
}

/** Who is logged in, as `op` says it. Throws `SourceFailure`. */
export async function onePasswordAccount(settings: Settings, env: Variables, signal: AbortSignal): Promise<string> {
  return (await callHelper({ ...callOf(settings, env, ['whoami']), signal })).trim();
}

/** Throws `SourceFailure` when there is no such program. */
export async function onePasswordVersion(settings: Settings, env: Variables, signal: AbortSignal): Promise<string> {
  return (await callHelper({ ...callOf(settings, env, ['--version']), signal })).trim();
}

function readReference(settings: Settings, env: Variables, reference: string, signal: AbortSignal): Promise<string> {
  return callHelper({ ...callOf(settings, env, ['read'], ['--', reference]), signal });
}

function callOf(settings: Settings, env: Variables, verb: readonly string[], rest: readonly string[] = []) {
  const token = namedVariable(env, settings.service_account_token_env);
  const sessions = onePasswordSessions(env);
  const known = onePasswordVariables(env);
  const account = verb[0] === '--version' || settings.account === '' ? [] : ['--account', settings.account];
  return {
    program: settings.binary_path === '' ? 'op' : expandTilde(settings.binary_path, env),
    args: [...verb, ...account, ...rest],
    env: {
      ...helperVariables(env),
      ...known,
      ...sessions,
      ...(token === undefined ? {} : { OP_SERVICE_ACCOUNT_TOKEN: token }),
    },
    secrets: [...Object.values(sessions), ...Object.values(known), ...(token === undefined ? [] : [token])],
    missingHint:
      'Install it (https://developer.1password.com/docs/cli/get-started/), or name it in secrets.onepassword.binary_path.',
  };
}

/** The references and whoever asks; a session of the same account gets the same values. */
function keyOf(settings: Settings, env: Variables): string {
  const asker = [namedVariable(env, settings.service_account_token_env) ?? '', onePasswordVariables(env)];
  const asked = Object.entries(settings.env).toSorted(([a], [b]) => a.localeCompare(b));
  return `${fingerprint(JSON.stringify(asker))}|${fingerprint(JSON.stringify([settings.account, asked]))}`;
}
