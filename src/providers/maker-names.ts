/** The name of a model as one provider writes it: with its maker in front, or without. */
import type { ProviderProfile } from '../llm/provider.ts';
import { splitOnce } from './choose-provider.ts';
import { custom } from './profiles/custom.ts';

/**
 * Names are often copied from one provider to another: `z-ai/glm-5.2` of an aggregator is `glm-5.2` at Z.AI itself, and
 * `gpt-5.4` is `openai/gpt-5.4` at OpenRouter. A name that says nothing of its maker stays as it is.
 */
export function nameAt(profile: ProviderProfile, written: string): string {
  const name = withOrWithoutMaker(profile, written);
  const { modelSpelling: spelling } = profile;
  if (spelling === 'small_letters') return name.toLowerCase();
  if (spelling !== 'dotted_claude') return name;
  return name.replace(dashedClaude, (_name, family: string, minor: string) =>
    minor === '0' ? family : `${family}.${minor}`,
  );
}

const dashedClaude = /^(claude-[a-z]+-\d)-(\d{1,2})(?!\d)/i;

function withOrWithoutMaker(
  { id, aliases, aggregator, dropsMaker, wantsMaker }: ProviderProfile,
  name: string,
): string {
  const [maker, rest] = splitOnce(name, '/');
  if (rest === undefined) return wantsMaker === true ? withMaker(name) : name;
  if (rest === '') return name;
  if (dropsMaker === true) return rest;
  const isItself = aggregator !== true && id !== custom.id && [id, ...aliases].includes(maker.toLowerCase());
  return isItself ? rest : name;
}

/** How names begin, and whose they are. */
const makers: readonly (readonly [beginning: RegExp, maker: string])[] = [
  [/^claude/, 'anthropic'],
  [/^(?:gpt|o[134](?:-|$))/, 'openai'],
  [/^(?:gemini|gemma)/, 'google'],
  [/^deepseek/, 'deepseek'],
  [/^glm/, 'z-ai'],
  [/^kimi/, 'moonshotai'],
  [/^minimax/, 'minimax'],
  [/^grok/, 'x-ai'],
  [/^qwen/, 'qwen'],
  [/^mimo/, 'xiaomi'],
  [/^trinity/, 'arcee-ai'],
  [/^nemotron/, 'nvidia'],
  [/^llama/, 'meta-llama'],
  [/^step-/, 'stepfun'],
];

function withMaker(name: string): string {
  const maker = makers.find(([beginning]) => beginning.test(name.toLowerCase()))?.[1];
  return maker === undefined ? name : `${maker}/${name}`;
}
