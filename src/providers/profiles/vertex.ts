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
  addressHint:
    'Set `hermes config set vertex.project_id <project>` (or GOOGLE_CLOUD_PROJECT in the environment), or name the file of a service account in VERTEX_CREDENTIALS_PATH.',
  keyVariables: [],
  auth: 'google',
  modelsDev: ['google-vertex', 'google-vertex-anthropic', 'google'],
  defaultModel: 'gemini-2.5-pro',
  auxModel: 'gemini-3-flash-preview',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-3-pro-preview'],
  modelsUrl: null,
};

/**
 * The newest models are served at the global location alone.
 * https://cloud.google.com/vertex-ai/docs/reference/rest#rest_endpoints
 */
function addressOf({ googleProject, googleLocation = 'global' }: CloudLocation): string | undefined {
  if (googleProject === undefined) return undefined;
  const host =
    googleLocation === 'global' ? 'aiplatform.googleapis.com' : `${googleLocation}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${googleProject}/locations/${googleLocation}/publishers/google`;
}
