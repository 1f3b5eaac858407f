/** What the chat is opened with, and how it ends. */
import type { About, Confirms, TerminalSettings } from '../../commands/command.ts';
import type { GatewayDoor } from '../../commands/gateway-door.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionSpec } from '../../runtime/session-spec.ts';
import type { CommandPaths } from '../../safety/commands/paths.ts';
import type { ChatLooks } from '../skins/chat-looks.ts';
import type { InputHistory } from './input-history.ts';
import type { Pastes } from './pastes.ts';
import type { RecapLimits } from './recap.ts';

export interface ChatOptions {
  readonly program: Program;
  /** Of the first session; later ones are like it, without what it resumes and its preloaded skills. */
  readonly spec: Omit<SessionSpec, 'human'>;
  readonly looks: ChatLooks;
  readonly settings: TerminalSettings;
  readonly about: About;
  readonly view: ViewSettings;
  /** What commands are judged against. */
  readonly commandPaths: CommandPaths;
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  /** Whether commands ask first. */
  readonly confirms: Confirms;
  readonly history: InputHistory;
  readonly pastes: Pastes;
  readonly process: ChatProcess;
  readonly outside: OutsideChat;
}

/** What commands reach beside the conversation. */
export interface OutsideChat {
  /** Below the home. Resolves to how its path is shown. */
  readonly saveFile: (relativePath: string, text: string) => Promise<string>;
  /** This program once more, with these words. Resolves to what it wrote. */
  readonly runProgram: (words: readonly string[]) => Promise<string>;
  readonly gateway: GatewayDoor;
}

/** What the environment says of the process. */
export interface ChatProcess {
  /** What `VISUAL` and `EDITOR` name, in this order. */
  readonly editors: readonly string[];
  /** `HERMES_EXIT_WATCHDOG_S` */
  readonly exitSeconds: number;
}

/** What `display` says of the looks. */
export interface ViewSettings {
  readonly previewChars: number;
  /** `display.streaming` */
  readonly streaming: boolean;
  /** `display.final_response_markdown` */
  readonly markdown: 'render' | 'strip' | 'raw';
  /** `display.turn_completion_explainer` */
  readonly explains: boolean;
  /** `display.user_message_preview` */
  readonly echo: { readonly first: number; readonly last: number };
  /** `display.persist_prompts` */
  readonly persistPrompts: boolean;
  /** `display.persistent_output…`: lines that are drawn again when the window changes. */
  readonly redrawLines: number;
  /** `display.cli_refresh_interval` */
  readonly refreshSeconds: number;
  /** The terminal breaks its lines anew when it gets narrower. */
  readonly reflows: boolean;
  /** `HERMES_SPINNER_PAUSE` */
  readonly still: boolean;
  /** The terminal is asked for its background; false where it is known, or there are no colours. */
  readonly askBackground: boolean;
  /** Line by line, without a drawn screen. */
  readonly plain: boolean;
  /** `HERMES_DEFER_AGENT_STARTUP`: the prompt is there before the agent is. */
  readonly deferAgent: boolean;
  /** `display.personality`, for conversations that begin without a text of their own. */
  readonly personality: string;
  /** `display.compact` */
  readonly compact: boolean;
  /** `display.resume_display: minimal` */
  readonly shortRecap: boolean;
  /** `display.resume_…` */
  readonly recap: RecapLimits;
  /** `display.inline_diffs` */
  readonly inlineDiffs: boolean;
  readonly bellOnComplete: boolean;
  readonly showCost: boolean;
  /** The user's names of models, by id. */
  readonly modelNames: ReadonlyMap<string, string>;
  /** `limits.session_usd`; undefined = none. */
  readonly sessionLimit: number | undefined;
}

export interface ChatEnd {
  readonly exitCode: number;
  /** To print after the screen was given back. */
  readonly lines: readonly string[];
}
