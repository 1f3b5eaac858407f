/** `hermes webhook`: routes that events of other programs come in by, made while the server runs. */
import { createHmac, randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { readWebhookRoute, type WebhookSettings, webhookSettings } from '../../config/webhooks.ts';
import { routeProblem } from '../../http/webhooks/route-table.ts';
import {
  changeSubscriptions,
  readSubscriptions,
  routeName,
  subscriptionsFile,
} from '../../http/webhooks/subscriptions.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { maskSecret } from '../../lib/secrets.ts';
import type { CliContext } from '../command.ts';

interface SubscribeOptions {
  readonly prompt: string;
  readonly events: string;
  readonly description: string;
  readonly skills: string;
  readonly deliver: string;
  readonly deliverChatId: string;
  readonly secret: string;
  readonly deliverOnly?: boolean;
  readonly script: string;
}

const testMs = 10_000;

export function build(context: CliContext): Command {
  const { io, home } = context;
  const path = subscriptionsFile(home.path);
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  const command = new Command('webhook').description('Events of other programs that the agent works on.');
  command
    .command('subscribe')
    .alias('add')
    .description('make a route, or replace one')
    .argument('<name>')
    .option('--prompt <text>', 'what the agent is asked; {name} stands for what the payload says there', '')
    .option('--events <names>', 'events that count, with commas between them; none: all', '')
    .option('--description <text>', 'what it is for', '')
    .option('--skills <names>', 'skills, with commas between them; the first that is there is loaded', '')
    .option('--deliver <where>', 'log, github_comment, or a chat platform', 'log')
    .option('--deliver-chat-id <id>', 'the chat; none: the home chat of the platform', '')
    .option('--secret <text>', 'what the sender signs with; none: one is made', '')
    .option('--deliver-only', 'deliver the prompt itself; no agent runs')
    .option('--script <file>', 'script below the folder scripts of the home that sees the payload first', '')
    .action(async (written: string, options: SubscribeOptions) => {
      const settings = await settingsOf(context);
      const name = requireName(written);
      const secret = options.secret || randomBytes(32).toString('base64url');
      const entry = entryFor(options, secret);
      requireServable(entry, settings);
      await changeSubscriptions(path, (routes) => ({ ...routes, [name]: entry }));
      print(`URL:    ${addressOf(settings, name)}`);
      print(`Secret: ${secret}`);
      if (settings.routes.has(name)) print(`The route '${name}' of config.yaml goes before it.`);
    });
  command
    .command('list')
    .alias('ls')
    .description('all routes of this kind')
    .action(async () => {
      const settings = await settingsOf(context);
      const routes = Object.entries(readSubscriptions(path));
      if (routes.length === 0) print('There are no subscriptions. Make one with: hermes webhook subscribe <name>');
      for (const [name, entry] of routes) print(describe(name, entry, settings));
    });
  command
    .command('remove')
    .alias('rm')
    .description('remove a route')
    .argument('<name>')
    .action(async (name: string) => {
      await settingsOf(context);
      await changeSubscriptions(path, (routes) => {
        if (!Object.hasOwn(routes, name)) throw unknown(name);
        return Object.fromEntries(Object.entries(routes).filter(([other]) => other !== name));
      });
      print(`Removed ${name}.`);
    });
  command
    .command('test')
    .description('send an event to a route of the server that runs here')
    .argument('<name>')
    .option('--payload <json>', 'what is sent', '')
    .action(async (name: string, { payload }: { readonly payload: string }) => {
      const settings = await settingsOf(context);
      const subscribed = readSubscriptions(path);
      const entry = Object.hasOwn(subscribed, name) ? readWebhookRoute(subscribed[name], settings.secret) : undefined;
      const route = settings.routes.get(name) ?? entry;
      if (route === undefined || typeof route === 'string') throw unknown(name);
      const message = 'A test of hermes webhook test';
      const body = payload || JSON.stringify({ test: true, event_type: 'test', message });
      const response = await send(addressOf(settings, name), body, route.secret);
      print(`${response.status} ${await response.text()}`);
      if (!response.ok) context.exitCode = 1;
    });
  return command;
}

async function settingsOf({ config, env }: CliContext): Promise<WebhookSettings> {
  const settings = webhookSettings(await config(), env);
  if (settings.enabled) return settings;
  throw new UserError('Webhooks are not switched on.', {
    hint: 'Set WEBHOOK_ENABLED=true in .env, or platforms.webhook.enabled: true in config.yaml, and start the gateway anew.',
  });
}

function requireName(written: string): string {
  const name = routeName(written);
  if (name !== undefined) return name;
  throw new UserError(`'${written}' cannot be the name of a route.`, {
    hint: 'Use small letters, digits, - and _; the first one a letter or a digit.',
  });
}

function entryFor(options: SubscribeOptions, secret: string): JsonObject {
  const { prompt, description, deliver, deliverChatId, deliverOnly, script } = options;
  return {
    description,
    events: listOf(options.events),
    secret,
    prompt,
    skills: listOf(options.skills),
    deliver,
    created_at: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    ...(deliverOnly === true ? { deliver_only: true } : {}),
    ...(script === '' ? {} : { script }),
    ...(deliverChatId === '' ? {} : { deliver_extra: { chat_id: deliverChatId } }),
  };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function requireServable(entry: JsonObject, { secret, host }: WebhookSettings): void {
  const route = readWebhookRoute(entry, secret);
  const problem = typeof route === 'string' ? route : routeProblem(route, host);
  if (problem !== undefined) throw new UserError(`This route would not be served: ${problem}.`, { exitCode: 2 });
}

function describe(name: string, entry: unknown, settings: WebhookSettings): string {
  const route = readWebhookRoute(entry, settings.secret);
  if (typeof route === 'string') return `${name}  cannot be read: ${route}`;
  const description = isJsonObject(entry) && typeof entry['description'] === 'string' ? entry['description'] : '';
  return [
    name + (description === '' ? '' : `: ${description}`),
    `  events  ${route.events.join(', ') || 'all'}`,
    `  deliver ${route.deliver}${route.deliverOnly ? ' (no agent)' : ''}`,
    `  secret  ${maskSecret(route.secret)}`,
    `  URL     ${addressOf(settings, name)}`,
  ].join('\n');
}

/** Every address of this machine is this machine too. */
function addressOf({ host, port }: WebhookSettings, name: string): string {
  const own = host === undefined || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}/webhooks/${name}`;
}

async function send(url: string, body: string, secret: string): Promise<Response> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  try {
    return await fetch(url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${signature}`,
        'x-github-event': 'test',
      },
      signal: AbortSignal.timeout(testMs),
    });
  } catch (cause) {
    throw new UserError(`${url} could not be asked: ${errorMessage(cause)}.`, {
      hint: 'See whether the gateway runs, and whether it listens there.',
      cause,
    });
  }
}

function unknown(name: string): UserError {
  return new UserError(`There is no webhook route '${name}'.`, { hint: 'See them with: hermes webhook list' });
}
