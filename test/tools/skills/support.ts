/** The skill tools over a real home, called as a model calls them. */
import type { TestContext } from 'node:test';
import { headless, type Human } from '../../../src/agent/human.ts';
import type { Tool } from '../../../src/agent/tool.ts';
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import type { SkillLibrary } from '../../../src/skills/skill-library.ts';
import { skillManageTool } from '../../../src/tools/skills/skill-manage.ts';
import { skillViewTool } from '../../../src/tools/skills/skill-view.ts';
import { skillsListTool } from '../../../src/tools/skills/skills-list.ts';
import type { ToolServices } from '../../../src/tools/services.ts';
import { type LibraryChanges, makeHome, type TestHome } from '../../skills/support.ts';
import { openWorkplace } from '../file/support.ts';
import { type CallOptions, jsonOf, runTool, type Settings } from '../support.ts';

export interface SkillTools extends TestHome {
  readonly services: ToolServices;
  readonly skills: SkillLibrary;
  list(args?: JsonObject): Promise<JsonObject>;
  view(args: JsonObject, human?: Human): Promise<JsonObject>;
  manage(args: JsonObject, options?: CallOptions): Promise<JsonObject>;
}

export function openSkillTools(
  t: TestContext,
  options: LibraryChanges & { readonly config?: Settings } = {},
): SkillTools {
  const { config, ...changes } = options;
  const home = makeHome(t);
  const skills = home.library(changes);
  const settings = config === undefined ? {} : { settings: config };
  const { services } = openWorkplace(t, { services: { ...settings, knowledge: { skills } } });
  const call = async (tool: Tool<ToolServices>, args: JsonObject, options?: CallOptions): Promise<JsonObject> =>
    jsonOf(await runTool(tool, args, services, options));
  return {
    ...home,
    services,
    skills,
    list: (args = {}) => call(skillsListTool, args),
    view: (args, human = headless) => call(skillViewTool, args, { human }),
    manage: (args, options) => call(skillManageTool, args, options),
  };
}

/** A value of an answer as text. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
