/** What one session is made from: the program, and what its spec came to. */
import type { Hooks } from '../agent/hooks.ts';
import type { Tool } from '../agent/tool.ts';
import type { Home } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Log } from '../lib/log.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { BrowserSlots } from '../tools/browser/browser-slots.ts';
import type { FileWrites } from '../tools/file/file-writes.ts';
import type { ToolServices } from '../tools/services.ts';
import type { CommandScanner } from '../tools/terminal/tirith/scanner.ts';
import type { ServerToolChoice } from './choose-server-tools.ts';
import type { Findings } from './findings.ts';
import type { ModelAccess } from './model-access.ts';
import type { ProgramPlugins } from './program-plugins.ts';
import type { ProgramServers } from './program-servers.ts';
import type { PromptSpec } from './session-spec.ts';

export interface SessionParts {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: LoadedConfig;
  readonly cwd: string;
  readonly surface: string;
  /** The scheduled job that it works for. */
  readonly jobId?: string;
  /** The process stays for more than one question: what takes a while in the background will be of use. */
  readonly longLived?: boolean;
  readonly models: ModelAccess;
  readonly store: SessionStore | undefined;
  readonly log: Log;
  readonly hooks: Hooks;
  /** Absent: there are none. */
  readonly plugins?: ProgramPlugins;
  readonly tools: readonly Tool<ToolServices>[];
  readonly route: ModelRoute;
  readonly prompt: PromptSpec;
  /** The route is an agent of its own. */
  readonly elsewhere?: boolean;
  /** Absent for a session that is alone in its process. */
  readonly fileWrites?: FileWrites;
  /** Absent for a session that is alone in its process. */
  readonly browsers?: BrowserSlots;
  /** Absent for a session that is alone in its process. */
  readonly findings?: Findings;
  /** Absent: commands are not scanned. */
  readonly scanner?: CommandScanner;
  /** MCP servers, and which of their tools the session has. Absent: none. */
  readonly servers?: { readonly all: ProgramServers; readonly choice: ServerToolChoice };
}
