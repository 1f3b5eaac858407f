/** What is found against a tool call, and the names under which approvals of it are remembered. */
import type { AllowEntry } from './allow-entry.ts';
import type { RunFile } from './run-file.ts';

export interface Finding {
  /** What an approval is remembered under: the description itself. */
  readonly key: string;
  /** Why a person should look at the command. */
  readonly description: string;
  /** What somebody else says, shown to the person behind the description; the model is told nothing of it. */
  readonly quotes?: string;
  /** Other names of the same key in older allowlists: a description, or the first word of a pattern. */
  readonly aliases: readonly string[];
  /** False when an answer must not be stored for good. */
  readonly mayRemember: boolean;
  /** Asked every time, also with approvals switched off: changes to the agent's own rules. */
  readonly evenWithoutApprovals: boolean;
  /** With the former: an answer for the session holds, as long as no new text from outside has entered. */
  readonly mayHoldForSession?: boolean;
  /**
   * Counts only once text that may be a stranger's has entered the conversation: `outside` over the network or from
   * nobody knows where, `files` also from files, skills and project texts.
   */
  readonly onlyAfter?: 'files' | 'outside';
  /**
   * Once text that may be a stranger's has entered, it is asked about whatever is switched off or was allowed before: what
   * it does lasts. An answer holds for the session at most.
   */
  readonly strictAfter?: 'files';
  /** A sandbox makes the question needless: where the call runs in one, it is not asked. */
  readonly containable?: boolean;
  /** It is about this one command: an answer may hold for the same command again, and never for a kind. */
  readonly perCommand?: boolean;
  /** It asks to leave the sandbox, which kept the same command from something. */
  readonly leavesSandbox?: true;
  /** A yes lets it be as it is, and lifts no containment. */
  readonly staysConfined?: boolean;
  /** Where nobody can be asked the call is kept for a person's approval instead of being refused. */
  readonly mayWait?: boolean;
}

/** What a tool finds about one call of itself, before it runs. */
export interface Judgement {
  /** What a person is shown: what would run, byte for byte. */
  readonly shown: string;
  /** For shell text: the folder it starts in. */
  readonly folder?: string;
  /** The files that it would run, as they are when it is called: an answer holds for these alone. */
  runs?(): Promise<readonly RunFile[]>;
  /** Never run, whoever approves: `reason` for the record, `message` for the model; `by`: the owner wrote it down. */
  readonly refused?: { readonly reason: string; readonly message: string; readonly by?: 'owner' };
  /** One entry a key; empty when there is nothing against the call. */
  readonly findings: readonly Finding[];
  /** What the owner wrote down and lets it run without a question, as long as each of these stands. */
  readonly allowedBy?: readonly AllowEntry[];
  /** What an answer may be kept as besides the kinds of its findings: narrower ones first. */
  readonly scopes?: AllowScopes;
  /** Called once when the call is allowed to run. */
  readonly onAllowed?: () => void;
}

export interface AllowScopes {
  /** This command in this folder. */
  readonly command: AllowEntry;
  /** This program and sub-command in this folder. */
  readonly program?: AllowEntry;
}

/** Nothing against the call, whatever its arguments are. */
export const harmless: Judgement = { shown: '', findings: [] };

/** Keys with the words by which older allowlists name them. */
const aliasesOf = {
  'recursive delete': ['rm', 'recursive delete (long flag)'],
  'delete in root path': ['rm'],
  'delete of a computed path': [],
  'world-writable permissions': [
    'chmod',
    'world/other-writable permissions',
    'recursive world/other-writable (long flag)',
  ],
  'setuid permissions': [],
  'recursive change of system permissions': [],
  'recursive change of ownership': ['chown', 'recursive chown to root', 'recursive chown to root (long flag)'],
  'format filesystem': ['mkfs'],
  'disk copy': ['dd'],
  'write to block device': [],
  'change of disk layout': [],
  'SQL DROP': ['DROP'],
  'SQL DELETE without WHERE': ['DELETE'],
  'SQL TRUNCATE': ['TRUNCATE'],
  'write to a system file': [
    'tee',
    'cp',
    'sed',
    'overwrite system config',
    'overwrite system file via tee',
    'overwrite system file via redirection',
    'copy/move file into /etc/',
    'in-place edit of system config',
    'in-place edit of system config (long flag)',
  ],
  'write to a credential file': [],
  'write to a shell start-up file': [],
  'read of a credential file': [],
  'stop or disable a system service': ['systemctl', 'stop/disable system service'],
  'force kill processes': ['pkill'],
  'shell command via -c/-lc flag': ['bash'],
  'script execution via -e/-c flag': ['python'],
  'pipe remote content to shell': ['curl', 'execute remote script via process substitution'],
  'pipe content to shell': [],
  'xargs with rm': ['xargs'],
  'find -exec rm': ['find'],
  'find -delete': ['find'],
  'stop the agent itself': ['kill hermes/gateway process (self-termination)'],
  'start the gateway outside its service': [
    'gateway',
    'nohup',
    "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')",
  ],
  'container with access to the host': [],
  'scheduled command': [],
  'delete by pattern': [],
  'write outside the workspace': [],
  'write to a file that runs commands later': [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FindingKey = keyof typeof aliasesOf;

/** Start-up files, jobs, settings, and ways around the sandbox: whoever reaches one of these stays. */
const lastingKeys: ReadonlySet<string> = new Set<FindingKey>([
  'write to a credential file',
  'write to a shell start-up file',
  'write to a file that runs commands later',
  'scheduled command',
  'container with access to the host',
]);

/** A finding whose approval may be remembered. */
export function finding(key: FindingKey): Finding {
  const found: Finding = {
    key,
    description: key,
    aliases: aliasesOf[key],
    mayRemember: true,
    evenWithoutApprovals: false,
  };
  return lastingKeys.has(key) ? lasting(found) : found;
}

/** The same finding, for what somebody else's words must not bring about in any mode. */
export function lasting(found: Finding): Finding {
  return { ...found, strictAfter: 'files' };
}

/** The same finding, where a sandbox keeps its harm away. */
export function containable(found: Finding): Finding {
  return { ...found, containable: true };
}

/** Something that cannot be judged: approving one such command says nothing about the next, so it is never kept for good. */
export function unclear(description: string): Finding {
  return { key: description, description, aliases: [], mayRemember: false, evenWithoutApprovals: false };
}

/** What the owner set up is done without a question until words of others may have chosen it. */
export function afterOutsideText(description: string): Finding {
  return { ...unclear(description), mayRemember: true, onlyAfter: 'outside' };
}

/** A write outside of what the owner marked off, or of something that runs later by itself: each one is looked at. */
export function guardedWrite(description: string): Finding {
  return { ...unclear(description), evenWithoutApprovals: true };
}

/** A change to the agent's own rules, credentials or records. */
export function selfChange(description: string): Finding {
  return { key: description, description, aliases: [], mayRemember: false, evenWithoutApprovals: true };
}

/** A change to what later conversations begin with: an attacker who reaches it stays. */
export function learnedChange(description = 'changes what later conversations begin with'): Finding {
  return { ...selfChange(description), onlyAfter: 'files' };
}

/** The same through a tool that can keep the change until a person has looked at it. */
export function learnedNote(description: string): Finding {
  return { ...learnedChange(description), mayWait: true, mayHoldForSession: true };
}

/** A change that the owner wants to look at first (`memory.write_approval`, `skills.write_approval`). */
export function wantsApproval(description: string): Finding {
  return { ...selfChange(description), mayWait: true, mayHoldForSession: true };
}

/** `approvals.default: ask`, and nothing in `approvals.allow` names the command. */
export function notAllowed(command: string): Finding {
  const description = 'approvals.allow does not name it';
  return { ...perCommand(`${description}: ${command}`), description };
}

/** What a scanner says: an answer holds for the session at most. */
export function scanned(rule: string, description: string): Finding {
  return { ...unclear(description), key: `tirith:${rule}` };
}

/** The owner allowed the command, and what it runs was another program then. */
export function changedSinceAllowed(command: string, paths: readonly string[]): Finding {
  const description = `${paths.join(', ')} changed since the command was allowed`;
  return { ...perCommand(`changed since it was allowed: ${command}`), description };
}

/** The same command was kept from something in the sandbox; `wants` says from what, `lasts` that it would be there to stay. */
export function outsideSandbox(command: string, wants: string, lasts: boolean): Finding {
  const found: Finding = {
    ...perCommand(`run outside of the sandbox: ${command}`),
    description: `run outside of the sandbox: ${wants}`,
    leavesSandbox: true,
  };
  return lasts ? lasting(found) : found;
}

function perCommand(key: string): Finding {
  return { ...unclear(key), perCommand: true };
}

/**
 * A host that a command with all rights talks to: what has entered may have chosen it. `after`: what must have entered for
 * that to count.
 */
export function contactWith(host: string, after: 'files' | 'outside'): Finding {
  return { ...selfChange(`talks to ${host}`), onlyAfter: after, mayHoldForSession: true };
}

/** A confined command was kept from a host that nobody has named. */
export function reachesHost(host: string): Finding {
  return { ...selfChange(`talks to ${host}`), mayHoldForSession: true, staysConfined: true };
}
