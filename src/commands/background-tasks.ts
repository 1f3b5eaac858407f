/** What a person has the agent do beside the conversation (`/background`), as commands see it. */
import type { SubAgents } from '../runtime/delegation/sub-agents.ts';

export interface BackgroundTask {
  /** Also the id of its session, such as `bg_143005_1a2b3c`. */
  readonly id: string;
  /** From 1; absent where they are told apart by their ids alone. */
  readonly number?: number;
  readonly prompt: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The tool that runs; absent when none does, or that is not known. */
  readonly doing?: string;
}

/** Of one conversation, or of one terminal. */
export interface BackgroundTasks {
  /** Those at work, oldest first. */
  list(): readonly BackgroundTask[];
  /** Ends one; what it has said until then is its result. False when none of this id is at work. */
  end(id: string): boolean;
  /** Ends all; returns how many there were. */
  endAll(): number;
}

/** Everything that is at work for a conversation. */
export interface AtWork {
  readonly agents: SubAgents;
  readonly tasks: BackgroundTasks;
}

/** Where new ones can be started by this command. */
export interface StartedTasks extends BackgroundTasks {
  /** Throws `UserError` when too many are at work, or it cannot be written down. */
  start(prompt: string): BackgroundTask;
}
