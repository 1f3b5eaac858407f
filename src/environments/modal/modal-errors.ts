/** What goes wrong with Modal, in words for people. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { HostLostError } from '../remote/host.ts';

/** https://grpc.io/docs/guides/status-codes/ */
const status = {
  cancelled: 1,
  deadline: 4,
  notFound: 5,
  denied: 7,
  exhausted: 8,
  unavailable: 14,
  unauthenticated: 16,
};

/** The failure of a call, as it is to be told. */
export function told(error: unknown, name: string): unknown {
  if (error instanceof UserError) return error;
  const code = grpcStatus(error);
  const said = lineOf(error);
  if (code === status.unauthenticated || code === status.denied || /missing credentials|token/i.test(said)) {
    return new UserError(`Modal refuses the token: ${said}`, {
      hint: 'Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or make new ones: modal token new',
      cause: error,
    });
  }
  if (code === status.unavailable || code === status.deadline || code === status.cancelled) {
    return new HostLostError(`${name} cannot be reached: ${said}`, {
      hint: 'Check the network, and try again.',
      cause: error,
    });
  }
  if (isGone(error)) {
    return new HostLostError(`${name} is gone: ${said}`, { hint: 'The next command makes another one.', cause: error });
  }
  if (/image build/i.test(said)) {
    return new UserError(`Modal cannot build the image: ${said}`, {
      hint: 'Check terminal.modal_image.',
      cause: error,
    });
  }
  return new UserError(`${name} does not work: ${said}`, {
    hint: 'Check terminal.modal_image, and the limits of your account.',
    cause: error,
  });
}

/** Something that was named is not there, or has ended. */
export function isGone(error: unknown): boolean {
  return grpcStatus(error) === status.notFound || ['NotFoundError', 'ConflictError'].includes(nameOf(error));
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The library has no class of its own for failed calls. */
function grpcStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** Without the path of the call in front. */
function lineOf(error: unknown): string {
  const details = typeof error === 'object' && error !== null && 'details' in error ? error.details : undefined;
  const text = typeof details === 'string' && details !== '' ? details : errorMessage(error);
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}
