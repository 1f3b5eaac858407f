/** Records what the tab that is used shows, as a film: the browser gives pictures, ffmpeg makes the film of them. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startTalking, type TalkingProgram } from '../../environments/local/talking-program.ts';
import { OwnProcesses } from '../../environments/local/own-processes.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

export interface RecordingOptions {
  /** Path of ffmpeg. */
  readonly ffmpeg: string;
  /** What it sees of our environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly homePath: string;
  readonly log: Log;
  /** Called around the moment the film appears: whose words are in it. */
  readonly within: (host: string, work: () => Promise<void>) => Promise<void>;
}

const keptMs = 72 * 3_600_000;
const size = { width: 1280, height: 720 };
const framesPerSecond = 10;
/** Of pictures that ffmpeg has not taken yet; those above are left out. */
const maxWaitingBytes = 8_000_000;
const finishMs = 10_000;
const unfinished = '.part';

/** One film, from the first picture until `close`. Whatever goes wrong with it is logged and stops nothing else. */
export class Recording {
  readonly #options: RecordingOptions;
  readonly #processes: OwnProcesses;
  #encoder: Promise<TalkingProgram> | undefined;
  #path = '';
  #page: Page | undefined;
  #last: Buffer | undefined;
  #isOver = false;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#processes = new OwnProcesses(options.log);
  }

  /** From now on this tab is what the film shows. */
  follow(page: Page): void {
    const before = this.#page;
    if (before === page || this.#isOver) return;
    this.#page = page;
    void before?.screencast.stop().catch(() => undefined);
    const onFrame = ({ data }: { readonly data: Buffer }): void => {
      if (this.#page === page) void this.#add(data);
    };
    page.screencast.start({ onFrame, size, fps: framesPerSecond }).catch((error: unknown) => this.#failed(error));
  }

  /** Finishes the film. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await Promise.race([this.#page?.screencast.stop().catch(() => undefined), waitMs(finishMs)]);
    try {
      const encoder = await this.#encoder;
      if (encoder === undefined) return;
      // The last picture stands until here.
      if (this.#last !== undefined) encoder.input.write(this.#last);
      encoder.input.end();
      const ended = await Promise.race([encoder.exited, waitMs(finishMs)]);
      await encoder.end();
      if (ended !== 0) throw new Error(encoder.complaints() || `ffmpeg did not end within ${finishMs / 1000} seconds`);
      const host = URL.parse(this.#page?.url() ?? '')?.host ?? '';
      await this.#options.within(host, () => rename(this.#path + unfinished, this.#path));
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#processes.release();
    }
  }

  async #add(picture: Buffer): Promise<void> {
    if (this.#isOver) return;
    this.#last = picture;
    try {
      const { input } = await (this.#encoder ??= this.#start());
      if (!this.#isOver && input.writableLength <= maxWaitingBytes) input.write(picture);
    } catch (error) {
      this.#isOver = true;
      this.#failed(error);
    }
  }

  async #start(): Promise<TalkingProgram> {
    const { homePath, ffmpeg, env } = this.#options;
    const folder = join(homePath, 'browser_recordings');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder);
    const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
    this.#path = join(folder, `session_${time}_${randomBytes(4).toString('hex')}.webm`);
    // What a page shows is for its person alone.
    await writeFile(this.#path + unfinished, '', { mode: 0o600 });
    const words = [ffmpeg, ...encoding, this.#path + unfinished] as const;
    const encoder = await startTalking(words, { cwd: folder, env, processes: this.#processes });
    encoder.output.resume();
    return encoder;
  }

  #failed(error: unknown): void {
    this.#options.log.warning(`the browser is not recorded: ${errorMessage(error)}`);
  }
}

/** Pictures are taken for as long as they came apart. https://ffmpeg.org/ffmpeg-formats.html */
const encoding = [
  ...'-hide_banner -loglevel error -f image2pipe -framerate 25 -use_wallclock_as_timestamps 1 -c:v mjpeg -i pipe:0'.split(
    ' ',
  ),
  '-vf',
  `scale=${size.width}:${size.height}:force_original_aspect_ratio=decrease,pad=${size.width}:${size.height}:(ow-iw)/2:(oh-ih)/2`,
  ...'-an -fps_mode vfr -c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -threads 1 -fs 500M -f webm -y'.split(' '),
];

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    const isOld = found !== undefined && Date.now() - found.mtimeMs > keptMs;
    if (/^session_.*\.webm(?:\.part)?$/.test(name) && isOld) await rm(path, { force: true });
  }
}

async function waitMs(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref());
  return undefined;
}
