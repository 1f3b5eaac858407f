/** Every built-in provider, one line each. To add a provider: one file, one line here. */
import type { ProviderProfile } from '../llm/provider.ts';
import { aiGateway } from './profiles/ai-gateway.ts';
import { alibaba } from './profiles/alibaba.ts';
import { alibabaCodingPlan } from './profiles/alibaba-coding-plan.ts';
import { anthropic } from './profiles/anthropic.ts';
import { arcee } from './profiles/arcee.ts';
import { azureFoundry } from './profiles/azure-foundry.ts';
import { bedrock } from './profiles/bedrock.ts';
import { copilot } from './profiles/copilot.ts';
import { custom } from './profiles/custom.ts';
import { deepinfra } from './profiles/deepinfra.ts';
import { deepseek } from './profiles/deepseek.ts';
import { demo } from './profiles/demo.ts';
import { fireworks } from './profiles/fireworks.ts';
import { gemini } from './profiles/gemini.ts';
import { gmi } from './profiles/gmi.ts';
import { huggingface } from './profiles/huggingface.ts';
import { kilocode } from './profiles/kilocode.ts';
import { kimiCoding } from './profiles/kimi-coding.ts';
import { kimiCodingCn } from './profiles/kimi-coding-cn.ts';
import { lmstudio } from './profiles/lmstudio.ts';
import { local } from './profiles/local.ts';
import { minimax } from './profiles/minimax.ts';
import { minimaxCn } from './profiles/minimax-cn.ts';
import { minimaxOauth } from './profiles/minimax-oauth.ts';
import { moa } from './profiles/moa.ts';
import { nous } from './profiles/nous.ts';
import { novita } from './profiles/novita.ts';
import { nvidia } from './profiles/nvidia.ts';
import { ollamaCloud } from './profiles/ollama-cloud.ts';
import { openaiApi } from './profiles/openai-api.ts';
import { openaiCodex } from './profiles/openai-codex.ts';
import { opencodeGo } from './profiles/opencode-go.ts';
import { opencodeZen } from './profiles/opencode-zen.ts';
import { openrouter } from './profiles/openrouter.ts';
import { qwenOauth } from './profiles/qwen-oauth.ts';
import { stepfun } from './profiles/stepfun.ts';
import { tencentTokenhub } from './profiles/tencent-tokenhub.ts';
import { upstage } from './profiles/upstage.ts';
import { vertex } from './profiles/vertex.ts';
import { xai } from './profiles/xai.ts';
import { xaiOauth } from './profiles/xai-oauth.ts';
import { xiaomi } from './profiles/xiaomi.ts';
import { zai } from './profiles/zai.ts';

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
  qwenOauth,
  huggingface,
  novita,
  deepinfra,
  fireworks,
  nvidia,
  arcee,
  gmi,
  stepfun,
  upstage,
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
