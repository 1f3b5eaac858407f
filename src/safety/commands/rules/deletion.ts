/** Deleting: whole trees, outside the working directory, in bulk, or of something unknown. */
import { type Field, UNKNOWN } from '../fields.ts';
import { containable, finding, type Finding } from '../../finding.ts';
import { knowCall } from '../../programs/catalogue.ts';
import { findStarts } from '../nested.ts';
import { type CommandPaths, isSystemPath, resolvePath } from '../paths.ts';
import { findsRemakeable, isRemakeable } from '../remakeable.ts';
import { hasLong, hasShort, operandsOf, type SimpleCommand } from '../simple-command.ts';
import { writePlace } from '../write-places.ts';
import type { Rule } from './rule.ts';

export const deletion: Rule = (command, paths) => {
  if (command.name === 'find') return findDeletion(command, paths);
  if (command.name === 'rsync' && hasLong(command, 'delete')) return [rsyncDeletion(command, paths)];
  if (command.name !== 'rm' && command.name !== 'unlink' && command.name !== 'shred') return [];
  const operands = operandsOf(command);
  const chosen = command.via.includes('find') && findsRemakeable(command.source.split(/\s+/), command.cwd, paths);
  const remakeable = chosen || operands.every((field) => isRemakeable(field.text, command.cwd, paths));
  const contained = (found: Finding): Finding => (remakeable ? containable(found) : found);
  const findings: Finding[] = [];
  if (isRecursive(command)) findings.push(contained(finding('recursive delete')));
  if (operands.some((field) => isOutside(field.text, command, paths))) findings.push(finding('delete in root path'));
  if (operands.some((field) => takesEverything(field.text))) findings.push(contained(finding('delete by pattern')));
  if (command.via.includes('xargs')) findings.push(finding('xargs with rm'));
  else if (command.via.includes('find'))
    findings.push(chosen ? containable(finding('find -exec rm')) : finding('find -exec rm'));
  else if (findings.length === 0 && command.args.some(mayBeOption)) findings.push(finding('delete of a computed path'));
  return findings;
};

/** `*`, `.*`, `dir/*`: all that is there. */
function takesEverything(text: string): boolean {
  return /(?:^|\/)[.?]*\*[.*?]*$/.test(text);
}

function rsyncDeletion(command: SimpleCommand, paths: CommandPaths): Finding {
  const found = finding('recursive delete');
  const target = operandsOf(command).at(-1)?.text ?? '';
  const contained = !target.includes(':') && writePlace(target, command.cwd, paths) === 'free';
  return contained && paths.workspace !== undefined ? containable(found) : found;
}

export function isRecursive(command: SimpleCommand): boolean {
  return command.name === 'rm' && (hasShort(command, 'rR') || hasLong(command, 'recursive'));
}

/** Places where files come and go without anybody missing them. */
const temporary = /^(?:\/tmp|\/private\/tmp|\/var\/tmp|\/var\/folders|\/dev\/shm)\/./;

/** A home may lie among them; it is not temporary for that. */
function isTemporary(path: string, { userHome }: CommandPaths): boolean {
  return temporary.test(path) && !path.startsWith(`${userHome}/`);
}

/** A path outside the temporary directories, the one the command starts in and the one it went to. */
function isOutside(text: string, { cwd }: SimpleCommand, paths: CommandPaths): boolean {
  const path = resolvePath(text, cwd);
  if (path === undefined || path.startsWith(`/${UNKNOWN}`) || isTemporary(path, paths)) return false;
  // Where the folder of the work is known, leaving it is told for every way of writing.
  if (isSystemPath(path, paths) || paths.workspace !== undefined) return isSystemPath(path, paths);
  return ![cwd, paths.cwd].some((base) => base !== undefined && base !== '/' && path.startsWith(`${base}/`));
}

/** Text that is unknown from its start on may turn out to be `-rf` or any path. */
function mayBeOption({ text, splits }: Field): boolean {
  return text.startsWith(UNKNOWN) && (splits || !text.includes('/'));
}

/** What is known of `find` tells what it chose, and whether that can be made again. */
function findDeletion(command: SimpleCommand, paths: CommandPaths): Finding[] {
  if (!command.args.some((field) => field.text === '-delete')) return [];
  const found = finding('find -delete');
  const starts = findStarts(command);
  const inside = (starts.length === 0 ? ['.'] : starts).every(
    (start) => writePlace(start, command.cwd, paths) === 'free',
  );
  return [inside && knowCall(command)?.findings.length === 0 ? containable(found) : found];
}
