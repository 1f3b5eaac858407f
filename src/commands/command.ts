/** What a slash command is, and what a surface offers it. */
import type { Change } from '../config/edit.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { Session } from '../runtime/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { SessionRow } from '../sessions/sessions.ts';
import type { BusyMode, Worker } from '../worker/worker.ts';
import type { AtWork, BackgroundTasks, StartedTasks } from './background-tasks.ts';
import type { Complete } from './complete.ts';
import type { Looks, RealPaths } from './own-machine.ts';
import type { Picked, PickList } from './pick.ts';
import type { Allowed } from './settings/permission-list.ts';
import type { VoiceWord } from './voice-word.ts';
import type { GatewayDoor } from './gateway-door.ts';
import type { KeyBinding } from './keys.ts';

/** Display switches of a surface; a change holds until the surface ends. */
export interface SurfaceSettings {
  toolProgress: 'off' | 'new' | 'all' | 'verbose';
  busyMode: BusyMode;
  showReasoning: boolean;
  /** All of it, where it is shown after the fact. */
  fullReasoning: boolean;
  statusBar: boolean;
  /** Times beside what was said, as `timestampFormat` (of strftime) says. */
  timestamps: boolean;
  readonly timestampFormat: string;
}

/** What a command may do on every surface; it takes what it names and no more. */
export interface CommandContext {
  readonly session: Session;
  /** Drives the session. */
  readonly worker: Worker;
  /** Undefined when the conversation is not saved. */
  readonly store: SessionStore | undefined;
  /** Tag of sessions that begin here. */
  readonly source: string;
  /** What can be typed here. */
  readonly commands: readonly ListedCommand[];
  /** What stands above the list of them, where a surface has words of its own. */
  readonly helpHeader?: string;
  /** What keys do, on surfaces that have them. */
  readonly keys?: readonly KeyBinding[];
  readonly about: About;
  readonly ui: CommandUi;
  readonly navigation: Navigation;
  readonly settings: StoredSettings;
  /** A stored session was given a name; absent where nothing else shows it. */
  readonly titled?: (sessionId: string, title: string) => void;
  /** What was started beside the conversation; absent where nothing is. */
  readonly tasks?: BackgroundTasks;
}

/** What a command may do where a person sits at a terminal. */
export interface TerminalContext extends CommandContext {
  readonly ui: TerminalUi;
  readonly navigation: TerminalNavigation;
  readonly settings: TerminalSettings;
  readonly tasks: StartedTasks;
  /** To chat platforms. */
  readonly gateway: GatewayDoor;
}

export interface About {
  readonly version: string;
  readonly profile: string;
  readonly homePath: string;
  readonly cwd: string;
  readonly startedAt: number;
  /** Real paths and the environment, on surfaces of the user's own machine. */
  readonly paths?: RealPaths;
}

/** Keys of `approvals`: whether a command asks first. Usually `destructive_slash_confirm`. */
export type ConfirmSetting = 'destructive_slash_confirm' | 'mcp_reload_confirm';

export type Confirms = { readonly [Setting in ConfirmSetting]: boolean };

export interface CommandUi {
  /** Plain text for the user; Markdown is not rendered. */
  print(text: string): void;
  /** Asks before something is lost or costs: once, always (then the setting is switched off for good), or no. */
  confirm(question: string, setting?: ConfirmSetting): Promise<boolean>;
  /** Puts a text where the next message is typed, unless something stands there; absent where nothing is typed. */
  offerInput?(text: string): void;
  /** Lets the user choose from a list; undefined when nothing was chosen. Absent where lists cannot be shown. */
  readonly pick?: (list: PickList) => Promise<Picked | undefined>;
  /** Lets the user type a line; undefined when nothing was. Absent where `pick` is. */
  readonly ask?: (question: string) => Promise<string | undefined>;
}

export interface TerminalUi extends CommandUi {
  clearScreen(): void;
  redraw(): void;
  copy(text: string): void;
  /** Saves one file below the home; returns its path. */
  saveFile(relativePath: string, text: string): Promise<string>;
  /** What `hermes <words>` says, run beside the chat in the same home; it cannot ask. Throws `UserError` when it takes too long. */
  runProgram(words: readonly string[]): Promise<string>;
  /** Lets the user write a message in an editor; undefined when nothing is left. Throws `UserError` when there is none. */
  compose(draft: string): Promise<string | undefined>;
  readonly pictures: Pictures;
  /** For what may take long: its signal aborts when the user presses Ctrl+C or leaves. */
  stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Shows what is at work as it goes on, until the user closes it; what is stopped or paused there is. Returns the id of a
   * sub-agent that the user has something to say to. Absent where nothing that was written changes.
   */
  readonly watch?: (work: AtWork) => Promise<string | undefined>;
  /** Turns voice mode on or off, the other of both without a word; returns what is told. Absent where nothing is drawn. */
  readonly voice?: (word: VoiceWord | undefined) => Promise<string>;
}

/** Pictures that go along with the next message. */
export interface Pictures {
  /** Throws `UserError` for a file that cannot be read or is no picture. */
  add(path: string): void;
  /** Takes the one in the clipboard; false when there is none. Throws `UserError` when the clipboard cannot be read. */
  paste(): Promise<boolean>;
}

export interface Navigation {
  /** Ends the current session with `reason` and goes on in another one, a new one unless it is named; returns that. */
  switchSession(next: NextSession, reason: string): Promise<Session>;
}

export interface NextSession {
  readonly resume?: SessionRow;
  /** It begins with the model in use, not with the configured one. */
  readonly keepModel?: boolean;
  /** Names of toolsets and tools that it has, in the place of the usual ones. */
  readonly toolsets?: readonly string[];
}

export interface TerminalNavigation extends Navigation {
  quit(): void;
  /** Leaves without an end of the conversation: somebody else goes on with it. */
  putDown(): void;
}

export interface StoredSettings {
  /** Writes keys of config.yaml in one step. Throws `UserError` when a key is pinned or the file is broken. */
  save(changes: readonly Change[]): Promise<void>;
  /** Keeps the model of this conversation, on surfaces whose conversations outlive their process. */
  keepModel?(route: Pick<ModelRoute, 'model' | 'provider'>): Promise<void>;
}

export interface TerminalSettings extends StoredSettings {
  readonly display: SurfaceSettings;
  /** What was allowed for good, as it stands in the file now. */
  allowed(): Promise<Allowed>;
  /** The text of `hermes config show`. */
  report(): Promise<string>;
  /** Reads `.env` again; returns the names of the variables that have another value now. */
  reloadVariables(): readonly string[];
  readonly looks: Looks;
}

/** In the order in which `/help` shows them. */
export const commandCategories = ['Session', 'Configuration', 'Tools & Skills', 'Info', 'Exit'] as const;

export type CommandCategory = (typeof commandCategories)[number];

/** For every surface, or for the terminal alone. */
export type SlashCommand = SharedCommand | TerminalCommand;

export interface SharedCommand extends CommandFacts {
  readonly surface: 'both';
  /** `args` is what stands after the name, trimmed. Throws `UserError` for what the user can set right. */
  run(context: CommandContext, args: string): Promise<void> | void;
}

export interface TerminalCommand extends CommandFacts {
  readonly surface: 'cli';
  run(context: TerminalContext, args: string): Promise<void> | void;
}

/** What `/help` says of a command, wherever it comes from. */
export type ListedCommand = Pick<
  CommandFacts,
  'name' | 'aliases' | 'category' | 'description' | 'argumentHint' | 'plugin'
>;

interface CommandFacts {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly category: CommandCategory;
  readonly description: string;
  /** Shown after the name, such as `[title]`. */
  readonly argumentHint?: string;
  /** Words that can stand behind the name: offered while it is typed, and told in the reference. */
  readonly values?: readonly string[];
  /** What else can, offered while it is typed. */
  readonly complete?: Complete;
  /** May run while a turn is under way. */
  readonly whileBusy: boolean;
  /** Key of the plug-in that it is of; absent: it is of the program. */
  readonly plugin?: string;
}

/** Takes `now`, `--yes` and `-y` out of the arguments of a command that asks before it acts. */
export function takeYes(args: string): { readonly yes: boolean; readonly rest: string } {
  const words = args.split(/\s+/).filter((word) => word !== '');
  const rest = words.filter((word) => !['now', '--yes', '-y'].includes(word.toLowerCase()));
  return { yes: rest.length < words.length, rest: rest.join(' ') };
}
