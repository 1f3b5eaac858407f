/** A route of the webhooks, as it is written in `config.yaml` and in the file of subscriptions. */
import * as z from 'zod';
import { anyMap, bool, int, list, optionalText, text } from './fields.ts';

export const webhookRoute = z.looseObject({
  secret: optionalText('Shared secret; absent: that of all routes'),
  events: list('Events that count; empty: all'),
  prompt: text('', 'Prompt template; {name} stands for what the payload says there'),
  skills: list('Skills; the first that is there is loaded'),
  deliver: text('log', 'Where the answer goes: log, github_comment, or a chat platform'),
  deliver_extra: anyMap('Details of the delivery: chat_id, thread_id, repo, pr_number; texts are templates'),
  deliver_only: bool(false, 'Deliver the rendered prompt itself; no agent runs'),
  enabled: bool(true, 'Take deliveries'),
  filters: z.unknown().optional().describe('Conditions on the payload; all must hold'),
  script: text('', 'Script below the folder scripts of the home that may change or stop a payload'),
  description: text('', 'What it is for'),
  created_at: text('', 'When it was made'),
});

/** `platforms.webhook.extra`. */
export const webhookExtra = z.looseObject({
  host: optionalText('Address to listen on; absent: all'),
  port: int(8644, 'Port', { most: 65_535 }),
  secret: optionalText('Secret of the routes that have none'),
  rate_limit: int(30, 'Deliveries of a route within a minute', { least: 1 }),
  max_body_bytes: int(1_048_576, 'Largest delivery, in bytes', { least: 1, most: 100_000_000 }),
  script_timeout_seconds: int(30, 'Seconds that the script of a route may take', { least: 1, most: 3600 }),
});
