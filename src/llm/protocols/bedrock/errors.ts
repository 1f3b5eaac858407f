/**
 * What the AWS SDK throws, as the one `ModelError` that a request ends in.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
 */
import { errorMessage } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { ModelError, type ModelErrorKind } from '../../model-error.ts';
import { failure, type RequestContext, reportedFailure } from '../model-failure.ts';

const credentialHint = 'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run `aws sso login`';

/** Never throws; a `ModelError` comes back as it is. */
export function bedrockFailure(context: RequestContext, thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  const name = thrown instanceof Error ? thrown.name : '';
  const status = statusOf(thrown);
  const message = errorMessage(thrown);
  if (isMissingCredentials(name)) {
    return failure(context, 'auth', `no usable AWS credentials; ${credentialHint} (${message})`, { cause: thrown });
  }
  const known = knownErrors.get(name) ?? (name === 'ValidationException' ? validationError(message) : undefined);
  const details = { ...(status === undefined ? {} : { status }), cause: thrown };
  if (known !== undefined) {
    const hint = known.hint === undefined ? '' : `; ${known.hint}`;
    return failure(context, known.kind, `${known.meaning} (${name})${hint}: ${message}`, details);
  }
  if (status === undefined || status < 300)
    return failure(context, 'malformed', `the answer cannot be read: ${message}`, details);
  const error: JsonObject = { code: status, message: `${name}: ${message}` };
  return reportedFailure(context, error);
}

/** Claude does not take back the signed thoughts of the history, as those of another account or cloud may be. */
export function refusesThoughts(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown.name !== 'ValidationException') return false;
  return /signature|thinking.{0,40}block|reasoningContent/i.test(thrown.message);
}

interface Known {
  readonly kind: ModelErrorKind;
  readonly meaning: string;
  readonly hint?: string;
}

const troubled: Known = { kind: 'overloaded', meaning: 'Bedrock cannot answer at the moment' };
const refusedLogin: Known = { kind: 'auth', meaning: 'AWS does not accept the credentials', hint: credentialHint };

const knownErrors: ReadonlyMap<string, Known> = new Map<string, Known>([
  ['ThrottlingException', { kind: 'rate_limit', meaning: 'rate limited' }],
  ['TooManyRequestsException', { kind: 'rate_limit', meaning: 'rate limited' }],
  ['ServiceQuotaExceededException', { kind: 'rate_limit', meaning: 'a quota of the AWS account is used up' }],
  [
    'AccessDeniedException',
    {
      kind: 'auth',
      meaning: 'the AWS account may not use this model',
      hint: 'allow it in the Bedrock console and in IAM',
    },
  ],
  ['UnrecognizedClientException', refusedLogin],
  ['InvalidSignatureException', refusedLogin],
  ['IncompleteSignatureException', refusedLogin],
  ['MissingAuthenticationTokenException', refusedLogin],
  ['InvalidClientTokenId', refusedLogin],
  ['ExpiredTokenException', refusedLogin],
  ['ExpiredToken', refusedLogin],
  ['ResourceNotFoundException', { kind: 'not_found', meaning: 'there is no such model in this region' }],
  ['ModelTimeoutException', { kind: 'timeout', meaning: 'the model took too long' }],
  ['ModelNotReadyException', troubled],
  ['ModelErrorException', troubled],
  ['ModelStreamErrorException', troubled],
  ['InternalServerException', troubled],
  ['ServiceUnavailableException', troubled],
]);

/** Bedrock calls everything that it does not like a validation error. */
function validationError(message: string): Known {
  if (
    /too long|context (?:limit|window|length)|too many (?:input )?tokens|exceeds? the (?:maximum|model)|input length/i.test(
      message,
    )
  )
    return { kind: 'context_overflow', meaning: 'the conversation is too long for the model' };
  if (
    /stream\w*.{0,40}(?:not supported|unsupported)|unsupported.{0,40}stream|doesn'?t support.{0,20}stream/i.test(
      message,
    )
  )
    return { kind: 'stream_unsupported', meaning: 'streaming is not supported' };
  if (/on-demand throughput/i.test(message)) {
    const hint = 'name an inference profile instead, such as `us.` in front of the model';
    return { kind: 'not_found', meaning: 'the model is not offered under this name', hint };
  }
  if (/model identifier is invalid/i.test(message)) return { kind: 'not_found', meaning: 'there is no such model' };
  return { kind: 'bad_request', meaning: 'the request was refused' };
}

function isMissingCredentials(name: string): boolean {
  return name === 'CredentialsProviderError' || name === 'TokenProviderError' || name === 'ProviderError';
}

function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('$metadata' in thrown)) return undefined;
  const metadata = thrown.$metadata;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
