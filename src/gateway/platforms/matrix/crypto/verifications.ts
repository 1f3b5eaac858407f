/** Comparisons of devices that others ask for; their messages go to devices, or into a room. */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';
import * as z from 'zod';
import { errorMessage } from '../../../../lib/errors.ts';
import { parseJson } from '../../../../lib/json.ts';
import type { Log } from '../../../../lib/log.ts';
import type { MatrixEvent } from '../wire.ts';
import { Flow } from './flow.ts';
import type { Requests } from './requests.ts';

/** Puts an event into a room, encrypted where the room is; its id. `key` names it for all attempts. */
export type PutInRoom = (
  roomId: string,
  type: string,
  content: object,
  key: string,
  signal: AbortSignal,
) => Promise<string>;

export interface VerificationsOptions {
  readonly library: typeof Library;
  readonly machine: Library.OlmMachine;
  readonly requests: Requests;
  readonly log: Log;
  readonly putInRoom: PutInRoom;
  readonly inTurn: <T>(body: () => Promise<T>) => Promise<T>;
}

const content = z.looseObject({});

export class Verifications {
  readonly #options: VerificationsOptions;

  constructor(options: VerificationsOptions) {
    this.#options = options;
  }

  /** Undefined for a request that the library did not take: it is too old, or of a device that nobody knows. */
  find(userId: string, id: string): Flow | undefined {
    const { library, machine, inTurn } = this.#options;
    const request = machine.getVerificationRequest(new library.UserId(userId), id);
    if (request === undefined) return undefined;
    return new Flow({ library, request, inTurn, send: async (requests, signal) => await this.#send(requests, signal) });
  }

  /** Asks for the devices of somebody: the library leaves alone what comes from one that it has not heard of. */
  async meet(userId: string, signal: AbortSignal): Promise<void> {
    const { library, machine, requests, inTurn } = this.#options;
    await inTurn(async () => await requests.send(machine.queryKeysForUsers([new library.UserId(userId)]), signal));
  }

  /** An event of a room, decrypted. */
  async receive(roomId: string, event: MatrixEvent): Promise<void> {
    const { library, machine, log, inTurn } = this.#options;
    await inTurn(async () => {
      try {
        await machine.receiveVerificationEvent(JSON.stringify(event), new library.RoomId(roomId));
      } catch (error) {
        // Anybody can send anything.
        log.debug(`a step of a verification in ${roomId} could not be read: ${errorMessage(error)}`);
      }
    });
  }

  /** Sends into rooms what the library has to say there. */
  async settle(signal: AbortSignal): Promise<void> {
    const { machine, requests, inTurn } = this.#options;
    const waiting = await inTurn(async () =>
      (await machine.outgoingRequests()).filter((each) => requests.isInRoom(each)),
    );
    await this.#send(waiting, signal);
  }

  async #send(given: readonly Library.OutgoingRequest[], signal: AbortSignal): Promise<void> {
    const { requests, putInRoom, inTurn } = this.#options;
    for (const request of given) {
      if (!requests.isInRoom(request)) {
        await inTurn(async () => await requests.send(request, signal));
        continue;
      }
      const { room_id: roomId, event_type: type, txn_id: key } = request;
      const eventId = await putInRoom(roomId, type, content.parse(parseJson(request.body)), `verify ${key}`, signal);
      await inTurn(async () => await requests.sent(request, { event_id: eventId }));
    }
  }
}
