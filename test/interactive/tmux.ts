/** A real terminal for tests: hermes in a tmux pane, typed into and read from the screen. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { mainFile, type Place } from '../cli/hermes-process.ts';

/** Why terminal tests cannot run here; `false` when they can. */
export const noTmux = spawnSync('tmux', ['-V']).status === 0 ? false : 'tmux is not installed';

const deadlineMs = 20_000;

export interface Pane {
  /** Types keys as tmux names them (`Enter`, `C-c`, `M-Enter`). */
  keys(...keys: string[]): void;
  /** Types text as it is. */
  type(text: string): void;
  /** Pastes text in brackets, as a terminal does. */
  paste(text: string): void;
  /** The lines of the screen and what scrolled off it. */
  screen(): string;
  /** Waits until the screen fits; throws with the screen when it does not in time. */
  sees(pattern: RegExp): Promise<string>;
  /** Waits until the program has ended; gives the exit code. */
  ended(): Promise<number>;
}

export interface PaneOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts hermes with `args` in a pane of its own server, which ends with the test. */
export function openPane(t: TestContext, place: Place, args: readonly string[] = [], options: PaneOptions = {}): Pane {
  const socket = `hermes-test-${randomBytes(6).toString('hex')}`;
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...words], { encoding: 'utf8', cwd: place.work });
  const env = { ...place.env, TERM: 'screen-256color', ...options.env };
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  const command = `env -i ${assignments.join(' ')} ${[process.execPath, mainFile, ...args].map(quote).join(' ')}; echo "[left with $?]"; cat`;
  tmux('new-session', '-d', '-x', String(options.columns ?? 100), '-y', String(options.rows ?? 40), command);
  t.after(() => spawnSync('tmux', ['-L', socket, 'kill-server']));
  const screen = (): string => tmux('capture-pane', '-p', '-S', '-500').trimEnd();
  const sees = async (pattern: RegExp): Promise<string> => {
    for (const end = Date.now() + deadlineMs; Date.now() < end; ) {
      const text = screen();
      if (pattern.test(text)) return text;
      await delay(40);
    }
    throw new Error(`the screen never showed ${pattern}:\n${screen()}`);
  };
  return {
    keys: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    paste(text) {
      tmux('set-buffer', text);
      tmux('paste-buffer', '-p');
    },
    screen,
    sees,
    async ended() {
      const text = await sees(/\[left with \d+\]/);
      return Number(/\[left with (\d+)\]/.exec(text)?.[1]);
    },
  };
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
