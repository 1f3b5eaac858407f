/** Deleting: whole trees, outside the working directory, in bulk, or of something unknown. */
import { type Field, UNKNOWN } from '../fields.ts';
import { finding, type Finding } from '../../finding.ts';
import { type CommandPaths, isSystemPath, resolvePath } from '../paths.ts';
import { hasLong, hasShort, operandsOf, type SimpleCommand } from '../simple-command.ts';
import type { Rule } from './rule.ts';

export const deletion: Rule = (command, paths) => {
  if (command.name === 'find') return findDeletion(command);
  if (command.name === 'rsync' && hasLong(command, 'delete')) return [finding('recursive delete')];
  if (command.name !== 'rm' && command.name !== 'unlink' && command.name !== 'shred') return [];
  const findings: Finding[] = [];
  if (isRecursive(command)) findings.push(finding('recursive delete'));
  if (operandsOf(command).some((field) => isOutside(field.text, command, paths)))
    findings.push(finding('delete in root path'));
  if (command.via.includes('xargs')) findings.push(finding('xargs with rm'));
  else if (command.via.includes('find')) findings.push(finding('find -exec rm'));
  else if (findings.length === 0 && command.args.some(mayBeOption)) findings.push(finding('delete of a computed path'));
  return findings;
};

export function isRecursive(command: SimpleCommand): boolean {
  return command.name === 'rm' && (hasShort(command, 'rR') || hasLong(command, 'recursive'));
}

/** Places where files come and go without anybody missing them. */
const temporary = /^(?:\/tmp|\/private\/tmp|\/var\/tmp|\/var\/folders|\/dev\/shm)\/./;

/** A path outside the temporary directories, the one the command starts in and the one it went to. */
function isOutside(text: string, { cwd }: SimpleCommand, paths: CommandPaths): boolean {
  const path = resolvePath(text, cwd);
  if (path === undefined || path.startsWith(`/${UNKNOWN}`) || temporary.test(path)) return false;
  if (isSystemPath(path)) return true;
  return ![cwd, paths.cwd].some((base) => base !== undefined && base !== '/' && path.startsWith(`${base}/`));
}

/** Text that is unknown from its start on may turn out to be `-rf` or any path. */
function mayBeOption({ text, splits }: Field): boolean {
  return text.startsWith(UNKNOWN) && (splits || !text.includes('/'));
}

function findDeletion({ args }: SimpleCommand): Finding[] {
  return args.some((field) => field.text === '-delete') ? [finding('find -delete')] : [];
}
