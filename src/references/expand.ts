/** Attaches what a message refers to with `@`: files, folders, changes and pages. */
import type { Environment } from '../environments/environment.ts';
import { errorCode, errorMessage } from '../lib/errors.ts';
import type { Source } from '../llm/source.ts';
import { refuseWebAddress } from '../safety/web-address.ts';
import { type Attachment, attachFile } from './attach-file.ts';
import { attachFolder } from './attach-folder.ts';
import { attachGit, gitLabel } from './attach-git.ts';
import { parseReferences, type Reference } from './parse.ts';
import type { Workspace } from './workspace.ts';

export interface ReferenceOptions extends Omit<Workspace, 'files' | 'root'> {
  readonly environment: Pick<Environment, 'files' | 'runProgram' | 'findProgram' | 'cwd'>;
  /** Default: the environment's working directory. */
  readonly root?: string;
  /** Tokens that the model can take in all. */
  readonly contextLength: number;
  /** The readable text of a public page, as Markdown; must itself refuse names that lead to private addresses. */
  readonly readPage?: (url: string, signal: AbortSignal) => Promise<string>;
  /** `security.allow_private_urls`: pages of the network around this machine may be asked for. */
  readonly allowPrivatePages?: boolean;
  /** Milliseconds a page may take; default 30,000. */
  readonly pageTimeoutMs?: number;
  /** Whose words a file may hold besides those of its writer; must not reject. */
  readonly carriedBy?: (path: string) => Promise<readonly Source[]>;
  /** Masks secrets in what is attached. */
  readonly redact: (text: string) => string;
  readonly signal: AbortSignal;
}

export interface ExpandedMessage {
  /** What is sent in place of the message; the message itself when nothing was attached. */
  readonly text: string;
  /** True when the references ask for more than half of the context: nothing was attached. */
  readonly blocked: boolean;
  /** For the user, one line each; those about single references are in `text` as well. */
  readonly warnings: readonly string[];
  /** Tokens of what was attached, four characters each. */
  readonly tokens: number;
  /** Where the text comes from: the user, and what was attached. */
  readonly sources: readonly Source[];
}

interface Block {
  readonly text: string;
  readonly tokens: number;
}

const user: readonly Source[] = [{ from: 'user' }];
const pageTimeoutMs = 30_000;
const warnShare = 0.25;
const refuseShare = 0.5;
const maxReferences = 50;

/** Never rejects, except when `signal` aborts: a reference that cannot be had is a warning. */
export async function expandReferences(message: string, options: ReferenceOptions): Promise<ExpandedMessage> {
  const { references, rest } = parseReferences(message);
  if (references.length === 0) return { text: message, blocked: false, warnings: [], tokens: 0, sources: user };
  const blocks: Block[] = [];
  const warnings: string[] = [];
  const limit = Math.floor(options.contextLength * refuseShare);
  const sources: Source[] = [...user];
  let tokens = 0;
  for (const reference of references.slice(0, maxReferences)) {
    const attached = await attach(reference, options, limit);
    if ('problem' in attached) {
      warnings.push(`${reference.raw}: ${attached.problem}`);
      continue;
    }
    const body = options.redact(attached.body);
    const block = { text: `${label(reference)} (${estimate(body)} tokens)\n${body}`, tokens: estimate(body) };
    blocks.push(block);
    tokens += block.tokens;
    sources.push(sourceOf(reference));
    if (reference.kind === 'file') sources.push(...((await options.carriedBy?.(reference.path)) ?? []));
    if (tokens > limit) return refused(message, tokens, limit);
  }
  if (references.length > maxReferences) warnings.push(`only the first ${maxReferences} references were read`);
  if (tokens > options.contextLength * warnShare) {
    warnings.push(`the attached context is about ${tokens} tokens, more than 25% of the model's context`);
  }
  return { text: render(rest, warnings, blocks), blocked: false, warnings, tokens, sources };
}

function sourceOf(reference: Reference): Source {
  if (reference.kind === 'url') return { from: 'page', name: URL.parse(reference.url)?.host ?? reference.url };
  return { from: 'file', name: 'path' in reference ? reference.path : reference.raw };
}

function refused(message: string, tokens: number, limit: number): ExpandedMessage {
  const warning = `The references need at least ${tokens} tokens; the limit is ${limit}, 50% of the model's context. Nothing was attached.`;
  return { text: message, blocked: true, warnings: [warning], tokens: 0, sources: user };
}

function render(rest: string, warnings: readonly string[], blocks: readonly Block[]): string {
  const parts = [rest];
  if (warnings.length > 0) {
    parts.push(['--- Context Warnings ---', ...warnings.map((warning) => `- ${warning}`)].join('\n'));
  }
  if (blocks.length > 0) parts.push('--- Attached Context ---', ...blocks.map(({ text }) => text));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function attach(reference: Reference, options: ReferenceOptions, limit: number): Promise<Attachment> {
  const { environment, signal } = options;
  const workspace: Workspace = { ...options, files: environment.files, root: options.root ?? environment.cwd };
  try {
    switch (reference.kind) {
      case 'file':
        return await attachFile(reference.path, reference.lines, workspace, signal);
      case 'folder':
        return await attachFolder(reference.path, workspace, environment, signal);
      case 'url':
        return await attachPage(reference.url, options, 4 * limit);
      default:
        // One character more than fits, so that what is too long is seen to be.
        return await attachGit(reference, environment, { cwd: workspace.root, signal, maxChars: 4 * limit + 5 });
    }
  } catch (error) {
    signal.throwIfAborted();
    return { problem: `cannot be read (${errorCode(error) ?? errorMessage(error).slice(0, 200)})` };
  }
}

async function attachPage(url: string, options: ReferenceOptions, maxChars: number): Promise<Attachment> {
  if (options.readPage === undefined) return { problem: 'web pages cannot be read here' };
  const refusal = refuseWebAddress(url, { allowPrivate: options.allowPrivatePages ?? false });
  if (refusal !== undefined) return { problem: refusal };
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.pageTimeoutMs ?? pageTimeoutMs)]);
  const text = await Promise.race([options.readPage(url, signal), rejectionOf(signal)]);
  return text.trim() === ''
    ? { problem: 'the page has no readable text' }
    : { body: text.trim().slice(0, maxChars + 5) };
}

/** Rejects when the signal aborts, so that a reader that does not listen to it holds up nobody. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
}

function label(reference: Reference): string {
  switch (reference.kind) {
    case 'file':
      return `📄 ${reference.raw}`;
    case 'folder':
      return `📁 ${reference.raw}`;
    case 'url':
      return `🌐 ${reference.raw}`;
    default:
      return `🧾 ${gitLabel(reference)}`;
  }
}

function estimate(text: string): number {
  return Math.ceil(text.length / 4);
}
