/** Doctor: whether a command finds a key in its environment. Runs `env`. */
import { randomBytes } from 'node:crypto';
import { errorMessage } from '../../../lib/errors.ts';
import { withheldVariables } from '../../../runtime/passed-variables.ts';
import { knownSecrets } from '../../../runtime/secret-mask.ts';
import { isNeverPassedOn } from '../../../safety/secret-variables.ts';
import type { Check, Finding } from '../finding.ts';
import { withToolServices } from './session-services.ts';

/** Shorter values stand in any environment by chance. */
const minSecretChars = 8;
const timeoutMs = 20_000;

export const commandEnvironment: Check = {
  title: 'Environment of commands',
  async run({ cli, loaded }) {
    // One made for this, in case there is no other one here.
    const planted = { HERMES_PROBE_API_KEY: `sk-${randomBytes(16).toString('hex')}` };
    const env = { ...cli.env, ...planted };
    const named = new Set(loaded.config.terminal.env_passthrough.filter((name) => !isNeverPassedOn(name)));
    const passed = Object.entries(env).flatMap(([name, value]) => (named.has(name) ? (value ?? []) : []));
    const secrets = knownSecrets({ config: loaded, env }).filter(
      (value) => value.length >= minSecretChars && !passed.includes(value),
    );
    try {
      const found = await withToolServices(
        { cli, loaded },
        (services) => {
          const signal = AbortSignal.timeout(timeoutMs);
          return services.environment.run('env', { timeoutMs, signal });
        },
        planted,
      );
      if (found.exitCode !== 0) return [notTried(`env ended with exit code ${found.exitCode}`)];
      const names = found.output
        .split('\n')
        .flatMap((line) => (secrets.some((value) => holds(line, value)) ? [line.replace(/=.*/, '')] : []));
      const withheld = withheldVariables({ config: loaded, env: cli.env }).map(
        (text): Finding => ({ status: 'warn', text }),
      );
      if (names.length > 0) return [...names.map(exposed), ...withheld];
      return [{ status: 'ok', text: `a command sees none of ${secrets.length} keys` }, ...withheld];
    } catch (error) {
      return [notTried(errorMessage(error))];
    }
  },
};

/** As it is, and as it is written where no plain text may stand. */
function holds(line: string, value: string): boolean {
  const bytes = Buffer.from(value);
  return [value, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')].some((text) =>
    line.includes(text),
  );
}

function exposed(name: string): Finding {
  return {
    status: 'fail',
    text: `a command finds a key in its variable ${name}`,
    remedy: `Keep the key in ~/.hermes/.env only, and take ${name} out of the shell's own start-up files.`,
  };
}

function notTried(reason: string): Finding {
  return { status: 'fail', text: `no command could be run to look: ${reason}`, remedy: 'Run `hermes doctor`.' };
}
