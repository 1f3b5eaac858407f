/** Calls that wait for somebody's yes in a chat: `permissions_list_open` and `permissions_respond`. */
import * as z from 'zod';
import { handOver } from '../../../gateway/targets/handed-over.ts';
import { UserError } from '../../../lib/errors.ts';
import { type BridgeTool, bridgeTool } from './bridge-tool.ts';
import type { ChatWatcher } from './chat-watcher.ts';

const decisions: ReadonlySet<string> = new Set(['allow-once', 'allow-always', 'deny']);

export function permissionTools(homePath: string, watcher: ChatWatcher): readonly BridgeTool[] {
  return [
    bridgeTool({
      name: 'permissions_list_open',
      description:
        'Lists the calls of the agent that wait for a yes of the person in a chat, as far as this server has seen them since it started.',
      parameters: z.object({}),
      async run() {
        await watcher.look();
        return { count: watcher.approvals.length, approvals: watcher.approvals };
      },
    }),
    bridgeTool({
      name: 'permissions_respond',
      description:
        'Answers a call that waits for a yes. A "deny" is carried out; to allow something is up to the person who was asked, in the chat.',
      parameters: z.object({
        id: z.string().describe('The id, from permissions_list_open'),
        decision: z.string().describe('"allow-once", "allow-always" or "deny"'),
      }),
      async run({ id, decision }) {
        if (!decisions.has(decision)) {
          throw new UserError(`Invalid decision: ${decision.slice(0, 100)}. Must be allow-once, allow-always, or deny`);
        }
        await watcher.look();
        const open = watcher.approvals.find((one) => one.id === id);
        if (open === undefined) throw new UserError(`Approval not found: ${id.slice(0, 100)}`);
        // A yes is bound to the person it was asked of, who sees what is asked and why; another program is not that person.
        if (decision !== 'deny') {
          throw new UserError(`Only the person who was asked can allow it, in the chat on ${open.platform}.`);
        }
        watcher.settled(id, decision);
        const problem = await denied(homePath, id);
        if (problem === undefined) return { resolved: true, approval_id: id, decision };
        watcher.settled(id, undefined);
        throw new UserError(problem);
      },
    }),
  ];
}

/** Why not; undefined when it is. */
async function denied(homePath: string, id: string): Promise<string | undefined> {
  const outcome = await handOver(homePath, { deny: id });
  if (outcome === undefined) return 'The gateway did not take the answer; it may have ended.';
  return outcome.result.ok ? undefined : outcome.result.error;
}
