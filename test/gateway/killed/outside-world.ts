/** A home with a chat service before it and a model behind it, and gateways that are started on it and killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryHome } from '../../config/temporary-home.ts';
import type { ModelServer } from '../../fakes/model-server.ts';
import { judge, type Verdict } from './judge.ts';
import { startOutsideModel } from './outside-model.ts';
import { type OutsideService, startOutsideService, type Update } from './outside-service.ts';

const program = fileURLToPath(new URL('gateway-child.ts', import.meta.url));

export interface WorldOptions {
  readonly streaming?: boolean;
  /** With `streaming`: every answer that was shown is sent anew when it is complete, and what was shown is taken away. */
  readonly sentAnew?: boolean;
  readonly busyMode?: 'queue' | 'steer' | 'interrupt';
  readonly maxMessageLength?: number;
  /** Another Hermes answers, in the place of the model. */
  readonly proxied?: boolean;
  /** How much shorter the waits of a gateway are. */
  readonly speed?: number;
}

export class OutsideWorld implements AsyncDisposable {
  readonly base: string;
  readonly service: OutsideService;
  readonly model: ModelServer;
  /** Told all that happens outside. */
  onHappening: (what: string) => void = () => undefined;
  /** What the gateways said before they ended; for whoever looks why one failed. */
  output = '';
  readonly #options: WorldOptions;
  readonly #effects: string;
  readonly #counts = new Map<string, number>();
  #child: ChildProcess | undefined;

  static async open(
    t: { readonly after: (end: () => unknown) => void },
    options: WorldOptions = {},
  ): Promise<OutsideWorld> {
    const { write, env } = temporaryHome(t);
    const base = env['HOME'] ?? '';
    mkdirSync(join(base, 'work'));
    const effects = join(base, 'effects');
    const service = await startOutsideService();
    const { busyMode = 'queue' } = options;
    const happened = (): void => world.onHappening('model');
    const model = await startOutsideModel(effects, { onRequest: happened, answersAll: busyMode !== 'queue' });
    write('config.yaml', configFor(model.url, options));
    const world = new OutsideWorld(base, service, model, effects, options);
    return world;
  }

  private constructor(
    base: string,
    service: OutsideService,
    model: ModelServer,
    effects: string,
    options: WorldOptions,
  ) {
    this.base = base;
    this.service = service;
    this.model = model;
    this.#effects = effects;
    this.#options = options;
    service.onHappening = (what) => this.onHappening(what);
  }

  /** Everybody who wrote was told something. */
  get isQuiet(): boolean {
    const { lost, unacknowledged } = this.verdict();
    return lost.length === 0 && unacknowledged.length === 0;
  }

  /** A person writes the next numbered message of a chat. */
  say(chat: number, what = 'say'): Update {
    const count = (this.#counts.get(`c${chat}`) ?? 0) + 1;
    this.#counts.set(`c${chat}`, count);
    return this.service.say(`c${chat}`, `${what} c${chat}#${count}`);
  }

  /** `wrap`: a program, with its arguments, that the gateway runs under. */
  start(wrap: readonly string[] = []): Running {
    const { speed = 50, maxMessageLength = 4096 } = this.#options;
    const given = [this.base, this.service.url, `${speed}`, `${maxMessageLength}`, `${process.pid}`];
    const args = [...wrap, process.execPath, program, ...given];
    const child = spawn(args[0] ?? '', args.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    const keep = (text: string): void => {
      this.output = (this.output + text).slice(-20_000);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const ended = once(child, 'close').then(([code, signal]) => signal ?? code);
    return { ended, kill: (signal = 'SIGKILL') => void child.kill(signal) };
  }

  /** Lets a gateway do what is left, until everybody who wrote was told something, and stops it. */
  async finish(withinMs = 120_000): Promise<Verdict> {
    this.service.trouble = () => undefined;
    const ending = await this.answerAll(this.start(), withinMs);
    if (ending !== 0) throw new Error(`the last gateway ended with ${String(ending)}: ${this.output}`);
    return this.verdict();
  }

  /** Asks a gateway to stop when everybody who wrote was told something; resolves with how it ended. */
  async answerAll(running: Running, withinMs: number): Promise<unknown> {
    const over = new AbortController();
    void running.ended.then(() => over.abort());
    const late = AbortSignal.any([over.signal, AbortSignal.timeout(withinMs)]);
    while (!late.aborted && !this.isQuiet) await new Promise((resolve) => setTimeout(resolve, 50));
    this.service.stopping = true;
    const ending = await running.ended;
    this.service.stopping = false;
    return ending;
  }

  verdict(): Verdict {
    const effects = existsSync(this.#effects) ? readFileSync(this.#effects, 'utf8') : '';
    return judge(this.service.updates, this.service.sent, effects);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.service[Symbol.asyncDispose]();
    await this.model.close();
  }
}

export interface Running {
  /** The exit code, or the signal. */
  readonly ended: Promise<unknown>;
  readonly kill: (signal?: NodeJS.Signals) => void;
}

function configFor(
  url: string,
  { streaming = false, sentAnew = false, busyMode = 'queue', proxied }: WorldOptions,
): string {
  const model = `model:
  provider: custom
  base_url: ${url}
  default: test-model
  api_key: test-key
`;
  return `${
    proxied === true
      ? `gateway:
  proxy_url: ${url}
`
      : model
  }auxiliary:
  title_generation:
    enabled: false
approvals:
  mode: off
  cron_mode: approve
memory:
  nudge_interval: 0
skills:
  creation_nudge_interval: 0
streaming:
  fresh_final_after_seconds: ${sentAnew ? 0.001 : 0}
display:
  busy_input_mode: ${busyMode}
  busy_ack_enabled: false
  platforms:
    outside:
      streaming: ${streaming}
      tool_progress: off
`;
}
