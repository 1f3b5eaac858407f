/** The skill library of one session. */
import { signWith } from '../audit/seal.ts';
import { bundlesFolder, skillEnvironment } from '../config/skill-settings.ts';
import { childEnvironment } from '../safety/child-env.ts';
import { isNeverPassedOn, isOwnVariable, secretValuesOf } from '../safety/secret-variables.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { RunInline } from '../skills/skill-body.ts';
import type { SessionParts } from './session-parts.ts';
import type { OpenedServices } from './tool-services.ts';

export interface OpenSkillsOptions {
  readonly parts: Pick<SessionParts, 'plugins' | 'home' | 'config' | 'env' | 'surface' | 'tools' | 'findings'>;
  /** Where commands find the variables that skills need. */
  readonly services: OpenedServices;
  /** Runs commands in the text of skills, with `skills.inline_shell`. */
  readonly runInline: RunInline;
  /** `background_review` where nobody asked for the changes. */
  readonly origin?: 'foreground' | 'background_review';
  /** Every change waits for the user, whatever the configuration says. */
  readonly staged?: boolean;
  /** Told one line for each thing on disk that the user should look at. */
  readonly onWarning?: ((line: string) => void) | undefined;
}

/** Undefined when no tool of the session can use skills; nothing is loaded then. */
export async function openSkills({
  parts,
  services,
  runInline,
  origin,
  staged = false,
  onWarning,
}: OpenSkillsOptions): Promise<SkillLibrary | undefined> {
  const { environment, maskValues, shareFiles, pathThere } = services;
  if (!parts.tools.some(({ toolset }) => toolset === 'skills')) return undefined;
  const { createSkillLibrary } = await import('../skills/skill-library.ts');
  const { skills } = parts.config.config;
  const available = {
    tools: new Set(parts.tools.map(({ name }) => name)),
    toolsets: new Set(parts.tools.map(({ toolset }) => toolset)),
  };
  const catalogue = await parts.findings?.skills(parts.home.path);
  return createSkillLibrary({
    homePath: parts.home.path,
    ...(catalogue === undefined ? {} : { catalogue }),
    ...(parts.plugins === undefined ? {} : { pluginSkills: parts.plugins.skills }),
    bundlesFolder: bundlesFolder(parts.home.path, parts.env),
    settings: {
      externalDirs: skills.external_dirs,
      disabled: skills.disabled,
      platformDisabled: skills.platform_disabled,
      config: skills.config,
      guardAgentCreated: skills.guard_agent_created,
      writeApproval: skills.write_approval || staged,
      templateVars: skills.template_vars,
      inlineShell: skills.inline_shell,
      inlineShellTimeoutSeconds: skills.inline_shell_timeout,
    },
    surface: parts.surface,
    environment: skillEnvironment(parts.env),
    available: () => available,
    async agreedNeeds(directory) {
      const { agreedNeeds } = await import('../skill-hub/hub-files.ts');
      return agreedNeeds(parts.home.path, directory);
    },
    onLoaded({ name: skill, variables, files, beyond }) {
      for (const need of beyond) {
        onWarning?.(
          `the skill ${skill} asks for ${need}, which it did not when it was installed: it does not get it. Install it anew to agree, or name it in terminal.env_passthrough or credential_files`,
        );
      }
      shareFiles(files);
      // A skill is somebody else's word: what the agent uses too only the owner can hand on, and most of it nobody.
      const { own = [], others = [] } = Object.groupBy(Object.keys(variables), (name) =>
        isOwnVariable(name) ? 'own' : 'others',
      );
      const named = new Set(parts.config.config.terminal.env_passthrough);
      for (const name of own.filter((each) => isNeverPassedOn(each) || !named.has(each))) {
        onWarning?.(`a skill asks for ${name}, which is the agent's own: commands do not get it`);
      }
      const allowed = childEnvironment(variables, { passthrough: others });
      maskValues(secretValuesOf(variables));
      if (Object.keys(allowed).length > 0) environment.provide(allowed);
    },
    directoryThere: pathThere,
    sign: signWith(parts.home.path),
    ...(origin === undefined ? {} : { origin }),
    ...(onWarning === undefined ? {} : { onWarning }),
    runInline,
  });
}
