/** What a command that ran in a directory is evidence of, in the project that the directory belongs to. */
import { type Evidence, evidenceOf } from './evidence.ts';
import { projectFacts } from './project-facts.ts';
import { findWorkspace } from './workspace.ts';

export interface ProjectCheck {
  /** Of the project. */
  readonly root: string;
  readonly evidence: Evidence;
}

/** What every check begins with, or is called: most commands need no look at the project. */
const mayCheck = /run_tests\.sh|pytest|\b(?:make|npm|pnpm|yarn|bun)\b|hermes-(?:verify|ad-hoc)-/;

/** `userHome`: the user's own directory, which is no workspace. Undefined for most commands, and outside of projects. */
export function checkOf(command: string, directory: string, userHome: string): ProjectCheck | undefined {
  if (!mayCheck.test(command)) return undefined;
  const root = findWorkspace(directory, userHome)?.root;
  const evidence = root === undefined ? undefined : evidenceOf(command, projectFacts(root).verifyCommands);
  return root === undefined || evidence === undefined ? undefined : { root, evidence };
}
