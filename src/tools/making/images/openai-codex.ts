/** OpenAI on a ChatGPT login: a model of Codex is made to call the tool that makes pictures. */
import * as z from 'zod';
import { parseJson } from '../../../lib/json.ts';
import { askForText, ServiceError } from '../ask-service.ts';
import { dataUrl } from '../source-picture.ts';
import type { ImageProvider } from './image-provider.ts';
import { openai } from './openai.ts';
import { openAiSizes } from './openai-answer.ts';

/** It only calls the tool. */
const callingModel = 'gpt-5.5';
const apiModel = 'gpt-image-2';
const timeoutMs = 300_000;

const call = z.looseObject({ type: z.literal('image_generation_call'), result: z.string().min(1) });
const failed = z.looseObject({ message: z.string() });
const event = z.looseObject({
  item: call.optional().catch(undefined),
  error: failed.nullish().catch(undefined),
  message: z.string().optional().catch(undefined),
  type: z.string().catch(''),
  response: z
    .looseObject({
      output: z.array(call.or(z.unknown().transform(() => undefined))).catch([]),
      error: failed.nullish().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

export const openaiCodex: ImageProvider = {
  id: 'openai-codex',
  name: 'OpenAI Codex',
  baseUrl: 'https://chatgpt.com/backend-api/codex',
  models: openai.models,
  maxSources: (model) => openai.maxSources(model),
  async make({ prompt, ratio, model, sources }, service, signal) {
    const pictures = sources.map((source) => ({ type: 'input_image', image_url: dataUrl(source) }));
    const body = {
      model: callingModel,
      store: false,
      instructions: 'Call the image_generation tool with what the user asks for, and do nothing else.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }, ...pictures] }],
      tools: [
        {
          type: 'image_generation',
          model: apiModel,
          size: openAiSizes[ratio],
          quality: model.slice(apiModel.length + 1),
          output_format: 'png',
          background: 'opaque',
          partial_images: 1,
        },
      ],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'image_generation' }] },
      stream: true,
    };
    const headers = { accept: 'text/event-stream' };
    const text = await askForText(service, '/responses', { body, headers, timeoutMs }, signal).catch(withoutTool);
    return { base64: pictureIn(text, service.name) };
  },
};

/** Not every account has the tool. */
function withoutTool(error: unknown): never {
  if (error instanceof ServiceError && error.status === 400 && error.message.includes("'image_generation' not found"))
    throw new ServiceError(
      'This ChatGPT account makes no pictures. Choose another image_gen.provider, such as openai.',
      error.status,
      error,
    );
  throw error;
}

/** The finished one: those that are shown while it is made are not whole. */
function pictureIn(stream: string, name: string): string {
  let found: string | undefined;
  let why: string | undefined;
  for (const line of stream.split(/\r?\n/)) {
    if (!line.startsWith('data:')) continue;
    const told = event.safeParse(parseJson(line.slice('data:'.length).trim())).data;
    if (told === undefined) continue;
    const calls = [told.item, ...(told.response?.output ?? [])];
    found = calls.findLast((one) => one !== undefined)?.result ?? found;
    why = told.response?.error?.message ?? told.error?.message ?? (told.type === 'error' ? told.message : why);
  }
  if (found !== undefined) return found;
  throw new ServiceError(why === undefined ? `${name} answered without a picture.` : `${name} made none: ${why}`);
}
