/** What the commands about skills need from the surface they run on: the terminal program or a chat. */
import { proxyVariables } from '../../config/proxy-variables.ts';
import type { Variables } from '../../config/variables.ts';
import { skillSourceSettings } from '../../config/skill-settings.ts';
import type { Hub } from '../../skill-hub/hub.ts';
import type { Install } from '../../skill-hub/install.ts';
import type { SyncOptions } from '../../skill-hub/bundled/sync.ts';
import { counted } from '../../lib/counted.ts';

export interface SkillsSurface {
  readonly homePath: string;
  readonly env: Variables;
  readonly cwd: string;
  /** Version of the program. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Text as it stands, for a person; control characters of foreign text are escaped by the caller. */
  readonly print: (text: string) => void;
  /** False where nobody can be asked. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Asks for a line of text; absent where nobody can be asked. */
  readonly askName?: () => Promise<string | undefined>;
  /** Called after skills on disk changed. */
  readonly changed: () => void;
  /** `security.allow_private_urls`; default: not. */
  readonly allowPrivateUrls?: () => Promise<boolean>;
  /** `skills.disabled`; default: none. */
  readonly disabledSkills?: () => Promise<readonly string[]>;
  /** Opens the hub; tests give their own. */
  readonly openHub?: () => Promise<Hub>;
}

export async function hubOf(surface: SkillsSurface): Promise<Hub> {
  if (surface.openHub !== undefined) return await surface.openHub();
  const { openHub } = await import('../../skill-hub/hub.ts');
  return openHub({
    homePath: surface.homePath,
    settings: skillSourceSettings(surface.env),
    cwd: surface.cwd,
    download: { allowPrivate: (await surface.allowPrivateUrls?.()) ?? false, proxies: proxyVariables(surface.env) },
  });
}

export async function bundledPaths({ homePath, env, version }: SkillsSurface): Promise<SyncOptions> {
  const { bundledSkillsFolder } = await import('../../skill-hub/bundled/paths.ts');
  return { homePath, folder: bundledSkillsFolder(skillSourceSettings(env)), version };
}

/** How installations ask: a panel about where the skill comes from, unless `yes` says that it was thought about. */
export function installOptions(surface: SkillsSurface, yes: boolean): Install {
  const ask = surface.askName;
  return {
    homePath: surface.homePath,
    now: () => new Date(),
    confirm: async ({ name, skill, report, needs }) => {
      if (yes || skill.trust === 'builtin') return true;
      if (skill.trust === 'community') {
        surface.print(`'${name}' was written by somebody outside this project (${shown(skill.identifier)}).`);
        surface.print('A skill tells the agent what to do, and the agent can run commands. Read it before you use it.');
      }
      if (report.findings.length > 0) surface.print(`The guard has ${report.findings.length} doubts about it.`);
      const wanted = [...needs.variables, ...needs.files.map((path) => `the file ${path}`)];
      if (wanted.length > 0) surface.print(`It gets, where they are set: ${shown(wanted.join(', '), 500)}.`);
      return await surface.confirm(`Install '${name}' (${counted(skill.files.size, 'file')})?`);
    },
    ...(ask === undefined ? {} : { askName: ask }),
  };
}

/** Foreign text on one line of a terminal. */
export function shown(text: string, most = 200): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
