/** Another client of the homeserver, with the real library of encryption. */
import { type OutgoingRequest, type VerificationRequest } from '@matrix-org/matrix-sdk-crypto-wasm';
import * as library from '@matrix-org/matrix-sdk-crypto-wasm';
import type { MatrixServer, ServerEvent } from '../../../fakes/matrix-server.ts';

const { CollectStrategy, DecryptionSettings, DeviceId, DeviceLists, EncryptionSettings, MegolmDecryptionError } =
  library;
const { EventId, OlmMachine, OtherUserIdentity, RoomId, Sas, TrustRequirement, UserId, VerificationMethod } = library;

interface Sent {
  readonly id?: string | undefined;
  readonly type: library.RequestType;
  readonly body: string;
}

export class OtherClient {
  /** What was said to it in rooms, decrypted. */
  readonly heard: string[] = [];
  readonly machine: library.OlmMachine;
  readonly #server: MatrixServer;
  readonly #user: string;
  readonly #device: string;
  #told = 0;
  readonly #read = new Map<string, number>();

  static async open(server: MatrixServer, user: string, device: string): Promise<OtherClient> {
    await library.initAsync();
    const machine = await OlmMachine.initialize(new UserId(user), new DeviceId(device));
    const client = new OtherClient(server, user, device, machine);
    await client.go();
    return client;
  }

  private constructor(server: MatrixServer, user: string, device: string, machine: library.OlmMachine) {
    this.#server = server;
    this.#user = user;
    this.#device = device;
    this.machine = machine;
  }

  /** The account gets keys of its own, which sign this device. */
  async crossSign(): Promise<void> {
    const made = await this.machine.bootstrapCrossSigning(true);
    this.#ask(['keys', 'device_signing', 'upload'], made.uploadSigningKeysRequest.body);
    await this.#send(made.uploadSignaturesRequest, ['keys', 'signatures', 'upload']);
    await this.meet(this.#user);
  }

  async meet(user: string): Promise<void> {
    await this.#send(this.machine.queryKeysForUsers([new UserId(user)]), ['keys', 'query']);
  }

  /** Reads what has come, and says what there is to say. */
  async go(): Promise<void> {
    const news = this.#server.toldTo({ user: this.#user, device: this.#device }, this.#told);
    this.#told = news.at(-1)?.position ?? this.#told;
    const events = JSON.stringify(news.map(({ event }) => event));
    const counts = new Map([['signed_curve25519', 50]]);
    await this.machine.receiveSyncChanges(events, new DeviceLists(), counts, undefined, trust());
    for (const room of this.#server.rooms.values()) await this.#readRoom(room.id);
    for (const request of await this.machine.outgoingRequests()) await this.#request(request);
  }

  /** To the device, as programs do for sessions of an account. */
  async askDevice(user: string, device: string): Promise<VerificationRequest> {
    const found = await this.machine.getDevice(new UserId(user), new DeviceId(device));
    if (found === undefined) throw new Error('there is no such device');
    const [request, message] = found.requestVerification([VerificationMethod.SasV1]);
    await this.#request(message);
    return request;
  }

  /** In a room, as programs do for other people. */
  async askIn(room: string, user: string): Promise<VerificationRequest> {
    const identity = await this.machine.getIdentity(new UserId(user));
    if (!(identity instanceof OtherUserIdentity)) throw new Error('the account has no keys of its own');
    const methods = [VerificationMethod.SasV1];
    const content = identity.verificationRequestContent(methods);
    const id = this.#place(room, 'm.room.message', content);
    return identity.requestVerification(new RoomId(room), new EventId(id), methods);
  }

  async start(request: VerificationRequest): Promise<library.Sas> {
    const [sas, message] = (await request.startSas()) ?? [];
    if (sas === undefined || message === undefined) throw new Error('it cannot be started');
    await this.#request(message);
    return sas;
  }

  async confirm(sas: library.Sas): Promise<void> {
    for (const request of await sas.confirm()) await this.#request(request);
  }

  async cancel(flow: library.Sas | VerificationRequest): Promise<void> {
    const message = flow instanceof Sas ? flow.cancelWithCode('m.user') : flow.cancel();
    if (message !== undefined) await this.#request(message);
  }

  /** Encrypted for everybody in the room. `as`: in whose name, where the homeserver is in on it. */
  async say(room: string, body: string, as = this.#user): Promise<void> {
    const members = [...(this.#server.rooms.get(room)?.members.keys() ?? [])];
    const users = () => members.map((id) => new UserId(id));
    await this.machine.updateTrackedUsers(users());
    for (const user of members) await this.meet(user);
    const claim = await this.machine.getMissingSessions(users());
    if (claim !== null) await this.#send(claim, ['keys', 'claim']);
    const settings = new EncryptionSettings();
    settings.sharingStrategy = CollectStrategy.allDevices();
    for (const share of await this.machine.shareRoomKey(new RoomId(room), users(), settings))
      await this.#request(share);
    const content = JSON.stringify({ msgtype: 'm.text', body });
    const encrypted = await this.machine.encryptRoomEvent(new RoomId(room), 'm.room.message', content);
    this.#place(room, 'm.room.encrypted', encrypted, as);
  }

  async #readRoom(room: string): Promise<void> {
    const timeline = this.#server.rooms.get(room)?.timeline ?? [];
    const from = this.#read.get(room) ?? 0;
    this.#read.set(room, timeline.length);
    for (const { event } of timeline.slice(from)) {
      if (event.sender === this.#user) continue;
      const clear = event.type === 'm.room.encrypted' ? await this.#decrypted(room, event) : event;
      if (clear === undefined) continue;
      if (clear.type.startsWith('m.key.verification.'))
        await this.machine.receiveVerificationEvent(JSON.stringify(clear), new RoomId(room));
      else if (clear.type === 'm.room.message') this.heard.push(String(clear.content['body']));
    }
  }

  /** Undefined for what was not encrypted for it. */
  async #decrypted(room: string, event: ServerEvent): Promise<ServerEvent | undefined> {
    try {
      const found = await this.machine.decryptRoomEvent(JSON.stringify(event), new RoomId(room), trust());
      const { type, content } = JSON.parse(found.event) as ServerEvent;
      return { ...event, type, content: { ...content, 'm.relates_to': event.content['m.relates_to'] } };
    } catch (error) {
      if (error instanceof MegolmDecryptionError) return undefined;
      throw error;
    }
  }

  async #request(request: OutgoingRequest): Promise<void> {
    if (request instanceof library.RoomMessageRequest) {
      this.#place(request.room_id, request.event_type, request.body);
      return await this.machine
        .markRequestAsSent(request.id, request.type, '{"event_id": "$sent"}')
        .then(() => undefined);
    }
    if (request instanceof library.ToDeviceRequest)
      return await this.#send(request, ['sendToDevice', request.event_type, request.txn_id]);
    const what =
      request instanceof library.KeysUploadRequest
        ? ['upload']
        : request instanceof library.KeysQueryRequest
          ? ['query']
          : request instanceof library.SignatureUploadRequest
            ? ['signatures', 'upload']
            : ['claim'];
    await this.#send(request, ['keys', ...what]);
  }

  async #send({ id, type, body }: Sent, path: readonly string[]): Promise<void> {
    const answer = this.#ask(path, body);
    if (id !== undefined) await this.machine.markRequestAsSent(id, type, JSON.stringify(answer));
  }

  #ask(path: readonly string[], body: string): object {
    return this.#server.keys.answer({ user: this.#user, device: this.#device }, path, body);
  }

  #place(room: string, type: string, content: string, sender = this.#user): string {
    const event = { type, sender, origin_server_ts: Date.now() };
    const placed = this.#server.happen(room, { ...event, content: JSON.parse(content) as Record<string, unknown> });
    return placed.event.event_id;
  }
}

/** Whoever is given it keeps it. */
function trust(): library.DecryptionSettings {
  return new DecryptionSettings(TrustRequirement.Untrusted);
}
