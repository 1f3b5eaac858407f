/** Words of a command line that mean nothing here: which one, what it may have meant, or which missing part it belongs to. */
import type { Command } from 'commander';
import { UserError } from '../lib/errors.ts';
import { commandCatalogue } from './catalogue.ts';
import { missingLine, missingPart, notInThisBuild } from './not-in-this-build.ts';

/** The error for a first word that is no command. */
export async function unknownCommand(name: string): Promise<UserError> {
  const part = missingPart(name);
  if (part !== undefined) {
    return new UserError(`${missingLine(name, part)} 'hermes --help' lists what is.`);
  }
  const known = [...commandCatalogue.map((entry) => entry.name), ...notInThisBuild];
  return new UserError(`unknown command '${name}'.${await meant(name, known)} Usage: hermes [options] [command]`, {
    exitCode: 2,
    hint: `'hermes --help' lists the commands; to ask something, use: hermes chat -q "${name} …"`,
  });
}

/**
 * Looks through the words after a command before they are parsed. Throws `UserError` with exit code 2 for a sub-command
 * that does not exist, which the default one would take for a surplus argument, and with exit code 1 for a sub-command
 * or flag of a part that is not built.
 */
export async function refuseMistyped(command: Command, words: readonly string[], path: string): Promise<void> {
  for (const word of words) {
    const [flag = ''] = word.split('=', 1);
    if (word === '--') break;
    const part = flag.startsWith('--') ? missingPart(`${path} ${flag}`) : undefined;
    if (part !== undefined && !takes(command, flag)) throw new UserError(missingLine(`${path} ${flag}`, part));
  }
  if (command.commands.length === 0) return;
  const at = firstOperand(command, words);
  const operand = words[at];
  if (operand === undefined) return;
  const child = command.commands.find((each) => each.name() === operand || each.aliases().includes(operand));
  if (child !== undefined) return refuseMistyped(child, words.slice(at + 1), `${path} ${child.name()}`);
  const part = missingPart(`${path} ${operand}`);
  if (part !== undefined) throw new UserError(missingLine(`${path} ${operand}`, part));
  if (command.registeredArguments.length > 0) return;
  const names = command.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  throw new UserError(`unknown sub-command '${operand}' of 'hermes ${path}'.${await meant(operand, names)}`, {
    exitCode: 2,
    hint: `'hermes ${path} --help' lists them.`,
  });
}

/** Where the first word stands that is neither a flag nor a flag's value; -1 for none. */
function firstOperand(command: Command, words: readonly string[]): number {
  // Flags of the default sub-command may stand here as well.
  const options = [command, ...command.commands].flatMap((each) => each.options);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return -1;
    if (!word.startsWith('-') || word === '-') return index;
    if (options.some((option) => option.required && [option.short, option.long].includes(word))) index += 1;
  }
  return -1;
}

function takes(command: Command, flag: string): boolean {
  return command.options.some(({ long }) => long === flag);
}

/** ` Did you mean 'x'?`, or nothing when no name is near. */
async function meant(word: string, names: readonly string[]): Promise<string> {
  const { closest, distance } = await import('fastest-levenshtein');
  const nearest = closest(word, names);
  const farthest = Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3)));
  return distance(word, nearest) <= farthest ? ` Did you mean '${nearest}'?` : '';
}
