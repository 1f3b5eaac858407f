/**
 * The body of a Gemini request.
 * https://ai.google.dev/api/generate-content#request-body
 */
import type { JsonObject } from '../../../lib/json.ts';
import { type Endpoint, hostMatches } from '../../endpoint.ts';
import type { ModelRequest, ToolSchema } from '../../protocol.ts';
import { objectOf } from '../read-json.ts';
import { systemText, toContents } from './contents.ts';
import { thinkingConfig } from './thinking-config.ts';
import { toGeminiSchema } from './tool-schema.ts';

export function geminiRequestBody(request: ModelRequest, endpoint: Endpoint): JsonObject {
  const system = systemText(request.messages);
  // Vertex AI pairs calls and results by their order and knows no ids.
  const callIds = !hostMatches(URL.parse(endpoint.baseUrl)?.hostname ?? '', 'aiplatform.googleapis.com');
  const extra = { ...endpoint.extraBody, ...request.extraBody };
  const generation = {
    ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...thinkingField(request),
    // Whoever sets one of these does not want to lose the others.
    ...objectOf(endpoint.extraBody?.['generationConfig']),
    ...objectOf(request.extraBody?.['generationConfig']),
  };
  return {
    contents: toContents(request.messages, request.model, { callIds }),
    ...(system === '' ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(request.tools.length === 0 ? {} : { tools: [{ functionDeclarations: request.tools.map(toDeclaration) }] }),
    ...extra,
    ...(Object.keys(generation).length === 0 ? {} : { generationConfig: generation }),
  };
}

function thinkingField(request: ModelRequest): JsonObject {
  const config = thinkingConfig(request.model, request.reasoningEffort);
  return config === undefined ? {} : { thinkingConfig: config };
}

function toDeclaration({ name, description, parameters }: ToolSchema): JsonObject {
  const schema = toGeminiSchema(parameters);
  return { name, description, ...(schema === undefined ? {} : { parameters: schema }) };
}
