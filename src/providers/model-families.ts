/** Short names that everybody knows (`sonnet`, `gpt5`): the newest model of a family, at a provider that can be asked. */
import type { ProviderProfile } from '../llm/provider.ts';
import { allProfiles, findProfile, type RouteRequest } from './choose-provider.ts';
import { hasCredentials, type PlacingSources } from './place-model.ts';

/** Maker, as aggregators write it, and beginning of the name. */
type Family = readonly [maker: string, beginning: string];

/** The words of the original. */
const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ['sonnet', ['anthropic', 'claude-sonnet']],
  ['opus', ['anthropic', 'claude-opus']],
  ['haiku', ['anthropic', 'claude-haiku']],
  ['claude', ['anthropic', 'claude-sonnet']],
  ['gpt5', ['openai', 'gpt-5']],
  ['gpt', ['openai', 'gpt']],
  ['codex', ['openai', 'codex']],
  ['o3', ['openai', 'o3']],
  ['o4', ['openai', 'o4']],
  ['gemini', ['google', 'gemini']],
  ['deepseek', ['deepseek', 'deepseek-chat']],
  ['grok', ['x-ai', 'grok']],
  ['llama', ['meta-llama', 'llama']],
  ['qwen', ['qwen', 'qwen']],
  ['minimax', ['minimax', 'minimax-m']],
  ['nemotron', ['nvidia', 'nemotron']],
  ['kimi', ['moonshotai', 'kimi-k']],
  ['glm', ['z-ai', 'glm']],
  ['step', ['stepfun', 'step']],
  ['mimo', ['xiaomi', 'mimo']],
  ['trinity', ['arcee-ai', 'trinity']],
]);

/**
 * The model that such a word means: at the current provider, else at one with credentials, makers before those who pass
 * models on. Undefined for other words, for the name of a provider that can be asked, where nobody has the family, and
 * on an endpoint of one's own, which is never left and may have a model of that very name.
 */
export async function newestOfFamily(
  word: string,
  current: string,
  sources: PlacingSources,
): Promise<RouteRequest | undefined> {
  const { settings, knowledge } = sources;
  const family = families.get(word.trim().toLowerCase());
  const here = findProfile(current, settings);
  if (family === undefined || here === undefined || here.id === 'custom' || here.apiMode === 'in_process') {
    return undefined;
  }
  const named = findProfile(word, settings);
  if (named !== undefined && (named.id === here.id || hasCredentials(named.id, sources))) return undefined;
  const others = allProfiles(settings).filter(({ id }) => id !== here.id && hasCredentials(id, sources));
  const makersFirst = [...others].sort((a, b) => Number(a.aggregator === true) - Number(b.aggregator === true));
  for (const profile of [here, ...makersFirst]) {
    const listed = [...(await knowledge.models(profile.id)), ...(profile.models ?? [])];
    const model = newest(listed, beginningAt(profile, family));
    if (model !== undefined) return { provider: profile.id, model };
  }
  return undefined;
}

function beginningAt({ aggregator }: ProviderProfile, [maker, beginning]: Family): readonly string[] {
  // Some aggregators write the maker, some do not.
  return aggregator === true ? [`${maker}/${beginning}`, beginning] : [beginning];
}

function newest(listed: readonly string[], beginnings: readonly string[]): string | undefined {
  const found = listed.flatMap((id) => {
    const name = id.toLowerCase();
    const beginning = beginnings.find((start) => name.startsWith(start));
    const match = beginning === undefined ? null : versioned.exec(name.slice(beginning.length));
    if (match === null) return [];
    const [, version = '', variant = ''] = match;
    return [{ id, version: version.split(/[.-]/).map(Number), rank: rankOf(variant), variant }];
  });
  return found.sort(compare)[0]?.id;
}

/** `-4.6-pro` behind a family's name: the version, and what kind it is of. A date is no version, nor is `-oss-120b`. */
const versioned = /^-?(?:v?(\d{1,2}(?:[.-]\d{1,2}(?!\d))*)(?![\d.]))?(?:$|[-:](.*)$)/;

/** The plain one, then a better one, then the others; free and dated copies last. */
function rankOf(variant: string): number {
  if (variant === '') return 0;
  if (/^(?:pro|max|plus|turbo|sol)(?:$|-preview)/.test(variant)) return 1;
  return /\d{6}|:|free/.test(variant) ? 3 : 2;
}

interface Found {
  readonly version: readonly number[];
  readonly rank: number;
  readonly variant: string;
}

function compare(one: Found, other: Found): number {
  for (let at = 0; at < Math.max(one.version.length, other.version.length); at += 1) {
    const difference = (other.version[at] ?? 0) - (one.version[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.rank - other.rank || (one.variant < other.variant ? -1 : 1);
}
