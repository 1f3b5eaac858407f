/** Whether a command puts what it prints, or is told, into a file. */
import { readScript, type StartPlace } from './read-script.ts';
import { hasLong, hasShort } from './simple-command.ts';

const intoFile: ReadonlySet<string> = new Set(['>', '>>', '>|', '&>', '&>>', '<>', '>&']);
const noFile = /^(?:\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)|\d+|-)$/;
const writers = /^(?:tee|ed|ex|dd|patch)$/;

/** True when in doubt: also for a command that cannot be read. */
export function writesOutput(command: string, place: StartPlace): boolean {
  const facts = readScript(command, place);
  if (facts.unread.length + facts.unchecked.length > 0) return true;
  return facts.commands.some(
    (call) =>
      writers.test(call.name) ||
      (call.name === 'sed' && (hasShort(call, 'i') || hasLong(call, 'in-place'))) ||
      call.redirections.some(({ operator, target }) => intoFile.has(operator) && !noFile.test(target)),
  );
}
