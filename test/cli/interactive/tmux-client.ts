/**
 * One client of a tmux server in control mode (tmux(1), CONTROL MODE): commands are lines, and what the terminal shows is
 * told. A process for each look at the screen took most of the time of the terminal's tests.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const momentMs = 60;
/** What moves all the time is not waited for. */
const mostMoments = 5;

interface Asked {
  readonly lines: string[];
  readonly answer: PromiseWithResolvers<string>;
}

export class TmuxClient {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #asked: Asked[] = [];
  /** How the answer ends that is being read. */
  #end: string | undefined;
  #changes = 0;
  #woken = Promise.withResolvers<void>();
  #gone = false;

  /** @param words what `tmux` is called with to attach */
  constructor(words: readonly string[]) {
    this.#child = spawn('tmux', ['-C', ...words], { stdio: 'pipe' });
    // A server that has ended takes no more.
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#read(line));
    this.#child.on('close', () => this.#leave());
  }

  /** How often the terminal has shown something new. */
  get changes(): number {
    return this.#changes;
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Runs one command; throws what tmux says against it, and when the server has gone. */
  async ask(...words: readonly string[]): Promise<string> {
    if (this.#gone) throw new Error('the terminal has gone');
    const asked = { lines: [], answer: Promise.withResolvers<string>() };
    this.#asked.push(asked);
    this.#child.stdin.write(`${words.map(quoteWord).join(' ')}\n`);
    return await asked.answer.promise;
  }

  /** Resolves when the terminal has shown something since `changes` was this number, after `ms`, or at its end. */
  async change(since: number, ms: number): Promise<void> {
    if (this.#gone || this.#changes !== since) return;
    const timer = setTimeout(() => this.#wake(), ms);
    await this.#woken.promise;
    clearTimeout(timer);
  }

  /** Resolves when nothing new was shown for a moment: a question hears no keys before it stands there whole. */
  async drawn(): Promise<void> {
    for (let look = 0; look < mostMoments; look += 1) {
      const since = this.#changes;
      await delay(momentMs);
      if (this.#changes === since) return;
    }
  }

  /** Ends the server, and with it all that runs in it. */
  async endServer(): Promise<void> {
    if (this.#gone) return;
    const closed = once(this.#child, 'close');
    this.#child.stdin.end('kill-server\n');
    await closed;
  }

  #read(line: string): void {
    const [asked] = this.#asked;
    if (this.#end !== undefined && asked !== undefined) {
      const failed = line === `%error ${this.#end}`;
      if (!failed && line !== `%end ${this.#end}`) return void asked.lines.push(line);
      this.#end = undefined;
      this.#asked.shift();
      const text = asked.lines.join('\n');
      if (failed) asked.answer.reject(new Error(`tmux: ${text}`));
      else asked.answer.resolve(text);
    } else if (/^%begin \d+ \d+ 1$/.test(line)) {
      // `1`: an answer to this client; others belong to what the server did by itself.
      this.#end = line.slice('%begin '.length);
    } else if (line.startsWith('%output ')) {
      this.#changes += 1;
      this.#wake();
    }
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  #leave(): void {
    this.#gone = true;
    this.#wake();
    for (const { answer } of this.#asked.splice(0)) answer.reject(new Error('the terminal has gone'));
  }
}

/** A word as tmux reads it; a command ends with its line. */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('\n', `'"\\n"'`)}'`;
}
