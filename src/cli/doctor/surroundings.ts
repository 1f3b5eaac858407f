/** Doctor: what stands around a home: certificates, the command itself, the skills hub, memory and other profiles. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { DEFAULT_PROFILE, listProfiles } from '../../config/home.ts';
import { modelVariables } from '../../config/model-variables.ts';
import { skillSourceSettings } from '../../config/skill-settings.ts';
import { counted } from '../../lib/counted.ts';
import { errorMessage } from '../../lib/errors.ts';
import { hubFolder, readLock } from '../../skill-hub/hub-files.ts';
import { findProgram } from '../find-program.ts';
import { gatewayOf, modelOf } from '../profile/profiles.ts';
import { wrappersOf } from '../profile/wrapper.ts';
import type { Check, Finding } from './finding.ts';

export const certificates: Check = {
  title: 'SSL / CA Certificates',
  run({ cli }) {
    const files = modelVariables(cli.env).network.trusts;
    const own: Finding = { status: 'ok', text: 'those of Node', detail: `${rootCertificates.length} authorities` };
    return [own, ...files.map(bundle)];
  },
};

export const installation: Check = {
  title: 'Command Installation',
  run({ cli }) {
    const path = findProgram('hermes', cli.env);
    if (path !== undefined) return [{ status: 'ok', text: 'hermes', detail: path }];
    return [{ status: 'info', text: 'hermes is not on PATH', detail: 'wrappers of profiles need it there' }];
  },
};

export const skillsHub: Check = {
  title: 'Skills Hub',
  run({ cli }) {
    const { githubToken } = skillSourceSettings(cli.env);
    return [
      ...hubFindings(cli.home.path),
      githubToken === undefined
        ? { status: 'info', text: 'no GitHub token', detail: '60 requests an hour; set GITHUB_TOKEN for more' }
        : { status: 'ok', text: 'GitHub token' },
    ];
  },
};

export const memoryProvider: Check = {
  title: 'Memory Provider',
  run({ loaded: { config } }) {
    const { memory_enabled: notes, user_profile_enabled: profile } = config.memory;
    if (!notes && !profile) return [{ status: 'info', text: 'memory is off' }];
    return [{ status: 'ok', text: 'built-in memory' }];
  },
};

/** Says nothing where there is only the home itself. */
export const profiles: Check = {
  title: 'Profiles',
  run({ cli }) {
    const named = listProfiles(cli.home.root).filter(({ profile }) => profile !== DEFAULT_PROFILE);
    return Promise.all(
      named.map(async (home): Promise<Finding> => {
        const lacks = ['config.yaml', '.env'].filter((name) => !existsSync(join(home.path, name)));
        const facts = [
          (await modelOf(home))?.model,
          gatewayOf(home) === undefined ? undefined : 'gateway running',
          ...lacks.map((name) => `no ${name}`),
          wrappersOf(home.profile, cli.env).length === 0 ? 'no alias' : undefined,
        ];
        return { status: 'ok', text: home.profile, detail: facts.filter((fact) => fact !== undefined).join(', ') };
      }),
    );
  },
};

/** A file of authorities that the environment names. */
function bundle(file: string): Finding {
  try {
    const { validTo } = new X509Certificate(readFileSync(file));
    return { status: 'ok', text: file, detail: `the first is valid until ${validTo}` };
  } catch (error) {
    return {
      status: 'warn',
      text: `the certificates in ${file} cannot be used: ${errorMessage(error)}`,
      remedy: 'Correct or unset the variable that names the file.',
    };
  }
}

function hubFindings(homePath: string): Finding[] {
  const folder = hubFolder(homePath);
  if (!existsSync(folder)) return [{ status: 'info', text: 'nothing was installed from a hub yet' }];
  const findings: Finding[] = [];
  try {
    findings.push({ status: 'ok', text: 'lock.json', detail: `${readLock(homePath).size} installed skills` });
  } catch (error) {
    findings.push({ status: 'warn', text: errorMessage(error), remedy: 'Put a copy of it back, or move it away.' });
  }
  const quarantine = join(folder, 'quarantine');
  const waiting = existsSync(quarantine)
    ? readdirSync(quarantine, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  if (waiting.length > 0)
    findings.push({ status: 'info', text: `${counted(waiting.length, 'skill')} in quarantine`, detail: quarantine });
  return findings;
}
