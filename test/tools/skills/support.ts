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

export interface SkillTools extends TestHome {
  readonly services: ToolServices;
  readonly skills: SkillLibrary;
  list(args?: JsonObject): Promise<JsonObject>;
  view(args: JsonObject, human?: Human): Promise<JsonObject>;
  manage(args: JsonObject, human?: Human): Promise<JsonObject>;
  /** `others` in place of the services that the tools usually get. */
  call(tool: Tool<ToolServices>, args: JsonObject, human?: Human, others?: ToolServices): Promise<JsonObject>;
}

export function openSkillTools(t: TestContext, options: LibraryChanges = {}): SkillTools {
  const home = makeHome(t);
  const skills = home.library(options);
  const services: ToolServices = { ...openWorkplace(t).services, skills };
  const call = async (
    tool: Tool<ToolServices>,
    args: JsonObject,
    human: Human = headless,
    others: ToolServices = services,
  ): Promise<JsonObject> => {
    const prepared = tool.prepare(args);
    if ('problem' in prepared) return { success: false, error: prepared.problem };
    const result = await prepared.execute({
      signal: new AbortController().signal,
      sessionId: 'session-1',
      taskId: 'task',
      callId: 'call',
      human,
      progress: () => undefined,
      services: others,
    });
    return JSON.parse(JSON.stringify(result));
  };
  return {
    ...home,
    services,
    skills,
    call,
    list: (args = {}) => call(skillsListTool, args),
    view: (args, human) => call(skillViewTool, args, human),
    manage: (args, human) => call(skillManageTool, args, human),
  };
}

/** A value of an answer as text. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
