/** A real terminal for tests: hermes in a tmux pane, typed into and read from the screen. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ModelServer } from '../../fakes/model-server.ts';
import { mainFile, makePlace, type Place } from '../hermes-process.ts';
import { TmuxClient } from './tmux-client.ts';

/** Why terminal tests cannot run here; `false` when they can. */
export const noTmux = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

const deadlineMs = 20_000;
const betweenLooksMs = 20;
/** A resized window is drawn anew without the program's doing. */
const stillMs = 500;

export interface Pane {
  /** Types keys as tmux names them (`Enter`, `C-c`, `M-Enter`). */
  keys(...keys: string[]): void;
  /** Types text as it is. */
  type(text: string): void;
  /** Types a line and sends it. */
  enter(line: string): void;
  /** Pastes text in brackets, as a terminal does. */
  paste(text: string): void;
  /** Pastes text without brackets, as an old terminal does. */
  pasteBare(text: string): void;
  /** The lines of the screen and what scrolled off it. */
  screen(): string;
  /** The same as it was written, whatever the window made of long lines. */
  written(): string;
  /** What is visible, with its colours. */
  coloured(): string;
  /** Every byte that the program writes from now on goes to a file too. */
  record(path: string): void;
  resize(columns: number, rows: number): void;
  /** Waits until the screen fits; throws with the screen when it does not in time. */
  sees(pattern: RegExp): Promise<string>;
  /** Waits until the program has ended; gives the exit code. */
  ended(): Promise<number>;
  /** Closes the terminal. */
  close(): void;
  /** What the program calls the terminal. */
  readonly title: string;
  /** True when the cursor can be seen. */
  readonly cursorShown: boolean;
  /** What the program put into the clipboard. */
  readonly clipboard: string;
  /** Process id of the program. */
  readonly pid: number;
}

export interface PaneOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The colour behind everything, which the terminal tells when it is asked. */
  readonly background?: string;
  /** Printed by the shell before it starts the program. */
  readonly before?: string;
  /** What Node runs; default: hermes. */
  readonly node?: readonly string[];
  /** Another program than Node. */
  readonly program?: readonly string[];
  /** An interactive shell that knows jobs, in which `hermes` is the program; default: the program is started at once. */
  readonly jobs?: boolean;
}

/** Starts hermes with `args` in a pane of its own server, which ends with the test. */
export function openPane(
  t: TestContext,
  place: Pick<Place, 'work' | 'env'>,
  args: readonly string[] = [],
  options: PaneOptions = {},
): Pane {
  const socket = `hermes-test-${randomBytes(6).toString('hex')}`;
  // `-u`: what is read is UTF-8, also where the locale does not say so.
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-u', '-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', cwd: place.work });
  const env = { ...place.env, TERM: 'screen-256color', ...options.env };
  const cleanly = ['env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)].map(quote).join(' ');
  const started = options.program ?? [process.execPath, ...(options.node ?? [mainFile])];
  const program = [...started, ...args].map(quote).join(' ');
  const once = `echo ${quote(options.before ?? '')}; ${cleanly} ${program}; echo "[left with $?]"; stty -a | grep -o '.icanon'; cat`;
  const command = options.jobs === true ? `${cleanly} bash --norc --noprofile -i` : once;
  const background = options.background === undefined ? [] : ['window-style', `bg=${options.background}`];
  const size = ['-x', String(options.columns ?? 100), '-y', String(options.rows ?? 40)];
  // Options that a window takes over must stand before there is one.
  const steps = [
    ['new-session', '-d', '-x', '80', '-y', '24', 'cat'],
    ['set-option', '-g', 'history-limit', '5000'],
    ['set-option', '-s', 'set-clipboard', 'on'],
    ...(background.length === 0 ? [] : [['set-option', '-g', ...background]]),
    ['new-session', '-d', '-s', 'test', ...size, command],
  ];
  tmux(...steps.flatMap((step, index) => (index === 0 ? step : [';', ...step])));
  const client = new TmuxClient(['-u', '-L', socket, 'attach-session', '-t', 'test', '-f', 'ignore-size']);
  t.after(async () => await client.endServer());
  const target = ['-t', 'test'] as const;
  // In the order they were asked for; what goes wrong shows on the screen that is waited for.
  const send = (...words: string[]): void => void client.ask(...words).catch(() => undefined);
  const keys = (...names: string[]): void => send('send-keys', ...target, ...names);
  const type = (text: string): void => send('send-keys', ...target, '-l', text);
  const capture = ['capture-pane', ...target, '-p', '-S', '-5000'] as const;
  const screen = (): string => tmux(...capture).trimEnd();
  const sees = async (pattern: RegExp): Promise<string> => {
    let text = '';
    for (const end = Date.now() + deadlineMs; Date.now() < end && !client.gone; ) {
      const { changes } = client;
      text = (await client.ask(...capture)).trimEnd();
      if (pattern.test(text)) {
        await client.drawn();
        return text;
      }
      await client.change(changes, stillMs);
      // What is being drawn comes in many pieces.
      await delay(betweenLooksMs);
    }
    throw new Error(`the screen never showed ${pattern}:\n${text}`);
  };
  if (options.jobs === true) type(`alias hermes=${quote(program)}; PS1='shell> '\r`);
  return {
    keys,
    type,
    enter(line) {
      type(line);
      keys('Enter');
    },
    paste(text) {
      send('set-buffer', text);
      send('paste-buffer', ...target, '-p');
    },
    pasteBare(text) {
      send('set-buffer', text);
      send('paste-buffer', ...target);
    },
    screen,
    written: () => tmux('capture-pane', ...target, '-p', '-J', '-S', '-5000').trimEnd(),
    coloured: () => tmux('capture-pane', ...target, '-p', '-e'),
    record: (path) => send('pipe-pane', ...target, `cat >${quote(path)}`),
    resize: (columns, rows) => send('resize-window', ...target, '-x', String(columns), '-y', String(rows)),
    sees,
    async ended() {
      const text = await sees(/\[left with \d+\]/);
      return Number(/\[left with (\d+)\]/.exec(text)?.[1]);
    },
    close: () => send('kill-pane', ...target),
    get title() {
      return tmux('display-message', ...target, '-p', '#{pane_title}').trim();
    },
    get cursorShown() {
      return tmux('display-message', ...target, '-p', '#{cursor_flag}').trim() === '1';
    },
    get clipboard() {
      return tmux('show-buffer');
    },
    get pid() {
      const shell = tmux('display-message', ...target, '-p', '#{pane_pid}').trim();
      return Number(execFileSync('pgrep', ['-P', shell, '-n'], { encoding: 'utf8' }));
    },
  };
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A conversation whose model has begun an answer to `go` that never ends. */
export async function openBusyPane(t: TestContext, server: ModelServer): Promise<Pane> {
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'beginning of an answer that never ends', gateAfterFirst: never });
  const pane = openPane(t, makePlace(t, server));
  await pane.sees(/Type a message/);
  pane.enter('go');
  await pane.sees(/beginning/);
  return pane;
}
