/** The client of Element's makers, in a thread of its own: it leaves timers behind that only the end of the thread ends. */
import { parentPort } from 'node:worker_threads';
import * as sdk from 'matrix-js-sdk';
import {
  type ShowSasCallbacks,
  VerificationPhase,
  type VerificationRequest,
} from 'matrix-js-sdk/lib/crypto-api/index.js';
import { VerifierEvent } from 'matrix-js-sdk/lib/crypto-api/verification.js';
import type { Asked, Heard } from './matrix-person.ts';

const nothing = (): void => undefined;
const silent: sdk.ICreateClientOpts['logger'] & object = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  getChild: () => silent,
};

const heard: Heard[] = [];
const unreadable = new Set<string>();
let client: sdk.MatrixClient | undefined;
let verification: VerificationRequest | undefined;
let shown: ShowSasCallbacks | undefined;

function connected(): sdk.MatrixClient {
  if (client === undefined) throw new Error('not logged in');
  return client;
}

function cryptoOf(): NonNullable<ReturnType<sdk.MatrixClient['getCrypto']>> {
  const crypto = connected().getCrypto();
  if (crypto === undefined) throw new Error('nothing is encrypted');
  return crypto;
}

const calls = {
  async start(baseUrl: string, user: string, password: string): Promise<string> {
    const login = await sdk.createClient({ baseUrl, logger: silent }).loginRequest({
      type: 'm.login.password',
      identifier: { type: 'm.id.user', user },
      password,
    });
    const { access_token: accessToken, device_id: deviceId, user_id: userId } = login;
    client = sdk.createClient({ baseUrl, logger: silent, accessToken, userId, deviceId });
    await client.initRustCrypto({ useIndexedDB: false });
    client.on(sdk.MatrixEventEvent.Decrypted, (event) => {
      const id = event.getId() ?? '';
      if (event.isDecryptionFailure()) return void unreadable.add(id);
      unreadable.delete(id);
      heard.push({ id, sender: event.getSender() ?? '', content: event.getContent() });
    });
    await client.startClient({ pollTimeout: 5000 });
    return deviceId;
  },
  async createRoom(invite: string): Promise<string> {
    const { room_id } = await connected().createRoom({
      is_direct: true,
      invite: [invite],
      preset: sdk.Preset.TrustedPrivateChat,
      initial_state: [{ type: 'm.room.encryption', state_key: '', content: { algorithm: 'm.megolm.v1.aes-sha2' } }],
    });
    return room_id;
  },
  membership: async (room: string, user: string): Promise<string | undefined> =>
    connected().getRoom(room)?.getMember(user)?.membership,
  async send(room: string, content: object): Promise<string> {
    return (await connected().sendMessage(room, content as never)).event_id;
  },
  async redact(room: string, event: string): Promise<void> {
    await connected().redactEvent(room, event);
  },
  async upload(bytes: Uint8Array): Promise<string> {
    const type = 'application/octet-stream';
    return (await connected().uploadContent(Buffer.from(bytes), { type })).content_uri;
  },
  async download(mxc: string): Promise<Uint8Array> {
    const url = connected().mxcUrlToHttp(mxc, undefined, undefined, undefined, false, true, true) ?? '';
    const headers = { authorization: `Bearer ${connected().getAccessToken()}` };
    return new Uint8Array(await (await fetch(url, { headers })).arrayBuffer());
  },
  /** The owner of the device has signed it. */
  async isSigned(user: string, device: string): Promise<boolean> {
    await connected().getCrypto()?.getUserDeviceInfo([user], true);
    const status = await connected().getCrypto()?.getDeviceVerificationStatus(user, device);
    return status?.signedByOwner === true;
  },
  /** Its own keys or somebody's signature of them; `here`: this device itself has compared. */
  async isVerified(user: string, device: string): Promise<'account' | 'here' | 'no'> {
    await cryptoOf().getUserDeviceInfo([user], true);
    const status = await cryptoOf().getDeviceVerificationStatus(user, device);
    if (status?.crossSigningVerified === true) return 'account';
    return status?.localVerified === true ? 'here' : 'no';
  },
  /** The account gets keys of its own. */
  async crossSign(user: string, password: string): Promise<void> {
    await cryptoOf().bootstrapCrossSigning({
      authUploadDeviceSigningKeys: async (upload) => {
        await upload({ type: 'm.login.password', identifier: { type: 'm.id.user', user }, password });
      },
    });
  },
  async verifyIn(room: string, user: string): Promise<void> {
    await cryptoOf().getUserDeviceInfo([user], true);
    verification = await cryptoOf().requestVerificationDM(user, room);
    shown = undefined;
  },
  async verifyDevice(user: string, device: string): Promise<void> {
    await cryptoOf().getUserDeviceInfo([user], true);
    verification = await cryptoOf().requestDeviceVerification(user, device);
    shown = undefined;
  },
  phase: async (): Promise<string> => VerificationPhase[verification?.phase ?? 0] ?? '',
  cancelCode: async (): Promise<string | null | undefined> => verification?.cancellationCode,
  /** Begins to compare; the signs come later. */
  async compare(): Promise<void> {
    const verifier = await verification?.startVerification('m.sas.v1');
    verifier?.on(VerifierEvent.ShowSas, (callbacks) => (shown = callbacks));
    verifier?.verify().catch(() => undefined);
  },
  signs: async (): Promise<string | undefined> =>
    shown?.sas.emoji?.map(([symbol, name]) => `${symbol} ${name}`).join(', '),
  async confirm(): Promise<void> {
    await shown?.confirm();
  },
  async mismatch(): Promise<void> {
    shown?.mismatch();
  },
  async cancel(): Promise<void> {
    await verification?.cancel();
  },
  heard: async (): Promise<readonly Heard[]> => heard,
  unreadable: async (): Promise<number> => unreadable.size,
};

export type Calls = typeof calls;

parentPort?.on('message', ({ id, name, args }: Asked) => {
  const call = calls[name] as (...given: readonly unknown[]) => Promise<unknown>;
  call(...args).then(
    (result) => parentPort?.postMessage({ id, result }, []),
    (error: unknown) => parentPort?.postMessage({ id, error: String(error) }, []),
  );
});
