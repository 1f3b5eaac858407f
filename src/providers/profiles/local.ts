/** A model file (GGUF) that runs in this process, by the llama.cpp binding when that is installed. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const local: ProviderProfile = {
  id: 'local',
  name: 'Model file on this machine',
  description: 'Runs a GGUF file in this process; needs the package node-llama-cpp.',
  aliases: ['gguf', 'node-llama-cpp'],
  apiMode: 'in_process',
  baseUrl: '',
  keyVariables: [],
  auth: 'none',
  billing: 'none',
  modelsDev: [],
  modelsUrl: null,
  // Many have called their own server so.
  givesWayToSaved: true,
};
