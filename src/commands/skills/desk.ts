/** What the commands about skills need from the surface they run on: the terminal program or a chat. */
import type { Variables } from '../../config/variables.ts';
import { skillSourceSettings } from '../../config/skill-settings.ts';
import type { Hub } from '../../skill-hub/hub.ts';
import type { Install } from '../../skill-hub/install.ts';
import type { SyncOptions } from '../../skill-hub/bundled/sync.ts';

export interface SkillsDesk {
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
  /** Opens the hub; tests give their own. */
  readonly openHub?: () => Promise<Hub>;
}

export async function hubOf(desk: SkillsDesk): Promise<Hub> {
  if (desk.openHub !== undefined) return await desk.openHub();
  const { openHub } = await import('../../skill-hub/hub.ts');
  return openHub({ homePath: desk.homePath, settings: skillSourceSettings(desk.env), cwd: desk.cwd });
}

export async function bundledPlaces({ homePath, env, version }: SkillsDesk): Promise<SyncOptions> {
  const { bundledSkillsFolder } = await import('../../skill-hub/bundled/paths.ts');
  return { homePath, folder: bundledSkillsFolder(skillSourceSettings(env)), version };
}

/** How installations ask: a panel about where the skill comes from, unless `yes` says that it was thought about. */
export function installOptions(desk: SkillsDesk, yes: boolean): Install {
  const ask = desk.askName;
  return {
    homePath: desk.homePath,
    now: () => new Date(),
    confirm: async ({ name, skill, report }) => {
      if (yes || skill.trust === 'builtin') return true;
      if (skill.trust === 'community') {
        desk.print(`'${name}' was written by somebody outside this project (${shown(skill.identifier)}).`);
        desk.print('A skill tells the agent what to do, and the agent can run commands. Read it before you use it.');
      }
      if (report.findings.length > 0) desk.print(`The guard has ${report.findings.length} doubts about it.`);
      return await desk.confirm(`Install '${name}' (${skill.files.size} files)?`);
    },
    ...(ask === undefined ? {} : { askName: ask }),
  };
}

/** Foreign text on one line of a terminal. */
export function shown(text: string, most = 200): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
