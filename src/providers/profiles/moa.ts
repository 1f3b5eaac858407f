/** Mixtures of models: the names of presets are its models. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const moa: ProviderProfile = {
  id: 'moa',
  name: 'Mixture of models',
  aliases: [],
  apiMode: 'in_process',
  baseUrl: '',
  keyVariables: [],
  auth: 'none',
  modelsDev: [],
  modelsUrl: null,
};
