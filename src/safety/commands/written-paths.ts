/** The files and directories that a program call writes, moves or removes. */
import { posix } from 'node:path';
import { knowCall } from '../programs/catalogue.ts';
import { extractionFolder } from './extraction.ts';
import { hasLong, hasShort, operandsOf, optionValue, type SimpleCommand } from './simple-command.ts';

const outputOperators = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
/** Programs that change every file they are given. */
const changesOperands =
  /^(?:tee|sponge|truncate|touch|rm|rmdir|unlink|shred|wipe|mkdir|chmod|chown|chgrp|chattr|setfacl|ed|ex|vi|vim|nvim|nano|emacs|mv|ln|link|split|csplit|mkfifo|mknod)$/;
const editsInPlace = /^(?:sed|gsed|perl|ruby|gawk)$/;
const copies = /^(?:cp|install|rsync|scp)$/;

/** Texts of the written paths, as far as the arguments tell: by what is known of the program, and by its name alone. */
export function writtenPaths(command: SimpleCommand): string[] {
  const known = knowCall(command)?.writes ?? [];
  return [...new Set([...redirectedPaths(command), ...argumentPaths(command), ...known])];
}

function redirectedPaths({ redirections }: SimpleCommand): string[] {
  return redirections
    .filter(({ operator, target }) => outputOperators.has(operator) && !/^(?:\d+|-)$/.test(target))
    .map(({ target }) => target);
}

function argumentPaths(command: SimpleCommand): string[] {
  const { name, args } = command;
  const operands = operandsOf(command).map((field) => field.text);
  if (changesOperands.test(name)) return name === 'mv' ? [...operands, ...copyTargets(command)] : operands;
  if (copies.test(name)) return copyTargets(command);
  if (editsInPlace.test(name)) return isInPlace(command) ? operands : [];
  switch (name) {
    case 'dd':
      return args.map((field) => /^of=(.*)$/s.exec(field.text)?.[1]).filter((path) => path !== undefined);
    case 'curl':
      return present(optionValue(command, 'o', 'output'));
    case 'wget':
      return [
        ...present(optionValue(command, 'O', 'output-document')),
        ...present(optionValue(command, 'P', 'directory-prefix')),
      ];
    case 'patch':
      return operands.slice(0, 1);
    case 'sqlite3':
      return args.some((field) => /^--?readonly$/.test(field.text)) ? [] : operands.slice(0, 1);
    default:
      return present(extractionFolder(command));
  }
}

function isInPlace(command: SimpleCommand): boolean {
  return hasShort(command, 'i') || hasLong(command, 'in-place') || hasLong(command, 'inplace');
}

/** The target, and each source's name in it when the target is a directory. */
function copyTargets(command: SimpleCommand): string[] {
  const operands = operandsOf(command).map((field) => field.text);
  const directory = command.name === 'rsync' ? undefined : optionValue(command, 't', 'target-directory');
  const target = directory ?? operands.at(-1);
  if (target === undefined) return [];
  const sources = directory === undefined ? operands.slice(0, -1) : operands;
  const linked = command.name === 'cp' && (hasShort(command, 'ls') || hasLong(command, 'link')) ? sources : [];
  return [target, ...sources.map((source) => `${target}/${posix.basename(source)}`), ...linked];
}

function present(path: string | undefined): string[] {
  return path === undefined ? [] : [path];
}
