/** What a slash command is, and what a surface offers it. */
import type { Change } from '../config/edit.ts';
import type { Env } from '../config/home.ts';
import type { Content } from '../llm/message.ts';
import type { Session } from '../runtime/runtime.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { SessionRow } from '../sessions/sessions.ts';

/** Display switches of a surface; a change holds until the surface ends. */
export interface SurfaceSettings {
  toolProgress: 'off' | 'new' | 'all' | 'verbose';
  busyMode: 'interrupt' | 'queue' | 'steer';
  showReasoning: boolean;
  statusBar: boolean;
}

/** What a command may do. Every surface implements it in its own way. */
export interface CommandContext {
  readonly session: Session;
  /** Undefined when the conversation is not saved. */
  readonly store: SessionStore | undefined;
  /** Tag of sessions that begin here. */
  readonly source: string;
  readonly settings: SurfaceSettings;
  /** What can be typed here. */
  readonly commands: readonly SlashCommand[];
  readonly about: {
    readonly version: string;
    readonly profile: string;
    readonly homePath: string;
    readonly cwd: string;
    readonly startedAt: number;
    /** Real paths and the environment, on surfaces of the user's own machine. */
    readonly places?: { readonly homePath: string; readonly cwd: string; readonly env: Env };
  };
  /** Plain text for the user; Markdown is not rendered. */
  readonly print: (text: string) => void;
  /** Asks before something is lost: once, always (remembered in the configuration), or no. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Ends the current session with `reason` and goes on in another one, a new one unless it is named; returns that. */
  readonly switchSession: (next: { readonly resume?: SessionRow }, reason: string) => Promise<Session>;
  /** Sends a message as if the user had typed it, after the command is done. */
  readonly send: (message: Content) => void;
  readonly clearScreen: () => void;
  readonly redraw: () => void;
  readonly copy: (text: string) => void;
  /** The text of `hermes config show`. */
  readonly configReport: () => Promise<string>;
  /** Saves one file below the home; returns its path. */
  readonly saveFile: (relativePath: string, text: string) => Promise<string>;
  /** Writes keys of config.yaml in one step. Throws `UserError` when a key is pinned or the file is broken. */
  readonly saveSettings: (changes: readonly Change[]) => Promise<void>;
  readonly quit: () => void;
}

/** In the order in which `/help` shows them. */
export const commandCategories = ['Session', 'Configuration', 'Tools & Skills', 'Info', 'Exit'] as const;

export type CommandCategory = (typeof commandCategories)[number];

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly category: CommandCategory;
  readonly description: string;
  /** Shown after the name, such as `[title]`. */
  readonly argumentHint?: string;
  /** Values of the first argument, for completion. */
  readonly values?: readonly string[];
  readonly surface: 'both' | 'cli' | 'gateway';
  /** May run while a turn is under way. */
  readonly whileBusy: boolean;
  /** `args` is what stands after the name, trimmed. Throws `UserError` for what the user can mend. */
  run(context: CommandContext, args: string): Promise<void> | void;
}

/** Takes `now`, `--yes` and `-y` out of the arguments of a command that asks before it acts. */
export function takeYes(args: string): { readonly yes: boolean; readonly rest: string } {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const rest = words.filter((word) => !['now', '--yes', '-y'].includes(word.toLowerCase()));
  return { yes: rest.length < words.length, rest: rest.join(' ') };
}
