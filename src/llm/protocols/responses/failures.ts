/**
 * What the Responses API reports as failed, as the one `ModelError` it ends in.
 * https://platform.openai.com/docs/guides/error-codes
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { ModelError } from '../../model-error.ts';
import { statusIn } from '../error-body.ts';
import { type RequestContext, reportedFailure } from '../model-failure.ts';
import { objectOf, stringOf } from '../read-json.ts';

/** Of an `error` event, a failed or cancelled response, or a body that holds an error instead of an answer. */
export function responseFailure(context: RequestContext, report: JsonObject): ModelError {
  const error = report['error'] ?? objectOf(report['response'])?.['error'];
  if (typeof error === 'string') return reportedFailure(context, error);
  const fields = objectOf(error) ?? report;
  const code = stringOf(fields['code']);
  const type = stringOf(fields['type']);
  const status = statusIn(fields) ?? statusIn(report) ?? statuses.get(code) ?? statuses.get(type);
  const cancelled = report['status'] === 'cancelled' ? 'the response was cancelled' : '';
  const message = stringOf(fields['message']) || stringOf(fields['detail']) || cancelled;
  return reportedFailure(context, {
    // The words of the service tell kinds of failures apart that share a status.
    message: message === '' ? code : message,
    type: code === '' ? type : code,
    ...(status === undefined ? {} : { code: status }),
  });
}

/** True for a body that holds a message of an error in place of an answer, as gateways write it. */
export function reportsFailure(body: JsonObject): boolean {
  return [body['message'], body['detail']].some((text) => typeof text === 'string' && text !== '');
}

/** The names of errors, as the status that each has when it comes before the answer. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['server_error', 500],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['usage_limit_reached', 429],
  ['context_length_exceeded', 400],
  ['invalid_prompt', 400],
  ['invalid_request_error', 400],
  ['model_not_found', 404],
  ['bio_policy', 400],
  ['cyber_policy', 400],
  ['data_residency_mismatch', 400],
  ['misalignment_policy_violation', 400],
  ['invalid_image', 400],
  ['invalid_image_format', 400],
  ['invalid_base64_image', 400],
  ['invalid_image_url', 400],
  ['image_too_large', 400],
  ['image_too_small', 400],
  ['image_parse_error', 400],
  ['image_content_policy_violation', 400],
  ['invalid_image_mode', 400],
  ['image_file_too_large', 400],
  ['unsupported_image_media_type', 400],
  ['empty_image_file', 400],
  ['failed_to_download_image', 400],
  ['image_file_not_found', 400],
]);
