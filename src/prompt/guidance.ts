/** What the model should know about the tools it has, in as few words as will do: each tool says its own. */
import type { Tool } from '../agent/tool.ts';

/** A tool as far as the prompt speaks of it. */
export type PromptTool = Pick<Tool<never>, 'name' | 'toolset' | 'traits' | 'guidance'>;

/** One part; empty where no tool has something to say. */
export function toolGuidance(tools: readonly PromptTool[], profile: 'default' | 'lean'): string {
  if (profile === 'lean') return '';
  const names = new Set(tools.map(({ name }) => name));
  return tools.flatMap((tool) => tool.guidance(names) ?? []).join(' ');
}
