/** The few facts of a header that lists and the index need, read leniently: one odd value costs only itself. */
import * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import { mapOf, oneLine, text, words } from './header-fields.ts';
import type { SkillConditions, SkillSummary } from './skill.ts';

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

function readConditions(hermes: z.output<typeof summaryShape>['metadata']['hermes']): SkillConditions {
  return {
    ...(hermes.requires_toolsets.length > 0 && { requiresToolsets: hermes.requires_toolsets }),
    ...(hermes.requires_tools.length > 0 && { requiresTools: hermes.requires_tools }),
    ...(hermes.fallback_for_toolsets.length > 0 && { fallbackForToolsets: hermes.fallback_for_toolsets }),
    ...(hermes.fallback_for_tools.length > 0 && { fallbackForTools: hermes.fallback_for_tools }),
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
