/** Names and sizes of the files of a skill from outside, judged before any of them is written. */
import { UserError } from '../lib/errors.ts';
import { readRelativePath } from '../skills/skill-paths.ts';

/** Bounds for what may be downloaded as one skill; the guard judges more strictly what is then in it. */
export const memberLimits = { files: 200, bytesEach: 2 * 1024 * 1024, bytesAll: 8 * 1024 * 1024 } as const;

/**
 * Throws `UserError` unless every name is a plain relative path that means the same file on every system, there is a
 * SKILL.md, and count and sizes are within bounds.
 */
export function checkMembers(files: ReadonlyMap<string, { readonly length: number }>): void {
  if (files.size > memberLimits.files) refuse(`it has ${files.size} files; at most ${memberLimits.files} are taken`);
  let total = 0;
  const seen = new Map<string, string>();
  for (const [path, { length }] of files) {
    const problem = memberProblem(path);
    if (problem !== undefined) refuse(`${JSON.stringify(path.slice(0, 200))} ${problem}`);
    if (length > memberLimits.bytesEach) refuse(`${path} is larger than ${memberLimits.bytesEach} bytes`);
    total += length;
    if (total > memberLimits.bytesAll) refuse(`it is larger than ${memberLimits.bytesAll} bytes`);
    const same = seen.get(folded(path));
    if (same !== undefined) refuse(`${path} and ${same} are the same file on some systems`);
    seen.set(folded(path), path);
  }
  for (const path of files.keys()) {
    const parts = folded(path).split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      if (seen.has(parts.slice(0, depth).join('/'))) refuse(`${path} lies below a file`);
    }
  }
  if (!files.has('SKILL.md')) refuse('it has no SKILL.md');
}

/** Why a path may not be written; `undefined` when it may. */
function memberProblem(path: string): string | undefined {
  const read = readRelativePath(path);
  if ('problem' in read) return 'is not a path inside the skill';
  const { parts } = read;
  if (parts.join('/') !== path) return 'is not a plain path';
  if (parts.length > 12) return 'is nested too deep';
  for (const part of parts) {
    if (part.startsWith('.')) return 'is hidden';
    if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u.test(part)) return 'has characters that cannot be seen';
    if (/[<>:"|?*]|[. ]$/.test(part) || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(part)) {
      return 'is not a valid file name on some systems';
    }
    if (Buffer.byteLength(part) > 200) return 'is too long';
  }
  return undefined;
}

function folded(path: string): string {
  return path.normalize('NFKC').toLowerCase();
}

function refuse(reason: string): never {
  throw new UserError(`The skill was not installed: ${reason}.`, {
    hint: 'Nothing was written. Tell whoever offers the skill, or choose another one.',
  });
}
