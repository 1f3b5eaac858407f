/** Works out what a V4A patch would make of the files, and everything that is against it; nothing is written. */
import type { FilePath, ToolContext } from '../../../agent/tool.ts';
import type { ToolServices } from '../../services.ts';
import { refusedData } from '../data-syntax.ts';
import { answering, decodeExactly, type FileProblem, openFile } from '../file-access.ts';
import { bringsMasksBack } from '../masked-secrets.ts';
import { staleFile } from '../save-file.ts';
import { applyHunks } from './apply-hunks.ts';
import type { FileOperation } from './parse-patch.ts';

export type PatchStep =
  | {
      readonly kind: 'write';
      readonly target: FilePath;
      /** Undefined for a new file. */
      readonly before: string | undefined;
      readonly after: string;
    }
  | { readonly kind: 'delete'; readonly target: FilePath; readonly before: string | undefined }
  | { readonly kind: 'move'; readonly target: FilePath; readonly to: FilePath };

/** `isMiss`: lines of a hunk are not where they should be. */
type Planned = PatchStep | (FileProblem & { readonly isMiss?: true });

/** What a path holds once the steps before are done; undefined: nothing. */
type Held = { readonly text: string } | { readonly at: FilePath } | undefined;

/** One operation after the other, each on what the ones before it leave behind. */
export class PatchPlan {
  readonly #context: ToolContext<ToolServices>;
  readonly #held = new Map<string, Held>();

  constructor(context: ToolContext<ToolServices>) {
    this.#context = context;
  }

  async plan(operation: FileOperation): Promise<Planned> {
    return await answering(`${operation.kind} ${operation.path}`, () => this.#planned(operation));
  }

  async #planned(operation: FileOperation): Promise<Planned> {
    const target = this.#pathOf(operation.path);
    const climbing = [operation.path, ...(operation.kind === 'move' ? [operation.to] : [])].find(climbs);
    if (climbing !== undefined) return { error: `a path in a patch must not hold '..': ${climbing}` };
    switch (operation.kind) {
      case 'update':
        return await this.#update(target, operation);
      case 'add':
        return await this.#add(target, operation.content);
      case 'delete':
        return await this.#delete(target);
      case 'move':
        return await this.#move(target, this.#pathOf(operation.to));
    }
  }

  async #update(target: FilePath, { hunks }: Extract<FileOperation, { kind: 'update' }>): Promise<Planned> {
    const opened = await this.#read(target);
    if ('error' in opened) return opened;
    const after = applyHunks(opened.text, hunks);
    if (typeof after !== 'string') return { error: after.problem, isMiss: true };
    if (bringsMasksBack(opened.text, after, this.#context.services.redact)) {
      return { error: 'the patch would put masked secrets in the place of the real ones; leave those lines out.' };
    }
    return await this.#write(target, opened.text, after);
  }

  async #add(target: FilePath, content: string): Promise<Planned> {
    if (!(await this.#exists(target))) return await this.#write(target, undefined, content);
    const opened = await this.#read(target);
    return 'error' in opened ? opened : await this.#write(target, opened.text, content);
  }

  async #write(target: FilePath, before: string | undefined, after: string): Promise<Planned> {
    const refused = (await this.#denied(target, 'write')) ?? (await refusedData(target.path, after));
    if (refused !== undefined) return refused;
    this.#held.set(target.resolved, { text: after });
    return { kind: 'write', target, before, after };
  }

  async #delete(target: FilePath): Promise<Planned> {
    if (!(await this.#exists(target))) return { error: 'there is no such file to delete.' };
    const denied = await this.#denied(target, 'move');
    if (denied !== undefined) return denied;
    const stat = this.#held.has(target.resolved) ? undefined : await this.#files.stat(target.resolved);
    if (stat !== undefined && stat.kind !== 'file') return { error: 'not a file; only files can be deleted here.' };
    const opened = await this.#read(target);
    this.#held.set(target.resolved, undefined);
    // What is no text can go as well; only its diff is missing then.
    return { kind: 'delete', target, before: 'error' in opened ? undefined : opened.text };
  }

  async #move(target: FilePath, to: FilePath): Promise<Planned> {
    if (!(await this.#exists(target))) return { error: 'there is no such file to move.' };
    if (await this.#exists(to)) return { error: `${to.path} exists already.` };
    const stat = this.#held.has(target.resolved) ? undefined : await this.#files.stat(target.resolved);
    if (stat !== undefined && stat.kind !== 'file') return { error: 'not a file; only files can be moved here.' };
    const real = await this.#files.realPath(target.resolved);
    const unreadable = this.#context.services.guard.denyRead(real);
    const denied =
      unreadable === undefined
        ? ((await this.#denied(target, 'move')) ?? (await this.#denied(to, 'move')))
        : { error: unreadable };
    if (denied !== undefined) return denied;
    this.#held.set(to.resolved, this.#held.get(target.resolved) ?? { at: target });
    this.#held.set(target.resolved, undefined);
    return { kind: 'move', target, to };
  }

  async #read(target: FilePath): Promise<{ readonly text: string } | FileProblem> {
    const held = this.#held.has(target.resolved) ? this.#held.get(target.resolved) : { at: target };
    if (held === undefined) return { error: `File not found: ${target.path}` };
    if ('text' in held) return held;
    const { services, signal } = this.#context;
    const opened = await openFile(services.files, held.at, signal);
    if ('error' in opened) return opened;
    const stale = await staleFile(held.at, opened.bytes, this.#context);
    if (stale !== undefined) return stale;
    const text = decodeExactly(opened.bytes);
    return text === undefined ? { error: 'not UTF-8 text' } : { text };
  }

  async #exists({ resolved }: FilePath): Promise<boolean> {
    if (this.#held.has(resolved)) return this.#held.get(resolved) !== undefined;
    return (await this.#files.stat(resolved)) !== undefined;
  }

  async #denied({ resolved }: FilePath, what: 'write' | 'move'): Promise<FileProblem | undefined> {
    const { guard } = this.#context.services;
    const real = await this.#files.realPath(resolved);
    const denied = what === 'write' ? guard.denyWrite(real) : guard.denyMove(real);
    return denied === undefined ? undefined : { error: denied };
  }

  #pathOf(path: string): FilePath {
    return { path, resolved: this.#files.resolve(path) };
  }

  get #files() {
    return this.#context.services.files;
  }
}

function climbs(path: string): boolean {
  return path.split(/[\\/]/).includes('..');
}
