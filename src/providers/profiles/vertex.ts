/** Gemini on Google Cloud's Vertex AI, with the credentials of the cloud. */
import type { CloudLocation } from '../../config/model-variables.ts';
import type { ProviderProfile } from '../../llm/provider.ts';

export const vertex: ProviderProfile = {
  id: 'vertex',
  name: 'Google Vertex AI',
  aliases: ['vertex-ai', 'google-vertex', 'gcp-vertex', 'vertexai'],
  apiMode: 'gemini_generate',
  baseUrl: '',
  baseUrlVariable: 'VERTEX_BASE_URL',
  cloudBaseUrl: addressOf,
  addressHint: 'Set GOOGLE_CLOUD_PROJECT (and GOOGLE_CLOUD_LOCATION) in the environment.',
  keyVariables: [],
  auth: 'google',
  modelsDev: ['google-vertex', 'google-vertex-anthropic', 'google'],
  defaultModel: 'gemini-2.5-pro',
  auxModel: 'gemini-3-flash-preview',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro-preview'],
  modelsUrl: null,
};

/** https://cloud.google.com/vertex-ai/docs/reference/rest#rest_endpoints */
function addressOf({ googleProject, googleLocation = 'us-central1' }: CloudLocation): string | undefined {
  if (googleProject === undefined) return undefined;
  const host =
    googleLocation === 'global' ? 'aiplatform.googleapis.com' : `${googleLocation}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${googleProject}/locations/${googleLocation}/publishers/google`;
}
