/** The sub-agents of a conversation, as a surface sees them. */
import type { TurnInput } from '../../agent/agent.ts';
import type { SubAgentRole } from '../../tools/delegation/delegation.ts';

/** One at work. */
export interface SubAgent {
  /** Such as `sa-0-1a2b3c4d`. */
  readonly id: string;
  /** The call that it belongs to, such as `deleg_1a2b3c4d`. */
  readonly delegationId: string;
  /** Its place in the call, from 0, and how many there are. */
  readonly index: number;
  readonly count: number;
  /** 1: works for the conversation itself; 2: for one of its sub-agents. */
  readonly depth: number;
  readonly goal: string;
  readonly role: SubAgentRole;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Nobody waits for it. */
  readonly inBackground: boolean;
  /** The tool that runs; empty when it thinks. */
  readonly doing: string;
  readonly toolCalls: number;
  readonly tokens: number;
  /** Of the requests whose price is known. */
  readonly usd: number;
}

export type SubAgentEvent =
  | { readonly type: 'subagent_started'; readonly agent: SubAgent }
  | { readonly type: 'subagent_thought'; readonly agent: SubAgent; readonly text: string }
  | {
      readonly type: 'subagent_tool';
      readonly agent: SubAgent;
      readonly name: string;
      readonly emoji: string;
      readonly preview: string;
    }
  | {
      readonly type: 'subagent_finished';
      readonly agent: SubAgent;
      readonly status: ResultStatus;
      readonly seconds: number;
      /** Files that it changed, absolute. */
      readonly changed: readonly string[];
    }
  /** What was done in the background is written down, and can be taken with `due`. */
  | { readonly type: 'results_due' };

export type ResultStatus = 'completed' | 'failed' | 'interrupted' | 'timeout' | 'error';

/** Results that are to be brought into the conversation: claimed, so that nobody else does. */
export interface DueResults {
  readonly delegationId: string;
  /** Becomes a message; its platform id tells it from every other one. */
  readonly input: TurnInput;
  /** It is in the conversation, or somewhere from where it surely comes there. */
  delivered(): Promise<void>;
  /** It could not be brought; it is due again. */
  release(): Promise<void>;
}

/** What a surface may do about them. */
export interface SubAgents {
  /** No new ones may be started, by those at work neither. */
  paused: boolean;
  /** Those at work, with those that work for them, oldest first. */
  list(): readonly SubAgent[];
  /** Ends one by its id, or all of a call by the id of that; false when there is none. */
  end(id: string): boolean;
  /** Ends all of them; returns how many there were. */
  endAll(): number;
  /** It reads the text before its next request, as the user's; false when none of this id works. */
  steer(id: string, text: string): boolean;
  /** Hears what they do until the returned function is called. A listener must not throw. */
  listen(listener: (event: SubAgentEvent) => void): () => void;
  /** Results that are to be brought into this conversation, oldest first; also those that an earlier process left. */
  due(): Promise<readonly DueResults[]>;
}
