/** Every built-in provider, one line each. To add a provider: one file, one line here. */
import type { ProviderProfile } from '../provider.ts';
import { aiGateway } from './ai-gateway.ts';
import { alibaba } from './alibaba.ts';
import { alibabaCodingPlan } from './alibaba-coding-plan.ts';
import { anthropic } from './anthropic.ts';
import { arcee } from './arcee.ts';
import { azureFoundry } from './azure-foundry.ts';
import { bedrock } from './bedrock.ts';
import { copilot } from './copilot.ts';
import { custom } from './custom.ts';
import { deepseek } from './deepseek.ts';
import { demo } from './demo.ts';
import { gemini } from './gemini.ts';
import { gmi } from './gmi.ts';
import { huggingface } from './huggingface.ts';
import { kilocode } from './kilocode.ts';
import { kimiCoding } from './kimi-coding.ts';
import { kimiCodingCn } from './kimi-coding-cn.ts';
import { lmstudio } from './lmstudio.ts';
import { local } from './local.ts';
import { minimax } from './minimax.ts';
import { minimaxCn } from './minimax-cn.ts';
import { minimaxOauth } from './minimax-oauth.ts';
import { moa } from './moa.ts';
import { nous } from './nous.ts';
import { novita } from './novita.ts';
import { nvidia } from './nvidia.ts';
import { ollamaCloud } from './ollama-cloud.ts';
import { openaiApi } from './openai-api.ts';
import { openaiCodex } from './openai-codex.ts';
import { opencodeGo } from './opencode-go.ts';
import { opencodeZen } from './opencode-zen.ts';
import { openrouter } from './openrouter.ts';
import { stepfun } from './stepfun.ts';
import { tencentTokenhub } from './tencent-tokenhub.ts';
import { vertex } from './vertex.ts';
import { xai } from './xai.ts';
import { xaiOauth } from './xai-oauth.ts';
import { xiaomi } from './xiaomi.ts';
import { zai } from './zai.ts';

/** In the order of menus; `auto` takes the first whose key is set. */
export const providerCatalogue: readonly ProviderProfile[] = [
  openrouter, //
  nous,
  openaiCodex,
  openaiApi,
  anthropic,
  copilot,
  gemini,
  vertex,
  zai,
  kimiCoding,
  kimiCodingCn,
  minimax,
  minimaxCn,
  minimaxOauth,
  xai,
  xaiOauth,
  deepseek,
  alibaba,
  alibabaCodingPlan,
  huggingface,
  novita,
  nvidia,
  arcee,
  gmi,
  stepfun,
  xiaomi,
  tencentTokenhub,
  kilocode,
  opencodeZen,
  opencodeGo,
  aiGateway,
  ollamaCloud,
  lmstudio,
  local,
  bedrock,
  azureFoundry,
  moa,
  custom,
  demo,
];
