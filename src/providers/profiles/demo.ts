/** The offline demo: a rule-based model in this process, for trying things out before a real one is set up. */
import type { ProviderProfile } from '../../llm/provider.ts';

export const demo: ProviderProfile = {
  id: 'demo',
  aliases: [],
  apiMode: 'in_process',
  baseUrl: '',
  keyVariables: [],
  auth: 'none',
  billing: 'none',
  modelsDev: [],
  defaultModel: 'demo',
  contextLengths: { demo: 128_000 },
  inProcess: async () => (await import('../../models/demo/demo-model.ts')).createDemoModel(),
};
