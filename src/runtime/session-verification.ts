/** Keeps the record of what a session changed and how it was checked, and asks for a check before a turn ends. */
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { FinishedCall } from '../agent/run-tool-calls.ts';
import type { Verifier } from '../agent/verifier.ts';
import type { Unverified } from '../coding/demand.ts';
import type { Config } from '../config/schema.ts';
import { parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { VerificationLedger, VerificationPlace } from '../sessions/verification-ledger.ts';

export interface SessionVerificationOptions {
  readonly homePath: string;
  /** The user's own directory, which is no workspace. */
  readonly userHome: string;
  readonly sessionId: () => string;
  /** Whether a turn may be asked for a check; the record is kept either way. */
  readonly asks: boolean;
  readonly guidance: boolean;
  readonly log: Log;
}

const maxDemands = 2;
const outputShape = z.object({ output: z.string() }).catch({ output: '' });

export class SessionVerification implements Verifier {
  readonly #options: SessionVerificationOptions;
  /** By root: what was changed in this turn. */
  readonly #changed = new Map<string, Set<string>>();
  #demands = 0;
  #ledger: Promise<VerificationLedger> | undefined;
  /** Under which the record was last kept. */
  #keptAs: string | undefined;
  #isBroken = false;
  #work: Promise<void> = Promise.resolve();

  constructor(options: SessionVerificationOptions) {
    this.#options = options;
  }

  startTurn(): void {
    this.#changed.clear();
    this.#demands = 0;
  }

  note({ details: { changedFiles = [], ran, exitCode }, result }: FinishedCall): void {
    if (changedFiles.length > 0) this.#later(async () => await this.#noteEdits(changedFiles));
    if (ran === undefined || exitCode === undefined) return;
    this.#later(async () => await this.#noteCommand(ran, exitCode, result));
  }

  async demand(): Promise<string | undefined> {
    await this.#work;
    if (!this.#options.asks || this.#isBroken || this.#demands >= maxDemands) return undefined;
    let text: string | undefined;
    this.#later(async () => {
      for (const [root, paths] of this.#changed) text ??= await this.#demandFor(root, [...paths]);
    });
    await this.#work;
    if (text !== undefined) this.#demands += 1;
    return text;
  }

  async close(): Promise<void> {
    await this.#work;
    const ledger = await this.#ledger?.catch(() => undefined); // What could not be opened was logged then.
    await ledger?.close();
  }

  /** One after the other, in the order of the calls. The record is worth no turn: without it nothing is asked for. */
  #later(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#isBroken) return;
      try {
        await work();
      } catch (error) {
        this.#isBroken = true;
        this.#options.log.error('the record of checks cannot be kept', error);
      }
    });
  }

  async #noteEdits(paths: readonly string[]): Promise<void> {
    const [{ findWorkspace }, { isProse }] = await Promise.all([
      import('../coding/workspace.ts'),
      import('../coding/prose.ts'),
    ]);
    for (const path of paths.filter((name) => !isProse(name))) {
      const root = findWorkspace(dirname(path), this.#options.userHome)?.root;
      if (root === undefined) continue;
      const known = this.#changed.get(root) ?? new Set();
      this.#changed.set(root, known.add(path));
      await (await this.#open()).recordEdit(await this.#place(root), [path]);
    }
  }

  async #noteCommand(
    { command, directory }: NonNullable<FinishedCall['details']['ran']>,
    exitCode: number,
    result: string,
  ): Promise<void> {
    const { checkOf } = await import('../coding/check-of.ts');
    const check = checkOf(command, directory, this.#options.userHome);
    if (check === undefined) return;
    const { root, evidence } = check;
    const { output } = outputShape.parse(parseJson(result));
    const event = { cwd: directory, command, ...evidence, exitCode, output };
    await (await this.#open()).recordCheck(await this.#place(root), event);
  }

  async #demandFor(root: string, changedPaths: readonly string[]): Promise<string | undefined> {
    const { status, last } = await (await this.#open()).state(await this.#place(root));
    if (status === 'passed') return undefined;
    const [{ projectFacts }, { demandText }] = await Promise.all([
      import('../coding/project-facts.ts'),
      import('../coding/demand.ts'),
    ]);
    const { verifyCommands } = projectFacts(root);
    const state: Unverified = status;
    const shown = last === undefined ? {} : { last };
    return demandText({ status: state, changedPaths, verifyCommands, guidance: this.#options.guidance, ...shown });
  }

  async #open(): Promise<VerificationLedger> {
    this.#ledger ??= import('../sessions/verification-ledger.ts').then(
      async ({ VerificationLedger }) =>
        await VerificationLedger.open(join(this.#options.homePath, 'verification_evidence.db')),
    );
    return await this.#ledger;
  }

  /** A compaction may have moved the conversation to another session. */
  async #place(root: string): Promise<VerificationPlace> {
    const sessionId = this.#options.sessionId();
    if (this.#keptAs !== undefined && this.#keptAs !== sessionId)
      await (await this.#open()).carry(this.#keptAs, sessionId);
    this.#keptAs = sessionId;
    return { sessionId, root };
  }
}

/** Where somebody works on files; chats on messaging platforms are not meant. */
const surfaces = new Set('cli codex desktop gateway local tui tool api_server webhook msgraph_webhook'.split(' '));

/** Whether turns on this surface are asked for a check of what they changed. */
export function verifiesOnStop({ agent }: Config, surface: string): boolean {
  if (agent.verify_on_stop !== 'auto') return agent.verify_on_stop;
  const isCoding = agent.coding_context !== 'off' && agent.coding_context !== 'never';
  return isCoding && (surface === '' || surfaces.has(surface));
}
