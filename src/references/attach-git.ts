/** `@diff`, `@staged` and `@git:`: what changed, as git tells it. */
import type { Environment } from '../environments/environment.ts';
import type { Attachment } from './attach-file.ts';
import { fenced } from './content.ts';
import type { Reference } from './parse.ts';

type GitReference = Extract<Reference, { kind: 'diff' | 'staged' | 'git' }>;

const timeoutMs = 30_000;

/** How the command is called in front of its output. */
export function gitLabel(reference: GitReference): string {
  if (reference.kind === 'git') return `git log -${reference.count} -p`;
  return reference.kind === 'diff' ? 'git diff' : 'git diff --staged';
}

/** A repository may name programs of its own for diffs; none of them is run. */
export async function attachGit(
  reference: GitReference,
  programs: Pick<Environment, 'runProgram'>,
  options: { readonly cwd: string; readonly signal: AbortSignal; readonly maxChars: number },
): Promise<Attachment> {
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv'];
  const command =
    reference.kind === 'git'
      ? ['log', `-${reference.count}`, '-p', ...plain]
      : ['diff', ...(reference.kind === 'staged' ? ['--staged'] : []), ...plain];
  const { output, stderr, exitCode } = await programs.runProgram(
    ['git', '--no-pager', '-c', 'core.fsmonitor=false', '-c', 'log.showSignature=false', ...command],
    { cwd: options.cwd, timeoutMs, signal: options.signal, maxOutput: options.maxChars },
  );
  options.signal.throwIfAborted();
  if (exitCode === 124) return { problem: 'git took longer than 30 seconds' };
  if (exitCode !== 0) return { problem: `git failed: ${stderr.trim().split('\n')[0]?.slice(0, 200) ?? ''}` };
  return { body: fenced('diff', output.trim() === '' ? '(no output)' : output) };
}
