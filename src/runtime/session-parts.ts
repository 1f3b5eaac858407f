/** What all sessions of a runtime are made from. */
import type { Tool } from '../agent/tool.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { ToolServices } from '../tools/services.ts';
import type { ModelAccess } from './model-access.ts';
import type { RuntimeOptions } from './runtime-options.ts';

export interface SessionParts extends RuntimeOptions {
  readonly models: ModelAccess;
  readonly route: ModelRoute;
  readonly store: SessionStore | undefined;
  readonly tools: readonly Tool<ToolServices>[];
}
