/** The header of a SKILL.md as typed facts; every key is read leniently, so that one odd value costs only itself. */
import * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import type { SkillConditions, SkillSummary } from './skill.ts';

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

/** An automation that can be made of the skill. */
export interface SkillBlueprint {
  readonly schedule: string;
  readonly deliver: string;
  readonly prompt?: string | undefined;
  readonly noAgent: boolean;
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
  readonly blueprint?: SkillBlueprint | undefined;
}

/** The facts that lists and the index need. `body` gives the description when the header has none. */
export function readSummary(header: JsonObject, body: string): SkillSummary {
  const { name, description, platforms, metadata } = summaryShape.parse(header);
  return {
    ...(name === undefined ? {} : { name: oneLine(name).slice(0, 64) }),
    description: oneLine(description ?? firstLine(body)).slice(0, 1_024),
    platforms: platforms.map((platform) => platform.toLowerCase()),
    conditions: readConditions(metadata.hermes),
  };
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
    ...(hermes.blueprint === undefined ? {} : { blueprint: toBlueprint(hermes.blueprint) }),
  };
}

/** White space, line breaks and control characters become single spaces: one line of a prompt stays one line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g, ' ').trim();
}

const largestList = 100;

const word = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const text = word
  .transform((value) => value.trim() || undefined)
  .optional()
  .catch(undefined);
/** A list, or one string with commas and perhaps brackets around it. */
const words = z
  .unknown()
  .transform((value) => {
    const items: readonly unknown[] =
      typeof value === 'string' ? value.replace(/^\s*\[|\]\s*$/g, '').split(',') : Array.isArray(value) ? value : [];
    return items.slice(0, largestList).flatMap((item) => {
      const parsed = word.safeParse(item);
      const trimmed = parsed.success ? oneLine(parsed.data).replace(/^(["'])(.*)\1$/, '$2') : '';
      return trimmed === '' ? [] : [trimmed];
    });
  })
  .prefault([]);

/** Objects that may be missing, or be something else. */
function mapOf<Shape extends z.ZodRawShape>(shape: Shape) {
  const object = z.object(shape);
  return z
    .unknown()
    .transform((value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}))
    .pipe(object)
    .prefault({});
}

/** A list of what `item` accepts; a lone value counts as a list of one, what fits nowhere is left out. */
function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .unknown()
    .transform((value): z.output<Item>[] => {
      const items: readonly unknown[] = Array.isArray(value)
        ? value
        : value === undefined || value === null
          ? []
          : [value];
      return items.slice(0, largestList).flatMap((entry) => {
        const parsed = item.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      });
    })
    .prefault([]);
}

const summaryShape = z.object({
  name: text,
  description: text,
  platforms: words,
  metadata: mapOf({
    hermes: mapOf({
      requires_toolsets: words,
      requires_tools: words,
      fallback_for_toolsets: words,
      fallback_for_tools: words,
    }),
  }),
});

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
  .object({ key: z.string().regex(/^[\w.-]{1,128}$/), description: text, default: z.unknown(), prompt: text })
  .transform(({ description = '', ...rest }) => ({ ...rest, description }));

const blueprintShape = z.object({
  schedule: z.string().min(1),
  deliver: text,
  prompt: text,
  no_agent: z.boolean().catch(false).prefault(false),
});

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
      blueprint: blueprintShape.optional().catch(undefined),
    }),
  }),
});

function readConditions(hermes: z.output<typeof summaryShape>['metadata']['hermes']): SkillConditions {
  return {
    ...(hermes.requires_toolsets.length > 0 && { requiresToolsets: hermes.requires_toolsets }),
    ...(hermes.requires_tools.length > 0 && { requiresTools: hermes.requires_tools }),
    ...(hermes.fallback_for_toolsets.length > 0 && { fallbackForToolsets: hermes.fallback_for_toolsets }),
    ...(hermes.fallback_for_tools.length > 0 && { fallbackForTools: hermes.fallback_for_tools }),
  };
}

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

function toBlueprint(value: z.output<typeof blueprintShape>): SkillBlueprint {
  return {
    schedule: value.schedule,
    deliver: value.deliver ?? 'origin',
    prompt: value.prompt,
    noAgent: value.no_agent,
  };
}

/** The first line of the body that is neither empty nor a heading. */
function firstLine(body: string): string {
  return (
    body
      .slice(0, 4_000)
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '' && !line.startsWith('#')) ?? ''
  );
}
