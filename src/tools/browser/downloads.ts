/** Files that pages offer: kept where tools can read them, up to a size. */
import { mkdir, rename, copyFile, rm, stat, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Download, Page } from 'playwright-core';

export interface DownloadsOptions {
  /** Where the browser writes while a download goes on. */
  readonly from: string;
  /** Where finished ones are kept. */
  readonly to: string;
  /** Default 100,000,000. */
  readonly maxBytes?: number;
  /** Called around the moment a file appears: whose text it is. */
  readonly within: (host: string, work: () => Promise<void>) => Promise<void>;
}

export interface DownloadNews {
  readonly file: string;
  readonly path?: string;
  readonly bytes?: number;
  readonly error?: string;
}

const lookMs = 250;
const maxAtOnce = 5;
const maxNews = 20;

export class Downloads {
  readonly #options: DownloadsOptions;
  readonly #running = new Set<Promise<void>>();
  #news: DownloadNews[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #active = new Set<Download>();
  /** Cancelled here: the browser says the same of one that its server breaks off. */
  readonly #tooLarge = new WeakSet<Download>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  listen(page: Page): void {
    page.on('download', (download) => {
      const run = this.#take(download, hostOf(download.url()) ?? hostOf(page.url()) ?? '').catch(() => undefined);
      this.#running.add(run);
      void run.finally(() => this.#running.delete(run));
    });
  }

  /** Those that ended since the last call, and how many go on. */
  takeNews(): { readonly downloads?: readonly DownloadNews[]; readonly downloads_running?: number } {
    const news = this.#news;
    this.#news = [];
    return {
      ...(news.length === 0 ? {} : { downloads: news }),
      ...(this.#active.size === 0 ? {} : { downloads_running: this.#active.size }),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #take(download: Download, host: string): Promise<void> {
    const file = safeName(download.suggestedFilename());
    if (this.#active.size >= maxAtOnce) {
      await download.cancel();
      return this.#tell({ file, error: `more than ${maxAtOnce} downloads at once` });
    }
    this.#active.add(download);
    this.#timer ??= setInterval(() => void this.#look(), lookMs).unref();
    try {
      const failure = await download.failure();
      if (failure !== null) return this.#tell({ file, error: this.#reason(download, failure) });
      await this.#options.within(host, async () => this.#tell(await this.#keep(await download.path(), file)));
    } finally {
      this.#active.delete(download);
      if (this.#active.size === 0) this.#stopLooking();
    }
  }

  async #keep(written: string, file: string): Promise<DownloadNews> {
    const { size } = await stat(written);
    if (size > this.#maxBytes) {
      await rm(written, { force: true });
      return { file, error: this.#limit };
    }
    await mkdir(this.#options.to, { recursive: true });
    const path = await freeName(this.#options.to, file);
    // Temporary folders may be another disk.
    await rename(written, path).catch(() => copyFile(written, path));
    return { file, path, bytes: size };
  }

  /** The browser writes without a limit of its own. */
  async #look(): Promise<void> {
    const names = await readdir(this.#options.from).catch(() => []);
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(join(this.#options.from, name)).catch(() => undefined))?.size ?? 0),
    );
    if (sizes.reduce((sum, size) => sum + size, 0) <= this.#maxBytes) return;
    for (const download of this.#active) {
      this.#tooLarge.add(download);
      void download.cancel().catch(() => undefined);
    }
  }

  #stopLooking(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get #maxBytes(): number {
    return this.#options.maxBytes ?? 100_000_000;
  }

  get #limit(): string {
    return `larger than ${Math.round(this.#maxBytes / 1e6)} MB`;
  }

  #reason(download: Download, failure: string): string {
    if (this.#tooLarge.has(download)) return this.#limit;
    return failure === 'canceled' ? 'it broke off before its end' : failure;
  }

  #tell(news: DownloadNews): void {
    if (this.#news.length < maxNews) this.#news.push(news);
  }
}

/** Undefined for what stands in a page itself. */
function hostOf(address: string): string | undefined {
  return URL.parse(address)?.host || undefined;
}

/** The name that a page gives a file is its own choice. */
function safeName(suggested: string): string {
  const plain = basename(suggested.replaceAll('\\', '/')).replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return plain.replace(/^\.+/, '').slice(-100) || 'download';
}

async function freeName(folder: string, file: string): Promise<string> {
  const taken = new Set(await readdir(folder));
  const extension = extname(file);
  const stem = file.slice(0, file.length - extension.length);
  for (let count = 1; ; count++) {
    const name = count === 1 ? file : `${stem} (${count})${extension}`;
    if (!taken.has(name)) return join(folder, name);
  }
}
