/** What a planned change looks like to whoever decides about it: a diff, what the guard finds, and a fingerprint. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { decideInstall, type Finding, scanSkill } from '../../safety/skill-guard/guard.ts';
import { readSkillFiles } from '../skill-files.ts';
import type { SkillAnswer } from '../skill-view.ts';
import type { SkillChange } from './skill-change.ts';

/** The change as a unified diff. */
export async function diffOf({ file, directory, removesSkill }: SkillChange): Promise<string> {
  if (removesSkill) return `The whole skill is removed: ${directory}`;
  const { createTwoFilesPatch } = await import('diff');
  const shown = relative(dirname(directory), file.path).split(sep).join('/');
  return createTwoFilesPatch(
    file.before === undefined ? '/dev/null' : shown,
    file.after === undefined ? '/dev/null' : shown,
    file.before ?? '',
    file.after ?? '',
  );
}

/** What a person must decide about in the skill as it would be; empty for what the guard lets an agent write. */
export function findingsIn({ directory, file: { path, after } }: SkillChange): readonly Finding[] {
  if (after === undefined) return [];
  const name = relative(directory, path).split(sep).join('/');
  const others = existsSync(directory) ? readSkillFiles(directory).filter((entry) => entry.path !== name) : [];
  const changed = { path: name, size: Buffer.byteLength(after), executable: false, text: after };
  const { verdict, findings } = scanSkill([...others, changed]);
  return decideInstall('agent-created', verdict) === 'allow' ? [] : findings;
}

/** The answer to a change that nobody approved in spite of its findings. */
export function refusedFindings(findings: readonly Finding[]): SkillAnswer {
  return {
    success: false,
    error: 'The security scan found something dangerous and the change was not approved. Nothing was written.',
    findings: findings.slice(0, 20).map(({ file, line, description, match }) => {
      return `${file}:${line} ${description}: ${match}`;
    }),
  };
}

/** Equal for changes that turn the same file from the same text into the same text. */
export function fingerprintOf({ directory, file, removesSkill }: SkillChange): string {
  const { path, before = null, after = null } = file;
  return createHash('sha256')
    .update(JSON.stringify([directory, removesSkill, path, before, after]))
    .digest('hex');
}
