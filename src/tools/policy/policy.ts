/** The one policy: which tool calls run, which need a person, and which never run. */
import { basename, dirname } from 'node:path';
import type { ApprovalChoice } from '../../agent/human.ts';
import type { Policy, PolicyCall, PolicyDecision } from '../../agent/policy.ts';
import type { FileSystem } from '../../environments/environment.ts';
import { type CommandJudgement, type Finding, learnedChange } from '../../safety/finding.ts';
import { createPathGuard } from '../../safety/paths.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { deniedMessage, hardlineMessage, nobodyToAskMessage, refuse } from './refusal.ts';
import { outsideSafeRoot, pathsToWrite } from './safe-root.ts';
import { createTypedInput, type TypedInput } from './typed-input.ts';

export interface PolicyOptions {
  /** `approvals.mode`. `smart` asks the person like `manual`. */
  readonly mode: 'manual' | 'smart' | 'off';
  /** True while approvals are skipped. What is never run, and changes to the agent's own rules, are not affected. */
  yolo(): boolean;
  /** `approvals.headless`: what happens to commands that need approval when nobody can be asked. */
  readonly headless: 'deny' | 'approve';
  /** In a container the container is the boundary: only what is never run is refused. */
  readonly backendIsContainer: boolean;
  /** `command_allowlist` as it was loaded. */
  readonly allowlist: readonly string[];
  /** Stores approvals for good; gets all keys that were approved so since the start. */
  persist(keys: readonly string[]): Promise<void>;
  /** The active home. */
  readonly homePath: string;
  /** The directory that owns `profiles/`; found from `homePath` when absent. */
  readonly root?: string;
  readonly userHome: string;
  /** `HERMES_WRITE_SAFE_ROOT` */
  readonly safeRoot?: string;
  readonly files: Pick<FileSystem, 'resolve' | 'realPath'>;
  /** Where the next command starts. */
  cwd?(): string;
  /** Where text from outside came from that the conversation holds; none when absent. */
  outside?(): readonly string[];
  /** The command that a background process runs, if there is such a process. */
  processCommand?(id: string): string | undefined;
}

/** Judges commands, text typed into processes, and paths of file tools; other tools have their own guards. */
export function createPolicy(options: PolicyOptions): Policy {
  const judge = new PolicyJudge(options);
  return { judge: (call) => judge.judge(call) };
}

const allow = { kind: 'allow' } as const satisfies PolicyDecision;

/** A call with what was found about it. */
interface Judged {
  readonly call: PolicyCall;
  /** What is shown to the person. */
  readonly shown: string;
  readonly findings: readonly Finding[];
  /** Runs once the call is allowed. */
  onAllowed?(): void;
}

class PolicyJudge {
  readonly #options: PolicyOptions;
  readonly #approvals: Approvals;
  readonly #typed: TypedInput = createTypedInput();
  readonly #root: string;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#approvals = createApprovals(options);
    const parent = dirname(options.homePath);
    this.#root = options.root ?? (basename(parent) === 'profiles' ? dirname(parent) : options.homePath);
  }

  async judge(call: PolicyCall): Promise<PolicyDecision> {
    switch (call.tool) {
      case 'terminal':
        return await this.#judgeTerminal(call);
      case 'process':
        return await this.#judgeProcess(call);
      case 'search_files':
        return await this.#judgeSearch(call);
      default:
        return await this.#judgeWrite(call);
    }
  }

  async #judgeTerminal(call: PolicyCall): Promise<PolicyDecision> {
    const { command, workdir } = call.args;
    if (typeof command !== 'string') return refuse(call.tool, 'no command', 'BLOCKED: the command must be text.');
    const judgement = await this.#judgeText(command, typeof workdir === 'string' ? workdir : undefined);
    return this.#decideCommand(judgement, { call, shown: command });
  }

  /** Whatever is typed into a shell is a command; into other programs it is their business. */
  async #judgeProcess(call: PolicyCall): Promise<PolicyDecision> {
    const { action, data, session_id: id } = call.args;
    if ((action !== 'write' && action !== 'submit') || typeof data !== 'string') return allow;
    const process = typeof id === 'string' ? id : '';
    const running = this.#options.processCommand?.(process);
    if (running !== undefined && !(await takesCommands(running))) return allow;
    const text = action === 'submit' ? `${data}\n` : data;
    const line = this.#typed.preview(process, text);
    const onAllowed = (): void => this.#typed.typed(process, text);
    return this.#decideCommand(await this.#judgeText(line, undefined), { call, shown: line, onAllowed });
  }

  async #judgeText(command: string, workdir: string | undefined): Promise<CommandJudgement> {
    // The parser is loaded with the first command, not with the first prompt.
    const { judgeCommand } = await import('../../safety/commands/judge.ts');
    const { homePath, userHome, files } = this.#options;
    const cwd = workdir === undefined ? this.#options.cwd?.() : files.resolve(workdir);
    return judgeCommand(command, { homePath, userHome, root: this.#root, ...(cwd === undefined ? {} : { cwd }) });
  }

  #decideCommand(judgement: CommandJudgement, about: Omit<Judged, 'findings'>): PolicyDecision {
    if (judgement.hardline !== undefined) {
      const { reason } = judgement.hardline;
      return refuse(about.call.tool, reason, hardlineMessage(reason));
    }
    return this.#decide({ ...about, findings: judgement.findings });
  }

  /** A search reads file contents past the guarded files, so its start is judged here. */
  async #judgeSearch(call: PolicyCall): Promise<PolicyDecision> {
    const { homePath, userHome, files, backendIsContainer } = this.#options;
    const { path } = call.args;
    if (typeof path !== 'string' || backendIsContainer) return allow;
    const guard = createPathGuard({ homePath, userHome, root: this.#root });
    const denied = guard.denyRead(await files.realPath(files.resolve(path)));
    return denied === undefined ? allow : refuse(call.tool, denied, denied);
  }

  async #judgeWrite(call: PolicyCall): Promise<PolicyDecision> {
    const paths = pathsToWrite(call.tool, call.args);
    if (paths.length === 0) return allow;
    const { safeRoot, files } = this.#options;
    const unsafe =
      safeRoot === undefined || safeRoot.trim() === '' ? [] : await outsideSafeRoot(paths, safeRoot, files);
    const findings = (await this.#writesLearned(paths)) ? [...unsafe, learnedChange()] : unsafe;
    return this.#decide({ call, shown: `${call.tool} ${paths.join(' ')}`, findings });
  }

  /** True when one of the paths is what later conversations begin with. */
  async #writesLearned(paths: readonly string[]): Promise<boolean> {
    if ((this.#options.outside?.() ?? []).length === 0) return false;
    const { homePath, userHome, files } = this.#options;
    const guard = createPathGuard({ homePath, userHome, root: this.#root });
    for (const path of paths) {
      if (guard.isLearned(await files.realPath(files.resolve(path)))) return true;
    }
    return false;
  }

  #decide(judged: Judged): PolicyDecision {
    const { call } = judged;
    const pending = this.#withOrigin(this.#pending(judged));
    if (pending.length === 0) {
      judged.onAllowed?.();
      return allow;
    }
    const reasons = pending.map((finding) => finding.description);
    if (!call.humanPresent) return refuse(call.tool, reasons.join('; '), nobodyToAskMessage(reasons));
    return {
      kind: 'ask',
      request: {
        command: judged.shown,
        reasons,
        keys: pending.map((finding) => finding.key),
        mayRemember: pending.every((finding) => finding.mayRemember),
      },
      settle: async (choice) => await this.#settle(choice, judged, pending),
    };
  }

  /** The findings that still need a person. */
  #pending({ call, findings }: Judged): readonly Finding[] {
    const { mode, headless, backendIsContainer } = this.#options;
    if (backendIsContainer) return [];
    const skipped = this.#options.yolo() || mode === 'off' || (!call.humanPresent && headless === 'approve');
    return findings.filter((finding) =>
      finding.evenWithoutApprovals ? true : !skipped && !this.#approvals.covers(call.sessionId, finding),
    );
  }

  /** What counts only after text from outside says where that came from, or does not count. */
  #withOrigin(findings: readonly Finding[]): readonly Finding[] {
    if (!findings.some((finding) => finding.onlyAfterOutsideText)) return findings;
    const sources = this.#options.outside?.() ?? [];
    return findings.flatMap((finding) => {
      if (finding.onlyAfterOutsideText !== true) return [finding];
      if (sources.length === 0) return [];
      return [
        { ...finding, description: `${finding.description}, after text from outside entered (${sources.join(', ')})` },
      ];
    });
  }

  async #settle(choice: ApprovalChoice, judged: Judged, pending: readonly Finding[]): Promise<PolicyDecision> {
    const reasons = pending.map((finding) => finding.description);
    if (choice === 'deny' || choice === 'timeout') {
      return refuse(judged.call.tool, reasons.join('; '), deniedMessage(reasons, choice === 'timeout'));
    }
    await this.#approvals.remember(judged.call.sessionId, pending, choice);
    judged.onAllowed?.();
    return allow;
  }
}

async function takesCommands(command: string): Promise<boolean> {
  const { readsCommands } = await import('../../safety/commands/reads-commands.ts');
  return readsCommands(command);
}
