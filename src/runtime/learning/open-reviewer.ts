/** The reviewer of one session: what it may see, use and spend of the conversation it looks back on. */
import type { Conversation } from '../../agent/conversation.ts';
import type { Policy } from '../../agent/policy.ts';
import type { EphemeralLayers } from '../../agent/turn-request.ts';
import type { SideLadders } from '../../llm/side-task.ts';
import type { Source } from '../../llm/source.ts';
import { isAskedOfMain } from '../../providers/asked-of-main.ts';
import type { ToolServices } from '../../tools/services.ts';
import { runSettings } from '../run-settings.ts';
import type { SessionBooks } from '../session-books.ts';
import type { SessionParts } from '../session-parts.ts';
import { runBeside, type SideRunPorts } from '../side-run.ts';
import { Reviewer } from './review.ts';

export interface OpenReviewerOptions {
  readonly parts: Pick<SessionParts, 'config' | 'models' | 'tools'>;
  readonly agent: () => Conversation<ToolServices>;
  /** What has entered the conversation. */
  readonly sources: () => readonly Source[];
  /** Told what the look back has read besides, and nothing once it is over. Must not throw. */
  readonly entered: (sources: readonly Source[]) => void;
  readonly ephemeral: () => EphemeralLayers;
  readonly side: SideLadders;
  readonly books: SessionBooks;
  readonly policy: Policy;
  /** Those of the session, with writes marked as the agent's own. */
  readonly services: ToolServices;
  /** Told in one line what was written. Must not throw. */
  readonly tell: (line: string) => void;
}

export function openReviewer(options: OpenReviewerOptions): Reviewer {
  const { parts, agent, sources, entered, ephemeral, side, books, policy, services, tell } = options;
  const { config } = parts.config;
  const ports: SideRunPorts = {
    ladders: side,
    settings: runSettings(parts.config),
    books,
    sessionId: () => agent().sessionId,
    entered,
    main: () => ({ route: agent().route, reasoningEffort: agent().settings.reasoningEffort }),
  };
  return new Reviewer({
    run: (run, signal) => runBeside(ports, run, signal),
    conversation() {
      const { toolbox, systemPrompt = '', tokens } = agent();
      return {
        systemPrompt: () => Promise.resolve(systemPrompt),
        ephemeral,
        sources: sources(),
        tokens: tokens.last_prompt_tokens,
        // Only what the conversation really has: a tool that is not available there is none to look back with.
        tools: { list: toolbox?.tools ?? parts.tools, services, policy, ...(toolbox === undefined ? {} : { toolbox }) },
      };
    },
    sameModel: isAskedOfMain('background_review', config.auxiliary.background_review, parts.models.sources),
    intervals: { memory: config.memory.nudge_interval, skills: config.skills.creation_nudge_interval },
    hasRoom: (tokens) => books.hasRoomBeside(tokens, agent().tokens.total_tokens),
    notice: config.display.memory_notifications,
    tell,
  });
}
