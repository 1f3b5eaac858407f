/** Where a message can be sent: `channels_list`. */
import * as z from 'zod';
import { labelOf, readDirectory } from '../../../gateway/targets/channel-directory.ts';
import { type BridgeTool, bridgeTool, optionalText } from './bridge-tool.ts';
import { isOf, nameOf } from './conversations.ts';
import type { StoreAtHand } from './store-at-hand.ts';

interface Channel {
  readonly target: string;
  readonly platform: string;
  readonly name: string;
  readonly chat_type: string;
}

const maxChannels = 2000;

export function channelsTool(homePath: string, store: StoreAtHand): BridgeTool {
  return bridgeTool({
    name: 'channels_list',
    description:
      'Lists the chats that a message can be sent to, on every platform. The target of each is what messages_send takes.',
    parameters: z.object({ platform: optionalText('Only those of this platform (telegram, discord, slack …)') }),
    async run({ platform }) {
      const known = listed(homePath, platform);
      // Before the gateway has found out what there is, there are the chats that somebody has written in.
      const channels = (known ?? (await spokenIn(store, platform))).slice(0, maxChannels);
      return { count: channels.length, channels };
    },
  });
}

function listed(homePath: string, wanted: string | null): readonly Channel[] | undefined {
  const all = Object.entries(readDirectory(homePath).platforms);
  if (all.length === 0) return undefined;
  return all.flatMap(([platform, entries]) =>
    wanted && platform.toLowerCase() !== wanted.toLowerCase()
      ? []
      : entries.map((entry) => ({
          target: `${platform}:${entry.id}`,
          platform,
          name: labelOf(entry),
          chat_type: entry.type,
        })),
  );
}

async function spokenIn(store: StoreAtHand, wanted: string | null): Promise<readonly Channel[]> {
  const all = (await store.use(({ chatReading }) => chatReading.conversations())) ?? [];
  const byTarget = new Map<string, Channel>();
  for (const one of all) {
    if (one.chatId === null || one.platform === '' || !isOf(one, wanted)) continue;
    const target = `${one.platform}:${one.chatId}`;
    if (byTarget.has(target)) continue;
    byTarget.set(target, { target, platform: one.platform, name: nameOf(one), chat_type: one.chatType ?? '' });
  }
  return [...byTarget.values()];
}
