/** Short forms for tests of the Responses protocol. */
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { Protocol } from '../../../../src/llm/protocol.ts';
import { Responses } from '../../../../src/llm/protocols/responses/responses.ts';
import { keyOf } from '../ask.ts';

export function responsesAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf('sk-test-0123456789abcdef', 'codex_responses');
  return new Responses({ provider: 'openai-api', baseUrl: url, authorizer, ...endpoint });
}
