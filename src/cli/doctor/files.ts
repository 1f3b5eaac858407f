/** Doctor: configuration files, directories, the session database and the administrator's files. */
import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { readEnvFile } from '../../config/dotenv.ts';
import { strayCopies } from '../../config/env-copies.ts';
import { displayPath, ensureHome } from '../../config/home.ts';
import { unbuiltVariables } from '../../config/not-in-build-variables.ts';
import { needsMigration } from '../../config/migrate.ts';
import { CONFIG_VERSION } from '../../config/schema.ts';
import type { Log } from '../../lib/log.ts';
import type { Check, CheckContext, Finding } from './finding.ts';
import { database } from './database.ts';

export const configurationFiles: Check = {
  title: 'Configuration Files',
  async run(context) {
    return [...(await configFile(context)), ...(await envFile(context)), ...badVariables(context)];
  },
};

export const directories: Check = {
  title: 'Directory Structure',
  async run(context) {
    const { cli, fix } = context;
    if (fix) tryTo(cli.log, () => ensureHome(cli.home, cli.env));
    const findings = ['', 'cron', 'sessions', 'logs', 'memories', 'skills'].map((name) => directory(context, name));
    const soul = join(cli.home.path, 'SOUL.md');
    findings.push(
      existsSync(soul)
        ? { status: 'ok', text: 'SOUL.md' }
        : { status: 'warn', text: 'SOUL.md is missing', remedy: 'Run `hermes doctor --fix` to write a starter.' },
    );
    findings.push(...(await database(context)));
    return findings;
  },
};

export const managedScope: Check = {
  title: 'Managed Scope',
  run({ loaded: { managed } }) {
    const origin = managed.redirected ? 'from HERMES_MANAGED_DIR' : 'default';
    const counts = `${managed.keys.length} pinned keys, ${managed.variables.length} pinned variables`;
    const findings: Finding[] = [{ status: 'info', text: managed.directory, detail: `${origin}; ${counts}` }];
    for (const warning of managed.warnings) {
      findings.push({ status: 'warn', text: warning, remedy: 'Ask your administrator to repair the file.' });
    }
    return findings;
  },
};

async function configFile({ cli, loaded, fix }: CheckContext): Promise<Finding[]> {
  const shown = displayPath(loaded.path, cli.env);
  const { state, version } = loaded.user;
  if (state === 'ignored') return [{ status: 'info', text: shown, detail: 'ignored by request' }];
  if (state === 'absent') {
    if (fix && (await created(cli, loaded.path))) return [{ status: 'ok', text: `${shown} created` }];
    return [{ status: 'info', text: `${shown} is not there yet`, detail: 'defaults apply' }];
  }
  if (state === 'broken') {
    const reason = loaded.warnings.find((warning) => warning.includes(loaded.path)) ?? `${shown} does not parse`;
    return [{ status: 'fail', text: reason, remedy: 'Repair the file with `hermes config edit`.' }];
  }
  const findings: Finding[] = [{ status: 'ok', text: shown, detail: `version ${version}` }];
  if (needsMigration(version) && !(fix && (await migrated(cli, loaded)))) {
    findings.push({
      status: 'info',
      text: `the version of today is ${CONFIG_VERSION}`,
      detail: 'hermes config migrate',
    });
  }
  const others = loaded.warnings.filter((warning) => !loaded.managed.warnings.includes(warning));
  for (const warning of others) {
    findings.push({ status: 'warn', text: warning, remedy: 'Correct the value with `hermes config set` or `edit`.' });
  }
  const unknown = loaded.unknownKeys();
  if (unknown.length > 0) {
    const { nearestKey } = await import('../../config/near-miss.ts');
    for (const key of unknown) {
      const near = nearestKey(key);
      findings.push({
        status: 'warn',
        text: `nothing reads '${key}'${near === undefined ? '' : `; did you mean ${near}?`}`,
        remedy: `Take it out with \`hermes config unset ${key}\`.`,
      });
    }
  }
  return findings;
}

/** As `hermes config migrate`, which says what it changes. */
async function migrated(cli: CheckContext['cli'], loaded: CheckContext['loaded']): Promise<boolean> {
  const { migrateConfig } = await import('../../config/migrate.ts');
  try {
    await migrateConfig(cli, loaded);
    return true;
  } catch (error) {
    cli.log.warning(`${loaded.path} was not migrated`, error);
    return false;
  }
}

async function created(cli: CheckContext['cli'], path: string): Promise<boolean> {
  const { updateConfig } = await import('../../config/edit.ts');
  try {
    await updateConfig(cli, [{ path: ['_config_version'], value: CONFIG_VERSION }]);
    return existsSync(path);
  } catch (error) {
    cli.log.warning(`${path} was not made`, error);
    return false;
  }
}

async function envFile({ cli, fix }: CheckContext): Promise<Finding[]> {
  const path = join(cli.home.path, '.env');
  const shown = displayPath(path, cli.env);
  if (fix && !existsSync(path)) tryTo(cli.log, () => writeFileAtomic(path, ''));
  if (!existsSync(path)) return [{ status: 'info', text: `${shown} is not there yet` }];
  if (fix) {
    const { repairEnvFile } = await import('../../config/dotenv-edit.ts');
    tryTo(cli.log, () => repairEnvFile(path));
    tryTo(cli.log, () => chmodSync(path, 0o600));
  }
  const { values, warnings } = readEnvFile(path);
  const findings: Finding[] = [{ status: 'ok', text: shown, detail: `${values.size} values` }];
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    findings.push({
      status: 'warn',
      text: `${shown} can be read by other users`,
      remedy: 'Run `hermes doctor --fix`, or chmod 600 the file.',
    });
  }
  for (const warning of warnings) {
    findings.push({ status: 'warn', text: warning, remedy: 'Run `hermes doctor --fix`, or correct the line.' });
  }
  return findings;
}

function badVariables({ cli, loaded }: CheckContext): Finding[] {
  const unusable = loaded.problems.map(
    ({ variable, message }): Finding => ({
      status: 'warn',
      text: `${variable}: ${message}`,
      remedy: `Correct or unset ${variable}.`,
    }),
  );
  const copies = strayCopies(cli.home, loaded).map(
    ({ variable, key, text }): Finding => ({
      status: 'warn',
      text,
      remedy: `Run \`hermes config set ${key} <value>\`, which writes both, or \`hermes config unset ${variable}\`.`,
    }),
  );
  const unbuilt = [...unbuiltVariables(cli.env)].map(
    ([part, names]): Finding => ({
      status: 'info',
      text: `no effect in this build: ${names.join(', ')}`,
      detail: part,
    }),
  );
  return [...unusable, ...copies, ...unbuilt];
}

function directory({ cli, fix }: CheckContext, name: string): Finding {
  const path = join(cli.home.path, name);
  const shown = displayPath(path, cli.env);
  if (fix) tryTo(cli.log, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
  if (!existsSync(path)) {
    // A home in which nothing was said yet lacks what the first conversation makes.
    if (!existsSync(join(cli.home.path, 'state.db'))) return { status: 'info', text: `${shown} is not there yet` };
    return { status: 'warn', text: `${shown} is missing`, remedy: 'Run `hermes doctor --fix` to create it.' };
  }
  try {
    accessSync(path, constants.W_OK);
    return { status: 'ok', text: shown };
  } catch {
    // The question was whether it is.
    return { status: 'fail', text: `${path} is not writable`, remedy: `Make ${path} writable for this user.` };
  }
}

/** What cannot be mended shows up in the check that follows. */
function tryTo(log: Log, action: () => unknown): void {
  try {
    action();
  } catch (error) {
    log.warning('hermes doctor --fix could not repair everything', error);
  }
}
