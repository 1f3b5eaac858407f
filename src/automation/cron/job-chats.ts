/** How the results of jobs reach chats. No platform is known here. */
import type { Source } from '../../llm/source.ts';

export interface JobAddress {
  readonly platform: string;
  readonly chatId: string;
  readonly threadId: string | null;
}

export interface JobMessage {
  /** The same for the same run and chat, so that it is sent once. */
  readonly id: string;
  readonly jobId: string;
  /** Markdown; it may name files to be sent with it. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Given where whoever answers the result is to be understood. */
  readonly continued?: ContinuedResult;
}

/** What stands of a result in the conversation of its chat. */
export interface ContinuedResult {
  /** Name of the job. */
  readonly name: string;
  /** Without header and footer; it may name files. */
  readonly text: string;
  readonly sources: readonly Source[];
  /** Whose conversation is meant, where each member of a chat has their own; null where it is shared. */
  readonly userId: string | null;
}

export interface JobChats {
  /** True for a chat platform; jobs can come from elsewhere too. */
  knows(platform: string): boolean;
  /** Names of the platforms that have a home chat. */
  homes(): readonly string[];
  /** `platform`: its home chat; `platform:chat`, `platform:chat:thread`, `platform:name`. Throws `UserError`. */
  find(written: string): JobAddress;
  /** Resolves when it was sent, or is written down to be sent. Rejects with the reason. */
  send(to: JobAddress, message: JobMessage): Promise<void>;
}
