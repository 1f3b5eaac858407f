/** One test message to a server of one's own, before anything about it is stored. */
import { ModelError } from '../../llm/model-error.ts';
import type { ApiMode } from '../../llm/protocol.ts';
import { UserError } from '../../lib/errors.ts';
import type { ModelSetting } from './setting.ts';

/** A server that has to load the model first needs a while. */
const deadlineMs = 90_000;
/** Enough for a model that thinks before it answers to show that it is there. */
const maxTokens = 64;

export interface TriedEndpoint {
  readonly baseUrl: string;
  readonly key: string;
  /** Empty = what the address says. */
  readonly apiMode: ApiMode | '';
  readonly model: string;
}

/** Why a conversation there would fail; undefined when the model answered. */
export async function tryEndpoint(setting: ModelSetting, endpoint: TriedEndpoint): Promise<ModelError | undefined> {
  const { baseUrl, key, apiMode, model } = endpoint;
  const signal = AbortSignal.timeout(deadlineMs);
  const request = { provider: 'custom', model, baseUrl, apiKey: key, ...(apiMode === '' ? {} : { apiMode }) };
  try {
    const route = await setting.resolve(request, signal);
    const messages = [{ role: 'user' as const, content: 'Say OK.' }];
    const asked = { model: route.model, messages, tools: [], maxTokens, stream: true };
    for await (const event of route.protocol.stream(asked, signal)) if (event.type === 'done') break;
    return undefined;
  } catch (error) {
    if (error instanceof ModelError) return error;
    if (error instanceof UserError) return new ModelError('bad_request', error.message, { cause: error });
    throw error;
  }
}
