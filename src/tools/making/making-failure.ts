/** What a failed call of a tool that has something made comes to, in the fields of the original. */
import { failure, type ToolOutcome } from '../../agent/tool.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { PathDenied } from '../policy/path-denied.ts';
import { ServiceError } from './ask-service.ts';
import { Unsupported } from './load-sources.ts';

/** `asked` are the fields that are told of every call. Rethrows what is no failure of a person or a service. */
export function makingFailure(error: unknown, asked: JsonObject, service: string): ToolOutcome {
  const refused = (type: string, message: string): ToolOutcome =>
    failure({ success: false, ...asked, error: message, error_type: type });
  if (error instanceof Unsupported) return refused('modality_unsupported', error.message);
  if (error instanceof ServiceError) {
    // What a service says of a failure is its own words.
    return { ...refused('api_error', error.message), sources: [{ from: 'server', name: service }] };
  }
  if (error instanceof UserError || error instanceof PathDenied) return refused('io_error', error.message);
  if (error instanceof Error && error.name === 'TimeoutError') return refused('timeout', `${service} took too long.`);
  throw error;
}
