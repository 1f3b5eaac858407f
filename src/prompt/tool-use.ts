/** Reminders to act through tools, for the families of models that need them. */

/** `agent.tool_use_enforcement` */
export type ToolUseEnforcement = boolean | string | readonly string[];

/** The blocks for a model; empty when it needs none or has no tools. */
export function toolUseBlocks(setting: ToolUseEnforcement, model: string, toolCount: number): readonly string[] {
  const name = model.toLowerCase();
  if (toolCount === 0 || !isWanted(setting, name)) return [];
  const blocks = [general];
  if (hasPart(name, ['gpt', 'codex'])) blocks.push(discipline);
  if (hasPart(name, ['gemini', 'gemma'])) blocks.push(operations);
  return blocks;
}

function isWanted(setting: ToolUseEnforcement, name: string): boolean {
  if (typeof setting === 'boolean') return setting;
  if (typeof setting !== 'string') return hasPart(name, setting);
  const word = setting.trim().toLowerCase();
  if (['true', 'always', 'yes', 'on'].includes(word)) return true;
  if (['false', 'never', 'no', 'off'].includes(word)) return false;
  return hasPart(name, ['gpt', 'codex', 'gemini', 'gemma', 'grok', 'glm', 'qwen', 'deepseek']);
}

function hasPart(name: string, parts: readonly string[]): boolean {
  return parts.some((part) => part.trim() !== '' && name.includes(part.trim().toLowerCase()));
}

const general = `# Tool-use enforcement
Act through your tools now; do not describe what you would do. Never end a turn with a promise ("I will …"): make the call in the same answer. Go on until the task is done or needs the user.`;

const discipline = `# Execution discipline
Do not stop at a partial result while another call would complete it. Look up what a step depends on before you take it; ask only when tools cannot tell. Before you call something done, check it against what was asked.`;

const operations = `# Operating rules
Be concise. Use absolute paths. Make independent calls in parallel. Read a file before you edit it, and check the result afterwards.`;
