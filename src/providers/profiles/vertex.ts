/** Gemini on Google Cloud's Vertex AI, with the credentials of the cloud. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const vertex: ProviderProfile = {
  id: 'vertex',
  name: 'Google Vertex AI',
  aliases: ['vertex-ai', 'google-vertex'],
  apiMode: 'gemini_generate',
  baseUrl: '',
  baseUrlVariable: 'VERTEX_BASE_URL',
  keyVariables: [],
  auth: 'google',
  defaultModel: 'gemini-2.5-pro',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro-preview'],
  modelsUrl: null,
};
