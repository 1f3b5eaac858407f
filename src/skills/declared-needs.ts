/** What a skill says that it wants of the owner's: the only things of theirs that it is handed. */
import * as z from 'zod';
import type { SkillFacts } from './skill-facts.ts';

export interface DeclaredNeeds {
  /** Names of variables of the environment. */
  readonly variables: readonly string[];
  /** Credential files, relative to the home. */
  readonly files: readonly string[];
}

export function needsOf({ variables, credentialFiles }: SkillFacts): DeclaredNeeds {
  return { variables: variables.map(({ name }) => name), files: credentialFiles.map(({ path }) => path) };
}

const shape = z.object({ variables: z.array(z.string()), files: z.array(z.string()) });

/** As they were recorded; undefined for what is no such record. */
export function readNeeds(value: unknown): DeclaredNeeds | undefined {
  return shape.safeParse(value).data;
}

/** The facts without needs that were not agreed to, and the names of those. */
export function withinNeeds(
  facts: SkillFacts,
  agreed: DeclaredNeeds | undefined,
): { readonly facts: SkillFacts; readonly beyond: readonly string[] } {
  if (agreed === undefined) return { facts, beyond: [] };
  const variables = facts.variables.filter(({ name }) => agreed.variables.includes(name));
  const credentialFiles = facts.credentialFiles.filter(({ path }) => agreed.files.includes(path));
  const kept = { ...facts, variables, credentialFiles };
  const [all, granted] = [needsOf(facts), needsOf(kept)];
  const beyond = [...all.variables, ...all.files].filter(
    (need) => !granted.variables.includes(need) && !granted.files.includes(need),
  );
  return { facts: kept, beyond };
}
