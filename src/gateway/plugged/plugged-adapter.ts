/** The adapter of a plug-in behind walls: each call has a deadline, what it throws is told in one line, what it gives is looked at. */
import * as z from 'zod';
import { errorMessage } from '../../lib/errors.ts';
import type { PluginPlatform } from '../../plugins/packages/plugin-platform.ts';
import type { MessageEdits, PlatformAdapter, Prompts, Typing } from '../platform/adapter.ts';
import type { AdapterHost } from '../platform/adapter-host.ts';
import { pluggedFiles } from './plugged-files.ts';
import { pluggedHost } from './plugged-host.ts';
import { PluggedPart } from './plugged-part.ts';
import { oneLine, platformError } from './plugged-error.ts';

const connectMs = 30_000;
const disconnectMs = 5000;
const askMs = 30_000;

const address = z.looseObject({ chatId: z.string(), threadId: z.string().nullable().default(null) });
const info = z.looseObject({ name: z.string(), type: z.string() });
const channels = z
  .array(
    z.object({
      id: z.string(),
      name: z.string(),
      type: z.string(),
      guild: z.string().exactOptional(),
      threadId: z.string().exactOptional(),
    }),
  )
  .max(10_000);

/** Throws where it makes none, or one that lacks what every adapter has. */
export function pluggedAdapter({ name, label, adapter_factory }: PluginPlatform, given: AdapterHost): PlatformAdapter {
  const { host, open, close } = pluggedHost(name, given);
  const made: unknown = adapter_factory(host);
  const adapter = new PluggedPart(made, label);
  for (const method of ['connect', 'disconnect', 'send']) {
    if (!adapter.can(method)) throw new TypeError(`the adapter of ${label} has no ${method}`);
  }
  return {
    async connect(signal) {
      open();
      try {
        await adapter.begin('connect', [], signal, connectMs);
      } catch (error) {
        close();
        signal.throwIfAborted();
        throw platformError(name, error);
      }
    },
    async disconnect() {
      close();
      try {
        await adapter.ask('disconnect', [], undefined, disconnectMs);
      } catch (error) {
        given.log.warning(`${label} could not be ended: ${errorMessage(error)}`, error);
      }
    },
    send: async (message, signal) => await adapter.send('send', [message], signal),
    async chatInfo(chatId, signal) {
      if (!adapter.can('chatInfo')) return undefined;
      return info
        .optional()
        .catch(undefined)
        .parse(await adapter.ask('chatInfo', [chatId], signal, askMs));
    },
    ...(adapter.can('account') ? { account: async (signal) => await accountOf(adapter, name, signal) } : {}),
    ...(adapter.can('channels')
      ? { channels: async (signal) => channels.parse(await adapter.ask('channels', [], signal, askMs)) }
      : {}),
    ...(adapter.can('showCommands')
      ? {
          showCommands: async (commands, signal) => void (await adapter.ask('showCommands', [commands], signal, askMs)),
        }
      : {}),
    ...partsOf(adapter),
  };
}

async function accountOf(adapter: PluggedPart, name: string, signal: AbortSignal): Promise<string> {
  try {
    return oneLine(z.string().parse(await adapter.ask('account', [], signal, askMs)));
  } catch (error) {
    signal.throwIfAborted();
    throw platformError(name, error);
  }
}

function partsOf(adapter: PluggedPart): Omit<PlatformAdapter, 'connect' | 'disconnect' | 'send' | 'chatInfo'> {
  const [edits, drafts, files, typing, reactions, prompts, threads] = [
    'edits',
    'drafts',
    'files',
    'typing',
    'reactions',
    'prompts',
    'threads',
  ].map((part) => adapter.part(part));
  return {
    ...(edits === undefined ? {} : { edits: editsOf(edits) }),
    ...(drafts === undefined
      ? {}
      : {
          drafts: {
            supports: (to) => drafts.now('supports', [to]) === true,
            show: async (to, draftId, text, signal) => await drafts.send('show', [to, draftId, text], signal),
          },
        }),
    ...(files === undefined ? {} : { files: pluggedFiles(files) }),
    ...(typing === undefined ? {} : { typing: typingOf(typing) }),
    ...(reactions === undefined
      ? {}
      : {
          reactions: {
            set: async (to, id, emoji, signal) => void (await reactions.ask('set', [to, id, emoji], signal, askMs)),
          },
        }),
    ...(prompts === undefined ? {} : { prompts: promptsOf(prompts) }),
    ...(threads === undefined
      ? {}
      : {
          threads: {
            create: async (chatId, title, signal) =>
              address
                .optional()
                .catch(undefined)
                .parse(await threads.ask('create', [chatId, title], signal, askMs)),
          },
        }),
  };
}

function editsOf(edits: PluggedPart): MessageEdits {
  return {
    edit: async (id, message, final, signal) => await edits.send('edit', [id, message, final], signal),
    ...(edits.can('remove') ? { remove: async (to, id, signal) => await edits.send('remove', [to, id], signal) } : {}),
  };
}

function typingOf(typing: PluggedPart): Typing {
  return {
    everyMs: z.number().min(500).max(60_000).catch(4000).parse(typing.field('everyMs')),
    show: async (to, signal) => void (await typing.ask('show', [to], signal, askMs)),
    ...(typing.can('hide') ? { hide: async (to, signal) => void (await typing.ask('hide', [to], signal, askMs)) } : {}),
  };
}

function promptsOf(prompts: PluggedPart): Prompts {
  return {
    maxOptions: z.int().min(1).max(100).catch(8).parse(prompts.field('maxOptions')),
    show: async (prompt, signal) => await prompts.send('show', [prompt], signal),
    close: async (prompt, id, outcome, signal) =>
      void (await prompts.ask('close', [prompt, id, outcome], signal, askMs)),
  };
}
