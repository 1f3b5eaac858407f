/** Who the agent is: the owner's SOUL.md, else a built-in paragraph. */
import { join } from 'node:path';
import { admitText, readRuleFile, type RuleTextLimits } from './rule-text.ts';

export const builtInIdentity = `You are Hermes Agent, an AI agent that works on its owner's machine. You help with questions, writing, code, research and everyday tasks, and you act through your tools instead of describing what could be done. Be direct and useful; be brief unless depth is wanted. Say so when you are unsure or when something failed. Look before you change things, explore with a purpose, and check that what you did worked before you call it done.`;

export interface Identity {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The SOUL.md of the home, or the built-in identity when it is missing, empty or unreadable. */
export function readIdentity(homePath: string, limits: RuleTextLimits): Identity {
  const path = join(homePath, 'SOUL.md');
  const found = readRuleFile(path, limits);
  if (found === undefined) return { text: builtInIdentity, warnings: [] };
  if ('warning' in found) return { text: builtInIdentity, warnings: [found.warning] };
  if (found.text === '') return { text: builtInIdentity, warnings: [] };
  return admitText({ path, label: 'SOUL.md', text: found.text }, limits);
}
