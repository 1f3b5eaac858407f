/** What the runtime hands to tools. A tool reaches nothing else. */
import type { ConversationDoor } from '../agent/conversation-door.ts';
import type { ClarifyAnswer } from '../agent/human.ts';
import type { Config } from '../config/schema.ts';
import type { EnvProblem } from '../config/env-values.ts';
import type { ProcessSettings } from '../config/process-settings.ts';
import type { Environment, FileSystem } from '../environments/environment.ts';
import type { ProcessRegistry } from '../environments/process-registry.ts';
import type { Source } from '../llm/source.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { MemoryOrigin } from '../memory/pending.ts';
import type { PathGuard } from '../safety/paths.ts';
import type { SkillProposal } from '../skills/authoring/skill-author.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { DesktopSession } from './computer-use/desktop-session.ts';
import type { JobAccess } from './cron/job-access.ts';
import type { BoardAccess } from './kanban/board-access.ts';
import type { Delegation } from './delegation/delegation.ts';
import type { Interpreters } from './execute-code/languages/catalogue.ts';
import type { MediaAccess } from './making/media-access.ts';
import type { KnownHosts } from './policy/known-hosts.ts';
import type { FileWrites } from './file/file-writes.ts';
import type { HomeAssistant } from './homeassistant/home-assistant.ts';
import type { BrowserSession } from './browser/browser-session.ts';
import type { ReadLedger } from './file/read-ledger.ts';
import type { SessionHistory } from './session-search/session-history.ts';
import type { AllowedCommands } from './policy/allowed-commands.ts';
import type { CommandScanner } from './terminal/tirith/scanner.ts';
import type { SudoPassword } from './terminal/sudo-password.ts';
import type { TypedInput } from './terminal/typed-input.ts';
import type { UnconfinedNotice } from './terminal/unconfined-notice.ts';
import type { WithheldCommands } from './terminal/withheld-commands.ts';
import type { TodoList } from './todo/todo-list.ts';
import type { FoundTools } from './tool-search/found-tools.ts';
import type { ToolSpeech } from './tts/tool-speech.ts';
import type { SessionWeb } from './web/session-web.ts';
import type { Vision } from './vision/vision.ts';

export interface ToolServices {
  /** Each tool reads its own settings. */
  readonly config: Config;
  readonly processSettings: ProcessSettings;
  /** Environment variables that could not be used: a tool whose settings they are may answer with them. */
  readonly configProblems: readonly EnvProblem[];
  readonly environment: Environment;
  /** The environment's files behind the path guard: the only file access that tools have. Throws `PathDenied`. */
  readonly files: FileSystem;
  /** The session's one guard; it follows links. */
  readonly guard: PathGuard;
  readonly paths: ToolPaths;
  /** Commands and files are in a container, which is the boundary: only what is never run is refused. */
  readonly insideContainer: boolean;
  readonly processes: ProcessRegistry;
  readonly state: ToolState;
  readonly knowledge: Knowledge;
  /** Absent where no session is stored: files then carry nothing but their own name. */
  readonly outsideRuns?: OutsideRuns;
  readonly edits: Edits;
  /** Masks secrets by pattern and by value. */
  readonly redact: (text: string) => string;
  /** Masks these values from now on, like those known at the start. */
  readonly maskValues: (values: readonly string[]) => void;
}

/** Questions in words. */
export interface AskedQuestions {
  /** Keeps the question until `ask` has settled, so that it can be told to have lapsed when its process did not see that. */
  whileOpen(question: OpenQuestion, ask: () => Promise<ClarifyAnswer>): Promise<ClarifyAnswer>;
}

export interface OpenQuestion {
  readonly sessionId: string;
  readonly callId: string;
  readonly text: string;
  readonly choices: readonly string[];
}

/** What is done about a file beside changing it. */
export interface Edits {
  /** Keeps files as they are before they are changed; absent where that is off. */
  readonly checkpoints?: Checkpoints;
  /** Absent where no language server can be asked. */
  readonly diagnostics?: Diagnostics;
}

/** Must never reject: work goes on without a checkpoint. */
export interface Checkpoints {
  /** `paths` are absolute; `reason` is shown in lists. */
  before(paths: readonly string[], reason: string): Promise<void>;
}

/** Language servers. Must never reject: work goes on without them. Paths are absolute. */
export interface Diagnostics {
  /** Whether one of them looks at this file: then slower checks can be left out. */
  covers(path: string): Promise<boolean>;
  /** Before a file changes; `text` is what it holds now, undefined for a new one. Undefined where nothing can be told. */
  before(path: string, text: string | undefined, signal: AbortSignal): Promise<WatchedEdit | undefined>;
}

/** A change of one file, from its beginning on. Must never throw or reject. */
export interface WatchedEdit {
  /** The file holds this now. */
  written(text: string): void;
  /** What is wrong since, as text; to be asked for once, when all files of the change are written. */
  newErrors(signal: AbortSignal): Promise<string | undefined>;
}

/** Absolute directories. */
export interface ToolPaths {
  /** The active home. */
  readonly homePath: string;
  /** The directory that owns `profiles/`. */
  readonly root: string;
  /** The user's own directory. */
  readonly userHome: string;
  /** What commands may change without a question: the folder of the session, or the root of its git tree. */
  readonly workspace?: string;
  /** Where our own program lies. */
  readonly program?: string;
  /** Folders in which programs are looked for. */
  readonly searched?: readonly string[];
  /** What runs scripts of the model, by language; a moment old. */
  readonly interpreters?: Interpreters;
  /** False where confined commands may have set up what git runs. */
  readonly isTrustedRepository?: (folder: string) => boolean;
}

/** What tools remember of one session; lives and ends with it. */
export interface ToolState {
  readonly readLedger: ReadLedger;
  /** The one thing that all sessions of a process share. */
  readonly fileWrites: FileWrites;
  /** Looks at commands that run with all rights, or that a person is asked about; absent where none does. */
  readonly scanner?: CommandScanner;
  readonly todos: TodoList;
  readonly foundTools: FoundTools;
  readonly web: SessionWeb;
  readonly typedInput: TypedInput;
  /** Whom the session may talk to without a question. */
  readonly hosts: KnownHosts;
  readonly sudo: SudoPassword;
  /** `approvals.allow`, and what was added to it since the start. */
  readonly allowedCommands: AllowedCommands;
  /** What commands were kept from in the sandbox: the same one again is asked about. */
  readonly withheld: WithheldCommands;
  readonly unconfined: UnconfinedNotice;
  /** Its sub-agents; absent where nothing may be delegated. */
  readonly delegation?: Delegation;
  /** The owner's house; absent without a token for it. */
  readonly homeAssistant?: HomeAssistant;
  /** Opened by its first use. Absent where nothing may be browsed. */
  readonly browser?: BrowserSession;
  /** The owner's desktop; absent where no program is installed that operates it. */
  readonly computer?: DesktopSession;
  /** Who looks at pictures; absent where nobody does. */
  vision?: Vision;
  /** For code of the owner that its tools are of. */
  door?: ConversationDoor;
  /** Who makes pictures and videos; absent where nobody does. */
  media?: MediaAccess;
  /** Who speaks; absent where nobody does. */
  speech?: ToolSpeech;
  /** What hooks make of the output of commands; absent where none listens. */
  outputHook?: OutputHook;
  /** By the arguments of a call that was allowed: the change that was looked at, and must be the one that is made. */
  readonly allowedSkillChanges: WeakMap<object, SkillProposal>;
}

/** Must never reject. */
export interface OutputHook {
  /** Undefined: the output stays as it is. */
  transform(
    run: { readonly command: string; readonly output: string; readonly exitCode: number; readonly environment: string },
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly source: Source } | undefined>;
}

/** What outlives a session. What is absent is not kept there, and its tools are not offered. */
export interface Knowledge {
  readonly memory?: MemoryService;
  /** Absent where no question can be put in words to a person. */
  readonly questions?: AskedQuestions;
  readonly skills?: SkillLibrary;
  /** Scheduled jobs of the person. */
  readonly jobs?: JobAccess;
  /** Boards of tasks, which all profiles of the person share. */
  readonly board?: BoardAccess;
  /** Earlier conversations of the person this session belongs to. */
  readonly history?: SessionHistory;
  /** Those of another profile of the same person, open while `use` runs; undefined when there is no such profile. */
  readonly historyOf?: <T>(profile: string, use: (history: SessionHistory) => Promise<T>) => Promise<T | undefined>;
  /** The names of the other profiles. */
  readonly profiles?: () => readonly string[];
}

export interface MemoryService {
  readonly store: MemoryStore;
  /** Whether somebody asked for the writes. */
  readonly origin: MemoryOrigin;
}

/**
 * When programs ran that bring text from outside: what they wrote carries their source. A run that was begun and never
 * ended counts as running.
 */
export interface OutsideRuns {
  /** Returns what `end` is to be called with. */
  begin(source: Source): Promise<number>;
  end(run: number): Promise<void>;
  /** The source of a program that ran at a time, in milliseconds since 1970. */
  during(changedAtMs: number): Promise<Source | undefined>;
}
