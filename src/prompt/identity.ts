/** Who the agent is: the owner's SOUL.md, else a built-in paragraph. */
import { join } from 'node:path';
import { builtInIdentity, identityIn } from '../config/soul.ts';
import { admitText, readRuleFile, type RuleTextLimits } from './rule-text.ts';

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
  const text = identityIn(found.text);
  if (text === '') return { text: builtInIdentity, warnings: [] };
  return admitText({ path, label: 'SOUL.md', text }, limits);
}
