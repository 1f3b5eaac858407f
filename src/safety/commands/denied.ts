/** `approvals.deny`: commands that the owner never wants to be run. */
import { globMatch } from '../glob-match.ts';
import { forbidsCall, patternWords } from './owner-pattern.ts';
import { plainCommandText } from './plain-text.ts';
import { readScript, type StartPlace } from './read-script.ts';
import { inlineProgram, isInterpreter } from './shells.ts';
import { type SimpleCommand, textOf } from './simple-command.ts';

/** Longer commands are looked through for words only. */
const maxCommandChars = 100_000;

/**
 * The pattern that forbids it: one that fits the whole text, or one of the commands in it as the shell would run it,
 * without quotes, wrappers and disguise. Where the text cannot be read, a pattern's words in it are enough.
 */
export function deniedBy(command: string, patterns: readonly string[], place: StartPlace): string | undefined {
  if (patterns.length === 0) return undefined;
  const plain = plainCommandText(command);
  const written = [command, plain].map((text) => text.replace(/\s+/g, ' ').trim());
  const facts = plain.length > maxCommandChars ? undefined : readScript(plain, place);
  const commands = facts?.commands ?? [];
  const unread = facts === undefined || facts.unread.length + facts.unchecked.length > 0;
  const texts = new Set([...written, ...commands.map(textOf)]);
  return patterns.find((pattern) => {
    const words = patternWords(pattern);
    if (words.length === 0) return false;
    if ([...texts].some((text) => globMatch(pattern.trim(), text))) return true;
    if (commands.some((call) => forbidsCall(words, call) || runsInProgram(words, call))) return true;
    return unread && holdsWords(words, plain);
  });
}

/** A program's name as a string of its own in the text of another language: `os.system('rm x')`. */
function runsInProgram([name = '', ...rest]: readonly string[], call: SimpleCommand): boolean {
  if (rest.length > 0 || !isInterpreter(call.name)) return false;
  const text = `${inlineProgram(call) ?? ''}\n${call.stdin ?? ''}`;
  return new RegExp(`["'\`](?:[^"'\`\\n]{0,500}[;&|]\\s*)?(?:[\\w./]{0,200}/)?${literal(name)}["'\`\\s]`, 'i').test(
    text,
  );
}

function holdsWords(words: readonly string[], text: string): boolean {
  const wanted = words
    .filter((word) => word !== '*')
    .map((word) => literal(word).replaceAll(String.raw`\*`, String.raw`\S*`));
  return new RegExp(`(?<![\\w.-])${wanted.join(String.raw`\s+(?:\S+\s+){0,5}?`)}(?![\\w-])`, 'i').test(text);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
