/** The client of Element's makers, in a thread of its own: it leaves timers behind that only the end of the thread ends. */
import { parentPort } from 'node:worker_threads';
import * as sdk from 'matrix-js-sdk';
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

function connected(): sdk.MatrixClient {
  if (client === undefined) throw new Error('not logged in');
  return client;
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
