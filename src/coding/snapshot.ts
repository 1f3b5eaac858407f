/** The workspace in a few lines of the prompt, as it stands when the session begins. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../environments/environment.ts';
import { type GitState, gitState } from './git-state.ts';
import { type ProjectFacts, projectFacts } from './project-facts.ts';
import type { Workspace } from './workspace.ts';

const maxManifests = 6;

export async function workspaceSnapshot(
  { root, gitRoot }: Workspace,
  environment: Pick<Environment, 'runProgram'>,
): Promise<string> {
  const git = gitRoot === undefined ? undefined : await gitState(environment, root);
  const lines = [
    `- Root: ${root}`,
    ...(git === undefined ? [] : gitLines(git)),
    ...(gitRoot !== undefined && isLinked(gitRoot) ? ['- Worktree: linked to a main tree elsewhere'] : []),
    ...factLines(projectFacts(root)),
  ];
  return `# Workspace\nAs it was when this session began; look again before you rely on it.\n${lines.map(oneLine).join('\n')}`;
}

function gitLines(git: GitState): string[] {
  const { branch, upstream, ahead, behind, commits } = git;
  const distance = [ahead > 0 ? `ahead ${ahead}` : '', behind > 0 ? `behind ${behind}` : ''].filter(Boolean).join(', ');
  const tracked = upstream === undefined ? '' : ` → ${upstream}${distance === '' ? '' : ` (${distance})`}`;
  const counts = (['staged', 'modified', 'untracked', 'conflicts'] as const)
    .filter((kind) => git[kind] > 0)
    .map((kind) => `${git[kind]} ${kind}`);
  return [
    branch === undefined ? '- Branch: (detached HEAD)' : `- Branch: ${branch}${tracked}`,
    `- Status: ${counts.length === 0 ? 'clean' : counts.join(', ')}`,
    ...(commits.length === 0 ? [] : [`- Recent commits: ${commits.map((line) => line.slice(0, 100)).join('; ')}`]),
  ];
}

function factLines({ manifests, packageManagers, verifyCommands, contextFiles }: ProjectFacts): string[] {
  const named = manifests.slice(0, maxManifests).join(', ');
  const managers = packageManagers.length === 0 ? '' : ` (${packageManagers.join(', ')})`;
  return [
    ...(named === '' ? [] : [`- Project: ${named}${managers}`]),
    ...(verifyCommands.length === 0 ? [] : [`- Verify: ${verifyCommands.join('; ')}`]),
    ...(contextFiles.length === 0 ? [] : [`- Context files: ${contextFiles.join(', ')}`]),
  ];
}

/** A linked worktree has a file where the main tree has a directory. */
function isLinked(gitRoot: string): boolean {
  return statSync(join(gitRoot, '.git'), { throwIfNoEntry: false })?.isFile() === true;
}

/** Names and subjects are other people's: they stay in their line. */
function oneLine(line: string): string {
  return line
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, 600)
    .toWellFormed();
}
