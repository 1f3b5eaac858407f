/** What the settings say about scheduled jobs. */
import { hostname } from 'node:os';
import { filled } from './env-values.ts';
import type { LoadedConfig } from './load.ts';
import type { Variables } from './variables.ts';

export interface CronSettings {
  /** Milliseconds in which nothing may happen in a run before it is ended; 0: there is no limit. */
  readonly idleMs: number;
  readonly scriptMs: number;
  /** The store has to be open within this time, or a run is not saved; 0 or less: it is waited for. */
  readonly storeMs: number;
  /** Runs at the same time; undefined: as many as are due. */
  readonly maxParallel: number | undefined;
  /** Documents of each job; 0 or less: all. */
  readonly keepOutputs: number;
  /** Results get a header and a footer. */
  readonly wraps: boolean;
  /** Results stand in the history of the chat that their job was made in. */
  readonly continues: boolean;
  /** The model of jobs that name none, where the environment says it. */
  readonly model: string | undefined;
  /** Names this process in claims. */
  readonly machine: string;
  /** The topic of the home chat in Telegram that results of jobs go to. */
  readonly telegramThread: string | undefined;
  /** The IANA zone whose clock counts; empty: that of the machine. */
  readonly zone: string;
}

export function cronSettings({ config }: Pick<LoadedConfig, 'config'>, env: Variables): CronSettings {
  const { cron, timezone } = config;
  return {
    idleMs: seconds(env['HERMES_CRON_TIMEOUT'], 600) * 1000,
    scriptMs: cron.script_timeout_seconds * 1000,
    storeMs: cron.session_db_timeout_seconds * 1000,
    maxParallel: cron.max_parallel_jobs,
    keepOutputs: cron.output_retention,
    wraps: cron.wrap_response,
    continues: cron.mirror_delivery,
    model: filled(env['HERMES_MODEL']),
    machine: filled(env['HERMES_MACHINE_ID']) ?? `${hostname()}:${process.pid}`,
    telegramThread: filled(env['TELEGRAM_CRON_THREAD_ID']),
    zone: timezone,
  };
}

/** What is no number counts as not set. */
function seconds(text: string | undefined, usual: number): number {
  const value = Number(filled(text) ?? Number.NaN);
  return Number.isFinite(value) && value >= 0 ? value : usual;
}
