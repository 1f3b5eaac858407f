/** `metadata.hermes.blueprint` in the header of a skill: it can be scheduled. Nothing is scheduled by it alone. */
import * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import { text, words } from './header-fields.ts';
import { readMap } from './header-values.ts';

/** An automation that can be made of the skill. */
export interface SkillBlueprint {
  readonly schedule: string;
  readonly deliver: string;
  readonly prompt?: string | undefined;
  readonly noAgent: boolean;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Absent: those of every job. */
  readonly enabledToolsets?: readonly string[] | undefined;
}

const shape = z
  .object(
    {
      schedule: z.string('it says no schedule').trim().min(1, 'its schedule is empty'),
      deliver: text,
      prompt: text,
      no_agent: z.boolean().catch(false).prefault(false),
      model: text,
      provider: text,
      enabled_toolsets: words,
    },
    'it is no list of settings',
  )
  .transform(
    ({ no_agent: noAgent, enabled_toolsets: toolsets, deliver = 'origin', ...rest }): SkillBlueprint => ({
      ...rest,
      deliver,
      noAgent,
      enabledToolsets: toolsets.length === 0 ? undefined : toolsets,
    }),
  );

/** Undefined for a skill that carries none; `problem` says why one cannot be used, in a part of a sentence. */
export function readBlueprint(
  header: JsonObject,
): { readonly blueprint: SkillBlueprint } | { readonly problem: string } | undefined {
  const { blueprint: value } = readMap(readMap(header['metadata'])['hermes']);
  if (value === undefined || value === null) return undefined;
  const { data, error } = shape.safeParse(value);
  if (data !== undefined) return { blueprint: data };
  return { problem: error?.issues[0]?.message ?? 'it cannot be read' };
}
