/** What a person can do about a failed model request, in a few words behind its message. */
import type { ModelError } from '../llm/model-error.ts';

/** Undefined where the message says it already, and where waiting is all there is. */
export function nextStep({ kind, message, provider = '' }: ModelError): string | undefined {
  const own = provider === 'custom' || provider.startsWith('custom:');
  const login = own || provider === '' ? 'hermes model' : `hermes auth add ${provider}`;
  switch (kind) {
    case 'auth':
      return message.includes('`hermes auth ') ? undefined : `set a key or log in with: ${login}`;
    case 'billing':
      return 'add credit there, or choose another model with: hermes model';
    case 'rate_limit':
      return `wait, add another key (${login}), or a second model with: hermes fallback add`;
    case 'overloaded':
    case 'timeout':
    case 'malformed':
      return 'try again, or add a second model with: hermes fallback add';
    case 'filtered':
      return 'put it in other words, or choose another model with: hermes model';
    case 'not_found':
    case 'bad_request':
    case 'stream_unsupported':
      return 'check the model and the address, or choose others with: hermes model';
    case 'context_overflow':
    case 'payload_too_large':
      return 'shorten the conversation with /compress, or begin a new one';
    case 'answer_too_long':
      return 'ask for less at once, or choose another model with: hermes model';
    case 'asked_once':
    case 'network':
    case 'aborted':
      return undefined;
  }
}
