/** Tells the homeserver what the machine of keys has to say, and the machine what came of it. */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';
import * as z from 'zod';
import { PlatformError } from '../../../platform/platform-error.ts';
import { type MatrixApi, path } from '../api.ts';
import { ApiError } from '../errors.ts';

/** Messages in rooms are not among them: they are encrypted like what people write there. */
export type Request = Exclude<Library.OutgoingRequest, Library.RoomMessageRequest> | Library.KeysClaimRequest;

export interface RequestsOptions {
  readonly library: typeof Library;
  readonly machine: Library.OlmMachine;
  readonly api: MatrixApi;
  /** What the machine knows is on the disk when it resolves. */
  flush(): Promise<void>;
}

const anything = z.looseObject({});
/** One answer may ask for another; more rounds than these are no progress. */
const maxRounds = 20;

export class Requests {
  readonly #options: RequestsOptions;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Until there is nothing left to say. */
  async settle(signal: AbortSignal): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const requests = (await this.#options.machine.outgoingRequests()).filter((each) => !this.isInRoom(each));
      if (requests.length === 0) return;
      for (const request of requests) await this.send(request, signal);
    }
  }

  isInRoom(request: Library.OutgoingRequest): request is Library.RoomMessageRequest {
    return request instanceof this.#options.library.RoomMessageRequest;
  }

  async send(request: Request, signal: AbortSignal): Promise<void> {
    // What the server is told of must be known after a crash as well.
    await this.#options.flush();
    await this.sent(request, await this.#ask(request, signal));
  }

  /** The machine is told what the server has answered. */
  async sent({ id, type }: Request | Library.RoomMessageRequest, answer: object): Promise<void> {
    if (id !== undefined) await this.#options.machine.markRequestAsSent(id, type, JSON.stringify(answer));
    await this.#options.flush();
  }

  async #ask(request: Request, signal: AbortSignal): Promise<object> {
    const { api, library } = this.#options;
    if (request instanceof library.ToDeviceRequest) {
      const where = path`/client/v3/sendToDevice/${request.event_type}/${request.txn_id}`;
      return await api.call('PUT', where, anything, { signal, body: request.body });
    }
    if (request instanceof library.KeysUploadRequest) {
      try {
        return await api.call('POST', '/client/v3/keys/upload', anything, { signal, body: request.body });
      } catch (error) {
        throw isOtherDevice(error) ? otherDevice(error) : error;
      }
    }
    if (request instanceof library.KeysBackupRequest) {
      const query = { version: request.version };
      return await api.call('PUT', '/client/v3/room_keys/keys', anything, { signal, query, body: request.body });
    }
    const where =
      request instanceof library.KeysQueryRequest
        ? 'query'
        : request instanceof library.KeysClaimRequest
          ? 'claim'
          : 'signatures/upload';
    return await api.call('POST', `/client/v3/keys/${where}`, anything, { signal, body: request.body });
  }
}

/** The server has keys of a device with this name that are not ours. */
function isOtherDevice(error: unknown): boolean {
  return error instanceof ApiError && error.status === 400 && /already exists/i.test(error.message);
}

function otherDevice(cause: unknown): PlatformError {
  const message =
    'The homeserver has keys of another program for this device, so nothing could be decrypted. Log out that session, and put a new access token (and its MATRIX_DEVICE_ID) into the settings.';
  return new PlatformError('matrix_stale_keys', message, { retryable: false, cause });
}
