/** Files in a project that later conversations begin with, ours or those of other agents. */

/** In the order of their names, as they are written most often. */
export const projectRuleFiles = [
  '.clinerules',
  '.cursorrules',
  '.goosehints',
  '.hermes.md',
  '.windsurfrules',
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.local.md',
  'CLAUDE.md',
  'GEMINI.md',
  'HERMES.md',
  'SOUL.md',
  'agents.md',
  'claude.md',
  '.github/copilot-instructions.md',
] as const;

/** Everything in them counts. */
export const projectRuleFolders = [
  '.agents/skills',
  '.claude',
  '.clinerules',
  '.cursor/rules',
  '.github/instructions',
  '.hermes/skills',
  '.windsurf/rules',
] as const;

const fileNames: ReadonlySet<string> = new Set(projectRuleFiles.map((name) => name.toLowerCase()));

/** True for a path, in small letters and with `/`, whose text an agent takes for orders in its next conversation. */
export function isProjectRules(path: string): boolean {
  const parts = path.split('/');
  if (fileNames.has(parts.at(-1) ?? '') || fileNames.has(parts.slice(-2).join('/'))) return true;
  return projectRuleFolders.some((folder) => `${path}/`.includes(`/${folder}/`) || `${path}/`.startsWith(`${folder}/`));
}
