/** Whether a shell command may change or remove files that are there: before such a one a checkpoint is taken. */
import { readScript, type StartPlace } from '../safety/commands/read-script.ts';
import { hasLong, hasShort, operandsOf, type SimpleCommand } from '../safety/commands/simple-command.ts';

const programs = new Set(['rm', 'rmdir', 'cp', 'install', 'mv', 'truncate', 'dd', 'shred']);
const gitCommands = new Set(['reset', 'clean', 'checkout']);
const overwrites = new Set(['>', '>|', '&>', '>&', '<>']);
/** A stream, or a place that keeps nothing. */
const noFile = /^(?:\d+|-|\/dev\/(?:null|stdout|stderr))$/;

/** True also for what cannot be read: a checkpoint too many does no harm. */
export function isDestructive(command: string, place: StartPlace): boolean {
  const { commands, unread, unchecked } = readScript(command, place);
  return unread.length > 0 || unchecked.length > 0 || commands.some(changesFiles);
}

function changesFiles(call: SimpleCommand): boolean {
  if (call.redirections.some(({ operator, target }) => overwrites.has(operator) && !noFile.test(target))) return true;
  if (programs.has(call.name)) return true;
  if (call.name === 'sed') return hasShort(call, 'i') || hasLong(call, 'in-place');
  if (call.name === 'find') return call.args.some(({ text }) => text === '-delete');
  return call.name === 'git' && operandsOf(call).some(({ text }) => gitCommands.has(text));
}
