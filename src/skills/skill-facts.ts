/** All that the header of a SKILL.md says about a skill that is being loaded. */
import * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import { listOf, mapOf, text, words } from './header-fields.ts';

/** A secret or setting that the skill needs from the environment. */
export interface RequiredVariable {
  readonly name: string;
  readonly prompt?: string | undefined;
  readonly help?: string | undefined;
  readonly requiredFor?: string | undefined;
}

/** A non-secret setting kept under `skills.config.<key>`. */
export interface SkillConfigKey {
  readonly key: string;
  readonly description: string;
  readonly default?: unknown;
  readonly prompt?: string | undefined;
}

/** What a loaded skill tells about itself. */
export interface SkillFacts {
  readonly tags: readonly string[];
  readonly relatedSkills: readonly string[];
  readonly compatibility?: string | undefined;
  readonly variables: readonly RequiredVariable[];
  /** Paths relative to the home. */
  readonly credentialFiles: readonly { readonly path: string; readonly description: string }[];
  readonly commands: readonly string[];
  readonly setupHelp?: string | undefined;
  readonly config: readonly SkillConfigKey[];
}

/** The rest of the header, for a skill that is being loaded. */
export function readFacts(header: JsonObject): SkillFacts {
  const facts = factsShape.parse(header);
  const { hermes } = facts.metadata;
  return {
    tags: hermes.tags.length > 0 ? hermes.tags : facts.tags,
    relatedSkills: hermes.related_skills.length > 0 ? hermes.related_skills : facts.related_skills,
    compatibility: facts.compatibility,
    variables: mergeVariables(facts),
    credentialFiles: facts.required_credential_files,
    commands: facts.prerequisites.commands,
    setupHelp: facts.setup.help,
    config: hermes.config,
  };
}

const variable = z.union([
  z.string().transform((name) => ({ name })),
  z
    .object({
      name: text,
      env_var: text,
      prompt: text,
      help: text,
      provider_url: text,
      url: text,
      required_for: text,
    })
    .transform((value) => ({
      name: value.name ?? value.env_var ?? '',
      prompt: value.prompt,
      help: value.help ?? value.provider_url ?? value.url,
      requiredFor: value.required_for,
    })),
]);

const credentialFile = z.union([
  z.string().transform((path) => ({ path, description: '' })),
  z
    .object({ path: z.string().min(1), description: text })
    .transform(({ path, description = '' }) => ({ path, description })),
]);

const configKey = z
  .object({
    key: z.string().regex(/^[\w.-]{1,128}$/),
    description: text,
    default: z.unknown().optional(),
    prompt: text,
  })
  .transform(({ description = '', ...rest }) => ({ ...rest, description }));

const factsShape = z.object({
  tags: words,
  related_skills: words,
  compatibility: text,
  required_environment_variables: listOf(variable),
  required_credential_files: listOf(credentialFile),
  setup: mapOf({ help: text, collect_secrets: listOf(variable) }),
  prerequisites: mapOf({ env_vars: words, commands: words }),
  metadata: mapOf({
    hermes: mapOf({
      tags: words,
      related_skills: words,
      config: listOf(configKey),
    }),
  }),
});

/** One entry a name, whichever way it was declared; names the shell could not carry are left out. */
function mergeVariables(facts: z.output<typeof factsShape>): RequiredVariable[] {
  const all: RequiredVariable[] = [
    ...facts.required_environment_variables,
    ...facts.setup.collect_secrets,
    ...facts.prerequisites.env_vars.map((name) => ({ name })),
  ];
  const byName = new Map<string, RequiredVariable>();
  for (const entry of all) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(entry.name) && !byName.has(entry.name)) byName.set(entry.name, entry);
  }
  return [...byName.values()];
}
