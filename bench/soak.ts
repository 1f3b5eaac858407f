/**
 * A gateway under a mixed load that is killed again and again: people in chats, clients of the API, webhooks.
 *
 *   npm run soak               an hour
 *   npm run soak -- 10         ten minutes
 *
 * Judges by what the platform has seen. Exits with 1 when a message was lost, doubled or out of order.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayPlace, type RunningGateway } from './parts/gateway.ts';
import { effectsFile } from './parts/soak-answers.ts';
import { homeChat, SoakChats } from './parts/soak-chats.ts';
import { apiKey, type ApiTally, askOverApi, sendWebhook, webhookSecret } from './parts/soak-clients.ts';
import { freePort } from '../test/fakes/free-port.ts';

const minutes = Number(process.argv[2] ?? 60);
const chats = 6;
const callers = 3;
/** Means of the pauses between two of them, in milliseconds. */
const pauses = { message: 400, webhook: 3000, life: 25_000 } as const;
const graceful = 0.2;
const troubles = { cut: 0.005, 'lost answer': 0.005 } as const;
/** What failed is tried again after half a minute, and after a minute. */
const finishMs = 240_000;

await using place = await GatewayPlace.open('soak');
const [apiPort, webhookPort] = [await freePort(), await freePort()];
const people = new SoakChats(place.api, chats);
const reports = people.beginReports();
place.configure(settings());
place.api.trouble = () => {
  const chance = Math.random();
  if (chance < troubles.cut) return 'cut';
  return chance < troubles.cut + troubles['lost answer'] ? 'lost answer' : undefined;
};

const over = AbortSignal.timeout(minutes * 60_000);
const tally: ApiTally = { answered: 0, cut: 0, refused: 0, wrong: [] };
const counts = { kills: 0, stops: 0, badStops: [] as unknown[], webhooks: 0, refusedWebhooks: 0 };
const memory: string[] = [];
const startedAt = performance.now();
process.stdout.write(`${minutes} minutes, gateways in ${place.home}\n`);
await Promise.all([
  again(pauses.message, () => people.say()),
  again(pauses.webhook, () => void webhook()),
  ...Array.from({ length: callers }, (_, caller) =>
    askOverApi(`http://127.0.0.1:${apiPort}`, 700_000 + caller, tally, over),
  ),
  lives(),
]);
place.api.trouble = () => undefined;
await finish();

/** One gateway after the other. */
async function lives(): Promise<void> {
  while (!over.aborted) {
    // Three such ends within a minute are a loop, after which turns are not gone on with; here they are on purpose.
    rmSync(join(place.home, 'gateway', 'restart_loop.json'), { force: true });
    await using gateway = await place.start();
    await sleep(pauses.life * (0.2 + Math.random() * 1.6), undefined, { signal: over }).catch(() => undefined);
    note(gateway);
    if (Math.random() < graceful) {
      counts.stops += 1;
      gateway.kill('SIGTERM');
      const ending = await gateway.ended;
      // Nobody announced the signal, so a service manager is to start it again.
      if (ending !== 1) counts.badStops.push(ending);
    } else {
      counts.kills += 1;
      gateway.kill('SIGKILL');
      await gateway.ended;
    }
  }
}

/** Lets the last gateway do what is left, and says what became of everything. */
async function finish(): Promise<void> {
  await using gateway = await place.start();
  const effects = join(place.folder, effectsFile);
  const until = performance.now() + finishMs;
  let verdict = people.verdict(effects);
  while (performance.now() < until && verdict.lost.length + verdict.unacknowledged.length > 0) {
    await sleep(2000);
    verdict = people.verdict(effects);
  }
  note(gateway);
  const { lost, doubled, outOfOrder, repeatedEffects, unacknowledged, ...rest } = verdict;
  const bad = { lost, doubled, outOfOrder, repeatedEffects, unacknowledged };
  process.stdout.write(`${JSON.stringify({ ...rest, markedTwice: rest.markedTwice.length, ...counts })}\n`);
  process.stdout.write(`API: ${JSON.stringify(tally)}\n`);
  for (const [what, found] of Object.entries(bad)) {
    process.stdout.write(`${what}: ${found.length}\n`);
    for (const one of found.slice(0, 20)) process.stdout.write(`${one}\n${people.historyOf(one)}`);
  }
  process.stdout.write(`memory, in MB, at the end of each life of a gateway: ${memory.join(' ')}\n`);
  if (Object.values(bad).some((found) => found.length > 0) || tally.wrong.length > 0) process.exitCode = 1;
}

function note(gateway: RunningGateway): void {
  const { rssMb } = gateway.usage();
  memory.push(rssMb.toFixed(0));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${seconds} s: ${people.messages} messages, ${tally.answered} API answers, ${rssMb.toFixed(0)} MB\n`,
  );
}

async function webhook(): Promise<void> {
  counts.webhooks += 1;
  const text = `say c${reports}#${counts.webhooks}`;
  const id = `webhook-${counts.webhooks}`;
  const url = `http://127.0.0.1:${webhookPort}`;
  if (await sendWebhook(url, id, text, AbortSignal.any([over, AbortSignal.timeout(60_000)])))
    people.report(reports, id, text);
  else counts.refusedWebhooks += 1;
}

/** With pauses of this mean, until it is over. */
async function again(meanMs: number, act: () => void): Promise<void> {
  while (!over.aborted) {
    await sleep(Math.random() * 2 * meanMs);
    act();
  }
}

function settings(): string {
  return `    home_channel: {chat_id: "${homeChat}"}
  api_server:
    enabled: true
    extra: {key: ${apiKey}, port: ${apiPort}}
  webhook:
    enabled: true
    extra:
      host: 127.0.0.1
      port: ${webhookPort}
      rate_limit: 10000
      routes:
        soak: {secret: ${webhookSecret}, prompt: "{text}", deliver: telegram, deliver_extra: {chat_id: "${reports}"}}
approvals:
  mode: "off"
display:
  busy_input_mode: queue
  busy_ack_enabled: false
`;
}
