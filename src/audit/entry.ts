/** What the audit log says: what was decided about a call, what became of it, and what a writer found when it went on. */
import type { Source } from '../llm/source.ts';

export type AuditEntry = DecisionEntry | EndedEntry;

/** Why a call was to run or not. Texts are masked and cut by whoever makes the entry. */
export interface DecisionEntry {
  readonly kind: 'decision';
  readonly session: string;
  readonly surface: string;
  readonly tool: string;
  /** What a person is shown; for calls that are shown to nobody, their arguments. */
  readonly shown: string;
  /** Of the exact bytes that would run, before anything was masked or cut; absent where nothing is shown. */
  readonly sha256?: string;
  /** The programs that a shell text would call, each with its arguments. */
  readonly commands?: readonly (readonly string[])[];
  /** Keys of what there was against the call. */
  readonly findings: readonly string[];
  /** Where the text came from that the model had before it. */
  readonly sources: readonly Source[];
  readonly decision: 'allowed' | 'asked' | 'refused' | 'staged';
  /** What the person said. */
  readonly answer?: string;
  /** Why it was refused. */
  readonly reason?: string;
  readonly by: 'rules' | 'owner' | 'person' | 'model' | 'nobody';
  /** Which of the owner's settings let it run. */
  readonly setting?: string;
}

/** What became of a call. */
export interface EndedEntry {
  readonly kind: 'ended';
  readonly session: string;
  readonly tool: string;
  /** The number of its decision; absent where that could not be written. */
  readonly decision?: number;
  /** `started` for what goes on; its own end is another entry with `exited` or `killed`. */
  readonly outcome: string;
  /** What goes on, by its name. */
  readonly process?: string;
  /** Who ended it. */
  readonly endedBy?: string;
  readonly where?: 'outside' | 'confined';
  /** Of the exact bytes of the command that ran. */
  readonly sha256?: string;
  readonly exit?: number;
  readonly changed?: readonly string[];
}

/** What the next writer found at the end of the file, where it was not as the last one had left it. */
export interface ResumedEntry {
  readonly kind: 'resumed';
  /** Bytes behind the last whole line: what somebody was writing when it was killed. */
  readonly torn?: { readonly bytes: number; readonly sha256: string };
  /** `unsealed`: lines follow the seal; `missing`: the seal is about lines that are not there; `no seal`: it is gone or false. */
  readonly seal?: 'unsealed' | 'missing' | 'no seal';
}

/** Stands in an entry when entries before it could not be written. */
export interface Lost {
  readonly lost?: number;
}
