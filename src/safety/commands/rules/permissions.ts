/** Permissions and ownership that open files to everyone or hand them to another account. */
import { containable, finding, type Finding } from '../../finding.ts';
import { type CommandPaths, isSystemPath, isWholeSystem, resolvePath } from '../paths.ts';
import { hasLong, hasShort, operandsOf, type SimpleCommand } from '../simple-command.ts';
import { writePlace } from '../write-places.ts';
import type { Rule } from './rule.ts';

export const permissions: Rule = (command, paths) => {
  if (!/^ch(?:mod|own|grp)$/.test(command.name)) return [];
  const recursive = hasShort(command, 'R') || hasLong(command, 'recursive');
  const operands = operandsOf(command).map((field) => resolvePath(field.text, command.cwd) ?? field.text);
  const system = recursive && operands.some((path) => isWholeSystem(path) || isSystemPath(path, paths));
  const findings = system ? [finding('recursive change of system permissions')] : [];
  return [
    ...findings,
    ...(command.name === 'chmod' ? modeFindings(command, paths) : ownerFindings(command, recursive)),
  ];
};

function ownerFindings(command: SimpleCommand, recursive: boolean): Finding[] {
  const owner = operandsOf(command)[0]?.text ?? '';
  const toRoot = /^(?:root|0)(?:[:.]|$)|^[:.](?:root|0)$/.test(owner);
  return recursive && toRoot ? [finding('recursive change of ownership')] : [];
}

function modeFindings(command: SimpleCommand, paths: CommandPaths): Finding[] {
  // A mode that takes rights away starts with `-` and is told from an option by its letters.
  const modes = command.args.map((field) => field.text).filter((text) => /^[0-7]{1,5}$|[+=]/.test(text));
  const findings: Finding[] = [];
  if (modes.some(letsOthersWrite)) {
    const found = finding('world-writable permissions');
    const files = operandsOf(command).filter((field) => !modes.includes(field.text));
    const inside = files.every((field) => writePlace(field.text, command.cwd, paths) === 'free');
    findings.push(inside && paths.workspace !== undefined ? containable(found) : found);
  }
  if (modes.some(setsUser)) findings.push(finding('setuid permissions'));
  return findings;
}

function letsOthersWrite(mode: string): boolean {
  if (/^[0-7]+$/.test(mode)) return (Number.parseInt(mode.at(-1) ?? '0', 8) & 2) !== 0;
  return mode.split(',').some((clause) => /^[ugo]*[oa][ugoa]*[+=][rxXst]*w/.test(clause));
}

function setsUser(mode: string): boolean {
  if (/^[0-7]{4,5}$/.test(mode)) return (Number.parseInt(mode.at(-4) ?? '0', 8) & 4) !== 0;
  return mode.split(',').some((clause) => /^[ugoa]*u?[ugoa]*[+=][rwxX]*s/.test(clause) && !/^[goa]+\+/.test(clause));
}
