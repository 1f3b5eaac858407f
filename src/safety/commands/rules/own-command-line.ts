/** The agent's own command line: a way to change its rules from inside a turn, so only looking is free. */
import { selfChange } from '../../finding.ts';
import { onlyLooks } from '../../own-commands.ts';
import { type CommandPaths, resolvePath } from '../paths.ts';
import { operandsOf, optionValue, type SimpleCommand } from '../simple-command.ts';
import type { Rule } from './rule.ts';

const ownProgram = /^(?:hermes|hermes-agent|hermes\.m?js|hermes_cli(?:\.main)?)$/i;
/** Programs that start it under another name. */
const starters = /^(?:npx|bunx|npm|pnpm|yarn|node|nodejs|bun|deno|tsx|python[\d.]*|uvx?)$/;
/** Of a package's scripts those that start our program. */
const startingScripts = /^(?:start|dev)$/;

export const ownCommandLine: Rule = (command, paths) => {
  const given = wordsForUs(command, paths);
  if (given === undefined || onlyLooks(given)) return [];
  return [selfChange("runs Hermes' own command line, which can change its settings or start another agent")];
};

/** What our program is given, when it is this that the call runs. */
function wordsForUs(command: SimpleCommand, paths: CommandPaths): readonly string[] | undefined {
  const { name, path, args, cwd } = command;
  const texts = args.map((field) => field.text);
  if (ownProgram.test(name) || isOurFile(path, cwd, paths)) return texts;
  if (!starters.test(name)) return undefined;
  const at = texts.findIndex((text) => ownProgram.test(lastPart(text)) || isOurFile(text, cwd, paths));
  if (at !== -1) return texts.slice(at + 1);
  return packageScript(command, paths);
}

/** A file of our program, also behind a link; the modules that it is made of are none to run. */
function isOurFile(text: string, cwd: string | undefined, { program, follow }: CommandPaths): boolean {
  if (program === undefined || (!text.includes('/') && !/\.m?[jt]s$/.test(text))) return false;
  const path = resolvePath(text, cwd);
  if (path === undefined) return false;
  const inside = insideOf(follow?.(path) ?? path, program);
  return inside !== undefined && /^(?:bin\/|src\/main\.ts$|dist\/main\.js$)/.test(inside);
}

/** `npm start -- config set …` in our own folder, or pointed there. */
function packageScript(command: SimpleCommand, { program, follow }: CommandPaths): readonly string[] | undefined {
  if (program === undefined || !/^(?:npm|pnpm|yarn|bun)$/.test(command.name)) return undefined;
  const named =
    optionValue(command, 'C', 'prefix') ?? optionValue(command, '', 'dir') ?? optionValue(command, '', 'cwd') ?? '.';
  const path = resolvePath(named, command.cwd);
  if (path === undefined || insideOf(follow?.(path) ?? path, program) === undefined) return undefined;
  const words = operandsOf(command)
    .map((field) => field.text)
    .filter((text) => text !== named);
  const verb = words[0] === 'run' || words[0] === 'run-script' ? words.slice(1) : words;
  return startingScripts.test(verb[0] ?? '') ? verb.slice(1) : undefined;
}

function insideOf(path: string, folder: string): string | undefined {
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

function lastPart(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}
