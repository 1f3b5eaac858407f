/** The one judgement in front of every tool call. */
import { isAbsolute } from 'node:path';
import type { ApprovalChoice, ApprovalRequest } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision } from '../../agent/policy.ts';
import type { FileSystem } from '../../environments/environment.ts';
import { isAllowlisted } from '../../safety/commands/allowlist.ts';
import type { Finding } from '../../safety/commands/finding.ts';
import { judgeCommand } from '../../safety/commands/judge.ts';

export interface PolicyOptions {
  /** `approvals.mode`; `smart` asks like `manual` as long as there is no auxiliary model. */
  readonly mode: 'manual' | 'smart' | 'off';
  /** Approvals are skipped while it says true. */
  yolo(): boolean;
  /** What happens to a command that needs approval when nobody can be asked. */
  readonly headless: 'deny' | 'approve';
  /** The container is the boundary: only the hardline list holds in it. */
  readonly backendIsContainer: boolean;
  /** `command_allowlist` */
  readonly allowlist: readonly string[];
  /** Stores keys in `command_allowlist`. */
  persist(keys: readonly string[]): Promise<void>;
  readonly homePath: string;
  /** The directory that owns `profiles/`. */
  readonly root: string;
  readonly userHome: string;
  /** Where commands start now. */
  cwd(): string;
  /** `HERMES_WRITE_SAFE_ROOT`: writes outside need approval. */
  readonly safeRoot?: string;
  readonly files: Pick<FileSystem, 'resolve' | 'realPath'>;
}

const allow: PolicyDecision = { kind: 'allow' };
const maxRemembered = 500;

export function createPolicy(options: PolicyOptions): Policy {
  return new ToolPolicy(options);
}

class ToolPolicy implements Policy {
  readonly #options: PolicyOptions;
  /** Keys approved for a session, by session. */
  readonly #approved = new Map<string, Set<string>>();
  readonly #always = new Set<string>();

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  async judge(call: PolicyCall): Promise<PolicyDecision> {
    switch (call.tool) {
      case 'terminal':
        return this.#judgeCommand(call, textArgument(call, 'command'));
      case 'process':
        return this.#judgeInput(call);
      case 'write_file':
      case 'patch':
        return await this.#judgeWrite(call);
      default:
        return allow;
    }
  }

  /** What is typed into a running program may be a command line for a shell. */
  #judgeInput(call: PolicyCall): PolicyDecision {
    const action = call.args['action'];
    return action === 'write' || action === 'submit' ? this.#judgeCommand(call, textArgument(call, 'data')) : allow;
  }

  #judgeCommand(call: PolicyCall, command: string): PolicyDecision {
    const { homePath, root, userHome, backendIsContainer, mode } = this.#options;
    const workdir = call.args['workdir'];
    const cwd = typeof workdir === 'string' && isAbsolute(workdir) ? workdir : this.#options.cwd();
    const judgement = judgeCommand(command, { userHome, homePath, root, cwd });
    if (judgement.hardline !== undefined) {
      return blocked(`${judgement.hardline.reason}. This is never run, whoever approves.`);
    }
    if (backendIsContainer) return allow;
    const unguarded = mode === 'off' || this.#options.yolo();
    const open = judgement.findings.filter(
      (finding) => !(unguarded && !finding.evenWithoutApprovals) && !this.#isApproved(call.sessionId, finding),
    );
    return open.length === 0 ? allow : this.#ask(call, command, open);
  }

  async #judgeWrite(call: PolicyCall): Promise<PolicyDecision> {
    const { safeRoot, files, mode } = this.#options;
    if (safeRoot === undefined || mode === 'off' || this.#options.yolo()) return allow;
    const root = await files.realPath(files.resolve(safeRoot));
    for (const path of writtenPaths(call)) {
      const real = await files.realPath(files.resolve(path));
      if (real === root || real.startsWith(`${root}/`)) continue;
      const finding = writeOutside(root);
      if (this.#isApproved(call.sessionId, finding)) continue;
      return this.#ask(call, `${call.tool} ${real}`, [finding]);
    }
    return allow;
  }

  #isApproved(sessionId: string, finding: Finding): boolean {
    if (finding.evenWithoutApprovals) return false;
    if (this.#approved.get(sessionId)?.has(finding.key) === true) return true;
    return isAllowlisted(finding, [...this.#options.allowlist, ...this.#always]);
  }

  #ask(call: PolicyCall, command: string, findings: readonly Finding[]): PolicyDecision {
    const reasons = findings.map((finding) => finding.description);
    const changesItself = findings.some((finding) => finding.evenWithoutApprovals);
    if (!call.humanPresent) {
      if (this.#options.headless === 'approve' && !changesItself) return allow;
      return blocked(`${reasons.join('; ')}: this needs a person's approval, and nobody can be asked here.`);
    }
    const request: ApprovalRequest = {
      command,
      reasons,
      keys: findings.map((finding) => finding.key),
      mayRemember: findings.every((finding) => finding.mayRemember),
    };
    return { kind: 'ask', request, settle: (choice) => this.#settle(call.sessionId, findings, choice) };
  }

  async #settle(sessionId: string, findings: readonly Finding[], choice: ApprovalChoice): Promise<PolicyDecision> {
    switch (choice) {
      case 'deny':
        return blocked('The user refused to run this.');
      case 'timeout':
        return blocked('Nobody answered the approval question in time, so it was not run.');
      case 'once':
        return allow;
      case 'session':
        this.#remember(sessionId, findings);
        return allow;
      case 'always': {
        this.#remember(sessionId, findings);
        const keys = findings.filter((finding) => finding.mayRemember).map((finding) => finding.key);
        for (const key of keys) this.#always.add(key);
        if (keys.length > 0) await this.#options.persist(keys);
        return allow;
      }
    }
  }

  #remember(sessionId: string, findings: readonly Finding[]): void {
    const keys = this.#approved.get(sessionId) ?? new Set();
    this.#approved.set(sessionId, keys);
    for (const finding of findings) if (keys.size < maxRemembered) keys.add(finding.key);
  }
}

function blocked(reason: string): PolicyDecision {
  const error = `BLOCKED: ${reason} Do not retry it, and do not try to reach the same by another way.`;
  return { kind: 'refuse', reason, result: { output: '', exit_code: -1, error, status: 'blocked' } };
}

function writeOutside(root: string): Finding {
  const key = `write outside ${root}`;
  return { key, description: key, aliases: [], mayRemember: false, evenWithoutApprovals: false };
}

function textArgument(call: PolicyCall, name: string): string {
  const value = call.args[name];
  return typeof value === 'string' ? value : '';
}

/** `path`, and the files that a multi-file patch names. */
function writtenPaths(call: PolicyCall): string[] {
  const named = textArgument(call, 'patch').matchAll(/^\*\*\* (?:Add|Update|Delete|Move) File: (.+)$/gm);
  const paths = [...named].flatMap((match) => (match[1] ?? '').split(' -> ').map((path) => path.trim()));
  const path = textArgument(call, 'path');
  return path === '' ? paths : [path, ...paths];
}
