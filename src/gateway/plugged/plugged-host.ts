/** What an adapter of a plug-in is given: as any other, and what it hands over is looked at. */
import * as z from 'zod';
import type { AdapterHost } from '../platform/adapter-host.ts';
import { messageEvent } from '../platform/message-event.ts';
import { platformError } from './plugged-error.ts';

const chatId = z.union([z.string().min(1), z.number().transform(String)]);
const thread = z.object({ chatId, threadId: z.string().nullable() });
const handed = z.looseObject({ source: z.looseObject({}) });

export interface PluggedHost {
  readonly host: AdapterHost;
  /** Nothing is accepted any more. */
  readonly close: () => void;
  readonly open: () => void;
}

/** `name` of the platform stands in all that comes from it. */
export function pluggedHost(name: string, host: AdapterHost): PluggedHost {
  let isClosed = true;
  let hasFailed = false;
  return {
    open: () => void (isClosed = false),
    close: () => void (isClosed = true),
    host: {
      config: host.config,
      log: host.log,
      clock: host.clock,
      network: host.network,
      fetchOutside: host.fetchOutside,
      notes: host.notes,
      folder: () => host.folder(),
      async accept(given: unknown) {
        if (isClosed) return 'ignored';
        const { source, ...rest } = handed.parse(given);
        const usual = { message_type: 'text', message_id: null, timestamp: host.clock.now(), attachments: [] };
        const event = messageEvent.parse({ ...usual, ...rest, source: { ...source, platform: name } });
        // Who is let in, and what counts as the program's own words, is not for a plug-in to say.
        const { authorized: _, internal: _own, sources: _from, rewritten_by: _by, ...plain } = event;
        return await host.accept(plain);
      },
      async moved(from: unknown, to: unknown) {
        await host.moved(chatId.parse(from), chatId.parse(to));
      },
      threadGone: (to: unknown) => host.threadGone(thread.parse(to)),
      async press(press) {
        if (isClosed) return { as: 'stale' };
        return await host.press({ ...press, source: { ...press.source, platform: name } });
      },
      isAuthorized: async (source) => await host.isAuthorized({ ...source, platform: name }),
      failed(error) {
        if (hasFailed) return;
        hasFailed = true;
        host.failed(platformError(name, error));
      },
      lock: async (scope, identity) => await host.lock(scope, identity),
    },
  };
}
