/** Writes into a chat for another agent: `messages_send`. */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import type { CliContext } from '../../command.ts';
import { type BridgeTool, bridgeTool } from './bridge-tool.ts';

/** More would be hundreds of messages. */
const maxChars = 200_000;

export function sendTool(context: CliContext): BridgeTool {
  return bridgeTool({
    name: 'messages_send',
    description:
      'Sends a text to a chat. The target is "platform:chat", as in channels_list, or has a name in the place of the chat: "telegram:6308981865", "discord:#general". Files cannot be sent.',
    parameters: z.object({
      target: z.string().describe('Where to: platform:chat, or platform:name'),
      message: z.string().describe('The text'),
    }),
    async run({ target, message }) {
      if (target.trim() === '' || message.trim() === '') throw new UserError('Both target and message are required');
      if (message.length > maxChars) throw new UserError(`The message has more than ${maxChars} characters.`);
      const { sendTo } = await import('../../send/send.ts');
      // The words of another agent: whoever answers in that chat must know that they are not the person's.
      const text = { text: message, sources: [{ from: 'program' as const, name: 'mcp' }] };
      return await sendTo(context, target, text, { files: 'refused' });
    },
  });
}
