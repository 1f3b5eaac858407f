/** What the runtime hands to tools. A tool reaches nothing else. */
import type { Environment, FileSystem } from '../environments/environment.ts';
import type { ProcessRegistry } from '../environments/process-registry.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { SessionHistory } from './session-search/session-history.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { MemoryOrigin } from '../memory/pending.ts';
import type { ReadLedger } from './file/read-ledger.ts';
import type { TodoList } from './todo/todo-list.ts';

/** Settings that tools need, read once from the configuration. Times in seconds, sizes in characters. */
export interface ToolSettings {
  /** `terminal.timeout` */
  readonly terminalTimeoutSeconds: number;
  /** `tool_output.max_bytes` */
  readonly maxOutputChars: number;
  /** `tool_output.max_lines` */
  readonly maxReadLines: number;
  /** `tool_output.max_line_length` */
  readonly maxLineLength: number;
  /** `file_read_max_chars` */
  readonly maxReadChars: number;
  /** Off with `HERMES_DISABLE_FILE_STATE_GUARD=1`. */
  readonly fileStateGuard: boolean;
  /** A setting that could not be read (`TERMINAL_TIMEOUT=5m`): the terminal tool answers with it instead of running. */
  readonly terminalProblem?: string;
}

/** Whether a write needs a person now; `stage` never asks, it notes the write down for later. */
export type WriteApproval = 'none' | { readonly kind: 'ask' | 'stage'; readonly reason: string };

/** Memory as a session may write it. */
export interface MemoryService {
  readonly store: MemoryStore;
  readonly approval: () => WriteApproval;
  /** Whether somebody asked for the writes. */
  readonly origin: MemoryOrigin;
}

export interface ToolServices {
  readonly environment: Environment;
  /** The environment's files behind the path guard: the only file access that tools have. Throws `PathDenied`. */
  readonly files: FileSystem;
  /** False for files that tools must not show: what programs such as ripgrep found in them is left out. */
  readonly mayRead: (realPath: string) => boolean;
  readonly processes: ProcessRegistry;
  readonly readLedger: ReadLedger;
  readonly todos: TodoList;
  readonly settings: ToolSettings;
  /** Absent where the session has no skills; their tools are then not offered. */
  readonly skills?: SkillLibrary;
  /** Whether a change of a skill needs a person now, beyond what the configuration says; absent: never. */
  readonly skillApproval?: () => WriteApproval;
  /** Absent where the session keeps no memory; its tool is then not offered. */
  readonly memory?: MemoryService;
  /** Earlier conversations of the person this session belongs to; absent where nothing is stored. */
  readonly history?: SessionHistory;
  /** Masks secrets by pattern and by value. */
  readonly redact: (text: string) => string;
  /** Masks these values from now on, like those known at the start. */
  readonly maskValues: (values: readonly string[]) => void;
}
