/** A gateway on a home of its own, with a fake chat service before it and a fake model behind it. */
import type { TestContext } from 'node:test';
import { Gateway, type GatewayCommands, type GatewayOptions } from '../../src/gateway/gateway.ts';
import type { Program } from '../../src/runtime/program.ts';
import { noHooks } from '../../src/gateway/hooks/gateway-hooks.ts';
import { placeFor, type Place } from '../runtime/support.ts';
import { ChatService } from './chat-service.ts';

export { noHooks };

export const noCommands: GatewayCommands = {
  menu: () => Promise.resolve([]),
  run: () => Promise.resolve(false),
  immediate: () => Promise.resolve(false),
};

export interface Opened {
  readonly gateway: Gateway;
  readonly fake: ChatService;
  readonly place: Place;
  /** Ends it as a graceful stop does. */
  readonly close: () => Promise<void>;
}

export interface OpenOptions extends Partial<Omit<GatewayOptions, 'program'>> {
  readonly config?: string;
  readonly fake?: ChatService;
  readonly place?: Place;
  readonly chatMoved?: GatewayOptions['services']['moved'];
  /** What is to be made of the program first. */
  readonly media?: (program: Program) => Partial<GatewayOptions>;
}

export async function openGateway(
  t: TestContext,
  server: { readonly url: string },
  {
    config = '',
    fake = new ChatService(),
    place = placeFor(t, server, config),
    media,
    chatMoved = () => Promise.resolve(),
    ...options
  }: OpenOptions = {},
): Promise<Opened> {
  const program = await place.open();
  const gateway = Gateway.open({
    program,
    platforms: [{ platform: fake.platform, config: fake.config }],
    authorization: {
      admit: () => Promise.resolve({ as: 'allowed' }),
      mayRun: () => true,
      tierOf: () => ({ tier: 'unrestricted' }),
    },
    commands: noCommands,
    hooks: noHooks,
    services: {
      network: {},
      fetchOutside: fetch,
      notes: () => ({ get: () => Promise.resolve(undefined), set: () => Promise.resolve() }),
      folder: () => Promise.resolve(place.work),
      lock: () => Promise.resolve(),
      unlock: () => Promise.resolve(),
      moved: chatMoved,
    },
    receive: () => Promise.resolve([]),
    takeFiles: (text) => ({ text, files: [] }),
    takePictures: (text) => Promise.resolve({ text, files: [] }),
    onStatus: () => undefined,
    ...media?.(program),
    ...options,
  });
  await gateway.start();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    closed ??= gateway.close().then(() => program.close());
    await closed;
  };
  t.after(close);
  return { gateway, fake, place, close };
}
