/** What every real server is asked with: a tool, and the three formats that it may speak. */
import type { ApiMode } from '../../src/llm/protocol.ts';

export const look = {
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
};
/** With what stands behind the address for each. */
export const formats: readonly (readonly [ApiMode, string])[] = [
  ['chat_completions', '/v1'],
  ['codex_responses', '/v1'],
  ['anthropic_messages', ''],
];
