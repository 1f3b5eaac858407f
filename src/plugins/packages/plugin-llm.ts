/** `ctx.llm`: a plug-in asks a model, with the keys of the program that it never sees, and as the owner allows. */
import * as z from 'zod';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Message } from '../../llm/message.ts';
import type { SideModels } from '../../llm/side-task.ts';
import { jsonObject } from './values.ts';

/** `plugins.entries.<key>.llm`: what it may choose itself. A list that is absent allows every name. */
export interface LlmGrants {
  readonly allow_provider_override: boolean;
  readonly allowed_providers?: readonly string[] | undefined;
  readonly allow_model_override: boolean;
  readonly allowed_models?: readonly string[] | undefined;
  readonly allow_agent_id_override: boolean;
}

export const noGrants: LlmGrants = {
  allow_provider_override: false,
  allow_model_override: false,
  allow_agent_id_override: false,
};

export interface LlmPlace {
  /** Key of the plug-in. */
  readonly plugin: string;
  readonly grants: LlmGrants;
  /** Undefined where there is no conversation. */
  readonly models: () => SideModels | undefined;
  /** Whether it has registered this side task. */
  readonly hasTask: (key: string) => boolean;
  readonly log: Log;
}

/** The owner has not allowed what was asked for. */
class TrustError extends Error {
  override readonly name = 'PluginLlmTrustError';
}

const maxMessages = 200;
const maxChars = 400_000;
/** The task has a deadline of its own as well. */
const longestSeconds = 600;

const common = {
  provider: z.string().min(1).nullish(),
  model: z.string().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  /** Seconds. */
  timeout: z.number().positive().max(longestSeconds).nullish(),
  agent_id: z.string().min(1).nullish(),
  profile: z.string().min(1).nullish(),
  purpose: z.string().max(200).nullish(),
  /** A side task of its own, whose settings count. */
  task: z.string().min(1).nullish(),
};
const message = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });
const completion = z.looseObject({ messages: z.array(message).min(1).max(maxMessages), ...common });
const textBlock = z.looseObject({ type: z.literal('text').default('text'), text: z.string().min(1) });
const structured = z.looseObject({
  instructions: z.string().min(1),
  input: z
    .array(
      z.union([
        z
          .string()
          .min(1)
          .transform((text) => ({ text })),
        textBlock,
      ]),
    )
    .min(1)
    .max(maxMessages),
  json_schema: jsonObject.nullish(),
  json_mode: z.boolean().default(false),
  schema_name: z.string().max(100).nullish(),
  system_prompt: z.string().nullish(),
  ...common,
});

type Common = Pick<z.infer<typeof completion>, keyof typeof common>;

/** What a plug-in has as `ctx.llm`. */
export function pluginLlm(place: LlmPlace): object {
  return {
    complete: async (given: unknown) => {
      const asked = parsed('complete', completion, given);
      return await ask(place, asked, asked.messages, {});
    },
    completeStructured: async (given: unknown) => await askStructured(place, given),
  };
}

async function askStructured(place: LlmPlace, given: unknown): Promise<JsonObject> {
  const asked = parsed('completeStructured', structured, given);
  const { instructions, input, json_schema, json_mode, schema_name, system_prompt } = asked;
  const wantsJson = json_mode || (json_schema !== undefined && json_schema !== null);
  const shape = json_schema ? `\nIt must fit this JSON Schema:\n${JSON.stringify(json_schema)}` : '';
  const form = wantsJson ? `\n\nAnswer with one JSON value and nothing else.${shape}` : '';
  const messages: Message[] = [
    { role: 'system', content: [system_prompt, instructions].filter((text) => text).join('\n\n') + form },
    { role: 'user', content: input.map(({ text }) => text).join('\n\n') },
  ];
  const answer = await ask(place, asked, messages, schema_name ? { schema_name } : {});
  const { text } = answer;
  const value = wantsJson && typeof text === 'string' ? jsonIn(text) : undefined;
  if (value === undefined) return { ...answer, parsed: null, content_type: 'text' };
  if (json_schema) requireFit(value, json_schema);
  return { ...answer, parsed: value, content_type: 'json' };
}

async function ask(
  place: LlmPlace,
  asked: Common,
  messages: readonly Message[],
  audited: JsonObject,
): Promise<JsonObject> {
  const { plugin, log } = place;
  const { provider, model } = granted(place, asked);
  const chars = messages.reduce((sum, { content }) => sum + (typeof content === 'string' ? content.length : 0), 0);
  if (chars === 0 || chars > maxChars) throw new TypeError(`llm: the text must have 1 to ${maxChars} characters`);
  const own = asked.task ?? undefined;
  if (own !== undefined && !place.hasTask(own)) {
    throw new TypeError(`llm: the task '${own.slice(0, 80)}' is none that this plug-in has registered`);
  }
  const models = place.models();
  if (models === undefined) throw new Error('llm: there is no conversation here');
  const signal = asked.timeout ? AbortSignal.timeout(asked.timeout * 1000) : AbortSignal.timeout(longestSeconds * 1000);
  const request = {
    messages,
    ...(asked.temperature == null ? {} : { temperature: asked.temperature }),
    ...(asked.max_tokens == null ? {} : { maxTokens: asked.max_tokens }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(own === undefined ? {} : { own }),
  };
  const answer = await models.ask('plugin', request, signal);
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = answer.usage ?? {};
  const total = input + output + cacheRead + cacheWrite;
  const purpose = asked.purpose ?? '';
  log.info(
    `asked ${answer.model} of ${answer.provider}: ${total} tokens${purpose === '' ? '' : `, for ${JSON.stringify(purpose)}`}`,
  );
  return {
    text: answer.text,
    provider: answer.provider,
    model: answer.model,
    agent_id: asked.agent_id ?? 'default',
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: total,
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      // Booked with the conversation, where its price is known.
      cost_usd: null,
    },
    audit: { plugin_id: plugin, purpose, profile: '', ...audited },
  };
}

/** Throws `TrustError`. Each grant stands for itself. */
function granted(
  { plugin, grants }: Pick<LlmPlace, 'plugin' | 'grants'>,
  { provider, model, agent_id, profile }: Partial<Pick<Common, 'provider' | 'model' | 'agent_id' | 'profile'>>,
): { readonly provider: string | undefined; readonly model: string | undefined } {
  const key = `plugins.entries.${plugin}.llm`;
  const allowed = (
    what: 'provider' | 'model',
    name: string | null | undefined,
    may: boolean,
    names: readonly string[] | undefined,
  ) => {
    if (!name) return undefined;
    if (!may) throw new TrustError(`it may not choose the ${what}: ${key}.allow_${what}_override is not set`);
    if (names !== undefined && !names.includes('*') && !names.includes(name)) {
      throw new TrustError(`it may not choose the ${what} '${name}': it is not in ${key}.allowed_${what}s`);
    }
    return name;
  };
  if (agent_id && !grants.allow_agent_id_override) {
    throw new TrustError(`it may not choose an agent: ${key}.allow_agent_id_override is not set`);
  }
  if (profile) throw new TrustError('it may not choose a login: that is not available in this build');
  return {
    provider: allowed('provider', provider, grants.allow_provider_override, grants.allowed_providers),
    model: allowed('model', model, grants.allow_model_override, grants.allowed_models),
  };
}

/** Defaults of a side task that name a model are a choice like that in a call. Throws `TrustError`. */
export function requireChoice(plugin: string, grants: LlmGrants, { provider, model, extra_body }: TaskChoice): void {
  const isNamed = !['', 'auto', 'main'].includes(provider.toLowerCase());
  // Fields of the request can name any model.
  const isOpen = Object.keys(extra_body).length > 0;
  granted({ plugin, grants }, { provider: isNamed ? provider : undefined, model: isOpen ? '*' : model });
}

interface TaskChoice {
  readonly provider: string;
  readonly model: string;
  readonly extra_body: JsonObject;
}

/** Also between the marks of a block of code. */
function jsonIn(text: string): JsonValue | undefined {
  const inner = /^\s*```(?:json)?\s*\n([^]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
  return parseJson(inner.trim());
}

/** Throws `UserError` when the value does not fit, or the schema is none. */
function requireFit(value: JsonValue, schema: JsonObject): void {
  let shape: z.ZodType;
  try {
    shape = z.fromJSONSchema(schema);
  } catch (error) {
    throw new UserError(`the JSON Schema cannot be used: ${errorMessage(error)}`, { cause: error });
  }
  const { success, error } = shape.safeParse(value);
  if (!success) throw new UserError(`the answer does not fit the JSON Schema: ${z.prettifyError(error)}`);
}

function parsed<T>(name: string, shape: z.ZodType<T>, given: unknown): T {
  const { success, data, error } = shape.safeParse(isJsonObject(given) ? given : {});
  if (success) return data;
  throw new TypeError(`llm.${name}: ${z.prettifyError(error)}`);
}
