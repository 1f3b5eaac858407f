/** What a command that ran in a directory is evidence of, in the project that the directory belongs to. */
import { type Evidence, evidenceOf } from './evidence.ts';
import { projectFacts } from './project-facts.ts';
import { findWorkspace } from './workspace.ts';

export interface ProjectCheck {
  /** Of the project. */
  readonly root: string;
  readonly evidence: Evidence;
}

/** `userHome`: the user's own directory, which is no workspace. Undefined for most commands, and outside of projects. */
export function checkOf(command: string, directory: string, userHome: string): ProjectCheck | undefined {
  const root = findWorkspace(directory, userHome)?.root;
  const evidence = root === undefined ? undefined : evidenceOf(command, projectFacts(root).verifyCommands);
  return root === undefined || evidence === undefined ? undefined : { root, evidence };
}
