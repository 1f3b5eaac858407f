/** The few facts of a header that lists and the index need, read leniently: one odd value costs only itself. */
import type { JsonObject } from '../lib/json.ts';
import { oneLine, readMap, readText, readWords } from './header-values.ts';
import type { SkillConditions, SkillSummary } from './skill.ts';

/** The facts that lists and the index need. `body` gives the description when the header has none. */
export function readSummary(header: JsonObject, body: string): SkillSummary {
  const name = readText(header['name']);
  return {
    ...(name === undefined ? {} : { name: oneLine(name).slice(0, 64) }),
    description: oneLine(readText(header['description']) ?? firstLine(body)).slice(0, 1_024),
    platforms: readWords(header['platforms']).map((platform) => platform.toLowerCase()),
    conditions: readConditions(readMap(readMap(header['metadata'])['hermes'])),
  };
}

function readConditions(hermes: JsonObject): SkillConditions {
  const requiresToolsets = readWords(hermes['requires_toolsets']);
  const requiresTools = readWords(hermes['requires_tools']);
  const fallbackForToolsets = readWords(hermes['fallback_for_toolsets']);
  const fallbackForTools = readWords(hermes['fallback_for_tools']);
  return {
    ...(requiresToolsets.length > 0 && { requiresToolsets }),
    ...(requiresTools.length > 0 && { requiresTools }),
    ...(fallbackForToolsets.length > 0 && { fallbackForToolsets }),
    ...(fallbackForTools.length > 0 && { fallbackForTools }),
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
