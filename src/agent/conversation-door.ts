/** What code of the owner, such as a plug-in, may do with a conversation beside the model. */
import type { JsonObject } from '../lib/json.ts';
import type { SideModels } from '../llm/side-task.ts';
import type { Source } from '../llm/source.ts';
import type { InnerResult } from './tool.ts';

export interface ConversationDoor {
  readonly sessionId: string;
  /**
   * Runs a tool of the conversation as a call of the model would run: judged, asked about, heard of by hooks, written down.
   * Never rejects: what goes wrong is the result. Nothing of it enters the conversation by itself, but where its text comes
   * from counts from then on.
   */
  callTool(call: BesideCall): Promise<InnerResult>;
  /** They count in the books and under the caps of the conversation. */
  readonly models: SideModels;
}

export interface BesideCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Who wants it. */
  readonly sources: readonly Source[];
  readonly signal: AbortSignal;
}
