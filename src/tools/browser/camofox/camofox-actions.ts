/** What the tools of the browser do where a Camofox server drives it. */
import * as z from 'zod';
import type { ToolContext, ToolOutcome } from '../../../agent/tool.ts';
import { parseJson } from '../../../lib/json.ts';
import type { ToolServices } from '../../services.ts';
import { answered, type Context } from '../browse.ts';
import { NotDone } from '../not-done.ts';
import { fitSnapshot } from '../fit-snapshot.ts';
import { keepScreenshot } from '../keep-screenshot.ts';
import { type Look, lookAtPage, type TakenPicture } from '../looking.ts';
import { foundImages, imagesScript, maxValueChars, tooLarge } from '../page-scripts.ts';
import { robotWarning } from '../robot-warning.ts';
import type { OpenCamofox } from './camofox-browser.ts';
import { picturesIn, readTree, wholeTree } from './camofox-snapshot.ts';
import { rewriteLoopback } from './loopback-rewrite.ts';

const leastSeconds = 60;
const scrollPixels = 650;
const maxToldChars = 3000;

/** A search field is no secret, but nobody knows which field is one where no script can be run. */
const allSecrets = { has: () => true };
const passwords = z.array(z.string());
const passwordsScript = `[...document.querySelectorAll('input[type=password]')].map(({ value }) => value).filter((value) => value !== '')`;

export async function openPage(context: Context, address: URL | undefined): Promise<ToolOutcome> {
  const seconds = Math.max(leastSeconds, context.services.config.browser.command_timeout);
  return await command(context, async (open) => await navigate(open, address), { opens: true, seconds });
}

export async function snapshot(context: Context, full: boolean): Promise<ToolOutcome> {
  const read = async (open: OpenCamofox) => {
    await open.page.adopt(open);
    return (await readPage(open, full)).told;
  };
  return await command(context, read, { opens: true });
}

export async function click(context: Context, ref: string): Promise<ToolOutcome> {
  return await act(context, 'click', { ref: bareRef(ref) }, { clicked: ref });
}

export async function type(context: Context, ref: string, text: string): Promise<ToolOutcome> {
  return await act(context, 'type', { ref: bareRef(ref), text }, { typed: text, element: ref });
}

export async function press(context: Context, key: string): Promise<ToolOutcome> {
  return await act(context, 'press', { key }, { pressed: key });
}

export async function scroll(context: Context, direction: 'up' | 'down'): Promise<ToolOutcome> {
  return await act(context, 'scroll', { direction, amount: scrollPixels }, { scrolled: direction });
}

export async function back(context: Context): Promise<ToolOutcome> {
  return await command(context, async (open) => ({ url: (await open.page.act('back', {}, open)).url }));
}

export async function listImages(context: Context): Promise<ToolOutcome> {
  return await command(context, images);
}

export async function readConsole(context: Context): Promise<ToolOutcome> {
  return await command(context, () => {
    throw new NotDone('Camofox does not tell what pages wrote to the console; use browser_snapshot or browser_vision.');
  });
}

export async function evaluate(context: Context, expression: string): Promise<ToolOutcome> {
  return await command(context, async (open) => {
    const given = await open.page.evaluate(expression, open);
    if (!given.isSupported)
      throw new NotDone('This Camofox server runs no scripts; use browser_snapshot or browser_vision.');
    const text = JSON.stringify(given.result ?? null);
    if (text.length > maxValueChars) throw new NotDone(tooLarge(text.length));
    return { result: parseJson(text) ?? null };
  });
}

export async function look(args: Look, context: ToolContext<ToolServices>): Promise<ToolOutcome> {
  let taken: TakenPicture | undefined;
  const outcome = await command(context, async (open) => {
    const { value: bytes, shown } = await open.page.read(open, async (server, path, userId) => {
      return await server.bytes(`${path}/screenshot`, { userId }, open);
    });
    // Nothing can be drawn on the page, so what can be used is told beside the picture.
    const elements = args.annotate ? beginningOf((await readPage(open, false)).text) : undefined;
    const path = await keepScreenshot(bytes, shown.url, open);
    const question = elements === undefined ? args.question : `${args.question}\n\nThe page as text:\n${elements}`;
    taken = { path, bytes, question };
    return { screenshot_path: path, ...(elements === undefined ? {} : { snapshot: elements }) };
  });
  return taken === undefined ? outcome : await lookAtPage(outcome, taken, context);
}

async function command(
  context: Context,
  work: (open: OpenCamofox) => Promise<object>,
  { opens = false, seconds }: { readonly opens?: boolean; readonly seconds?: number } = {},
): Promise<ToolOutcome> {
  const { signal } = context;
  return await answered(context, async ({ camofox }) => {
    if (camofox === undefined) throw new NotDone('The browser of this session is another one now.');
    return await camofox.use({ signal, opens, ...(seconds === undefined ? {} : { seconds }) }, work);
  });
}

async function act(context: Context, verb: string, body: object, told: object): Promise<ToolOutcome> {
  return await command(context, async (open) => {
    const { url, moved } = await open.page.act(verb, body, open);
    return { ...told, ...(moved ? { url } : {}) };
  });
}

async function navigate(open: OpenCamofox, address: URL | undefined): Promise<object> {
  if (address === undefined) throw new NotDone('Blocked: not a valid web address.');
  const { page, loopbackAlias: alias, vncUrl } = open;
  const rewritten = alias === undefined ? undefined : rewriteLoopback(address, alias);
  const from = rewritten === undefined ? undefined : address.hostname;
  const { url, title } = await page.open(rewritten ?? address, from, open);
  const rewriting = {
    requested_url: address.href,
    url_rewrite: { from, to: alias, original_url: address.href, rewritten_url: rewritten?.href },
    warning: `${from} is ${alias} where the browser runs.`,
  };
  const watching = { vnc_url: vncUrl, vnc_hint: 'The person can watch the browser there: tell them the address.' };
  return {
    url,
    title,
    ...robotWarning(title),
    ...(rewritten === undefined ? {} : rewriting),
    ...(vncUrl === undefined ? {} : watching),
    ...(await readPage(open, false)).told,
  };
}

async function readPage(open: OpenCamofox, full: boolean): Promise<{ readonly text: string; readonly told: object }> {
  const { page } = open;
  const { value: tree, shown } = await page.read(open, async (server, path, userId) => {
    return await wholeTree(server, path, userId, open);
  });
  const secrets = /^\s*- (?:textbox|searchbox)\b.*: ./m.test(tree.tree) ? await secretsOf(open) : new Set<string>();
  const { text, elements, links } = readTree(tree, { full, secrets });
  page.remember(links.flatMap((link) => URL.parse(link, shown.url)?.href ?? []));
  return { text, told: { snapshot: await fitSnapshot(text, shown.url, open), element_count: elements } };
}

/** What stands in password fields is no business of the model. */
async function secretsOf(open: OpenCamofox): Promise<Pick<ReadonlySet<string>, 'has'>> {
  const given = await open.page.evaluate(passwordsScript, open);
  const found = given.isSupported ? passwords.safeParse(given.result) : undefined;
  return found?.success === true ? new Set(found.data) : allSecrets;
}

async function images(open: OpenCamofox): Promise<object> {
  const given = await open.page.evaluate(imagesScript, open);
  if (given.isSupported) {
    const all = foundImages.parse(given.result);
    return { images: all, count: all.length };
  }
  const { value } = await open.page.read(open, (server, path, userId) => wholeTree(server, path, userId, open));
  const all = picturesIn(value.tree);
  return { images: all, count: all.length };
}

function beginningOf(text: string): string {
  if (text.length <= maxToldChars) return text;
  return text.slice(0, Math.max(text.slice(0, maxToldChars).lastIndexOf('\n'), 0));
}

function bareRef(ref: string): string {
  const name = /^@?(e\d+)$/.exec(ref.trim())?.[1];
  if (name === undefined) throw new NotDone(`'${ref.slice(0, 50)}' is no reference: they look like @e5.`);
  return name;
}
