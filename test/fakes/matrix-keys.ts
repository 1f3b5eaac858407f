/** The keys that a homeserver keeps for its users' devices, and what devices say to each other, in the real wire format. */

export interface Device {
  readonly user: string;
  readonly device: string;
}

export interface ToDeviceEvent {
  readonly type: string;
  readonly sender: string;
  readonly content: Record<string, unknown>;
}

interface Signed {
  readonly signatures?: Record<string, Record<string, string>>;
}

type ByUser<T> = Record<string, Record<string, T>>;
type Identity = Record<'master_key' | 'self_signing_key' | 'user_signing_key', Signed & { keys: object }>;

export class MatrixKeys {
  readonly #devices = new Map<string, Map<string, Signed>>();
  readonly #oneTime = new Map<string, [string, object][]>();
  readonly #identities = new Map<string, Identity>();
  readonly #deliver: (to: Device, event: ToDeviceEvent) => void;

  constructor(deliver: (to: Device, event: ToDeviceEvent) => void) {
    this.#deliver = deliver;
  }

  /** `path` behind `/client/v3/`. */
  answer(from: Device, path: readonly string[], body: string): object {
    const given: unknown = JSON.parse(body || '{}');
    if (path[0] === 'sendToDevice') return this.#send(from, path[1] ?? '', given as { messages: ByUser<object> });
    switch (path.slice(1).join('/')) {
      case 'upload':
        return this.#upload(from, given as { device_keys?: Signed; one_time_keys?: Record<string, object> });
      case 'query':
        return this.#query(from, Object.keys((given as { device_keys: object }).device_keys));
      case 'claim':
        return { one_time_keys: this.#claim((given as { one_time_keys: ByUser<string> }).one_time_keys), failures: {} };
      case 'device_signing/upload':
        this.#identities.set(from.user, given as Identity);
        return {};
      case 'signatures/upload':
        this.#sign(given as ByUser<Signed>);
        return { failures: {} };
      default:
        throw new Error(`nothing is known of ${path.join('/')}`);
    }
  }

  #send({ user: sender }: Device, type: string, { messages }: { readonly messages: ByUser<object> }): object {
    for (const [user, devices] of Object.entries(messages))
      for (const [name, content] of Object.entries(devices))
        for (const device of name === '*' ? (this.#devices.get(user)?.keys() ?? []) : [name])
          this.#deliver({ user, device }, { type, sender, content: content as Record<string, unknown> });
    return {};
  }

  #upload({ user, device }: Device, given: { device_keys?: Signed; one_time_keys?: Record<string, object> }): object {
    if (given.device_keys !== undefined) {
      const devices = this.#devices.get(user) ?? new Map<string, Signed>();
      this.#devices.set(user, devices.set(device, given.device_keys));
    }
    const key = `${user} ${device}`;
    const oneTime = [...(this.#oneTime.get(key) ?? []), ...Object.entries(given.one_time_keys ?? {})];
    this.#oneTime.set(key, oneTime);
    return { one_time_key_counts: { signed_curve25519: Math.max(50, oneTime.length) } };
  }

  #query({ user: asking }: Device, users: readonly string[]): object {
    const identities = users.flatMap((user) => {
      const identity = this.#identities.get(user);
      return identity === undefined ? [] : [{ user, identity }];
    });
    const keysOf = (name: keyof Identity) =>
      Object.fromEntries(identities.map(({ user, identity }) => [user, identity[name]]));
    const own = identities.filter(({ user }) => user === asking);
    return {
      device_keys: Object.fromEntries(users.map((user) => [user, Object.fromEntries(this.#devices.get(user) ?? [])])),
      master_keys: keysOf('master_key'),
      self_signing_keys: keysOf('self_signing_key'),
      user_signing_keys: Object.fromEntries(own.map(({ user, identity }) => [user, identity.user_signing_key])),
      failures: {},
    };
  }

  #claim(wanted: ByUser<string>): object {
    const taken = (user: string, device: string) => {
      const [key] = this.#oneTime.get(`${user} ${device}`)?.splice(0, 1) ?? [];
      return key === undefined ? {} : Object.fromEntries([key]);
    };
    return Object.fromEntries(
      Object.entries(wanted).map(([user, devices]) => [
        user,
        Object.fromEntries(Object.keys(devices).map((device) => [device, taken(user, device)])),
      ]),
    );
  }

  /** Signatures are added to what is signed: a device, or the first key of an account. */
  #sign(signed: ByUser<Signed>): void {
    for (const [user, things] of Object.entries(signed))
      for (const [name, { signatures }] of Object.entries(things)) {
        const device = this.#devices.get(user)?.get(name);
        const identity = this.#identities.get(user);
        if (device !== undefined) this.#devices.get(user)?.set(name, withSignatures(device, signatures));
        else if (identity !== undefined)
          this.#identities.set(user, { ...identity, master_key: withSignatures(identity.master_key, signatures) });
      }
  }
}

function withSignatures<T extends Signed>(signed: T, more: Signed['signatures']): T {
  const signatures = { ...signed.signatures };
  for (const [user, added] of Object.entries(more ?? {})) signatures[user] = { ...signatures[user], ...added };
  return { ...signed, signatures };
}
