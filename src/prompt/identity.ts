/** Who the agent is: the owner's SOUL.md, else a built-in paragraph. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const builtInIdentity = `You are Hermes Agent, an AI agent that works on its owner's machine. You help with questions, writing, code, research and everyday tasks, and you act through your tools instead of describing what could be done. Be direct and useful; be brief unless depth is wanted. Say so when you are unsure or when something failed. Look before you change things, explore with a purpose, and check that what you did worked before you call it done.`;

const maxIdentityChars = 20_000;

/** The trimmed SOUL.md of the home, or the built-in identity when it is missing, empty or unreadable. */
export async function readIdentity(homePath: string): Promise<string> {
  try {
    const text = (await readFile(join(homePath, 'SOUL.md'), 'utf8')).trim();
    return text === '' ? builtInIdentity : text.slice(0, maxIdentityChars);
  } catch {
    return builtInIdentity;
  }
}
