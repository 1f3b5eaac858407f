/** `approvals.deny`: commands that the owner never wants to be run. */
import { globMatch } from '../glob-match.ts';
import { plainCommandText } from './plain-text.ts';
import { readScript, type StartPlace } from './read-script.ts';
import { textOf } from './simple-command.ts';

/**
 * The pattern that forbids it: one that fits the whole text, or one of the commands in it as the shell would run it,
 * without quotes, wrappers and disguise.
 */
export function deniedBy(command: string, patterns: readonly string[], place: StartPlace): string | undefined {
  if (patterns.length === 0) return undefined;
  const plain = plainCommandText(command);
  const written = [command, plain].map((text) => text.replace(/\s+/g, ' ').trim());
  const texts = new Set([...written, ...readScript(plain, place).commands.map(textOf)]);
  return patterns.find((pattern) => [...texts].some((text) => globMatch(pattern.trim(), text)));
}
