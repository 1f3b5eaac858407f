/** Configuration: cron, kanban, the dashboard, the database and the log. */
import * as z from 'zod';
import { logLevels } from '../../lib/log-level.ts';
import {
  anyMap,
  bool,
  choice,
  int,
  nested,
  number,
  optionalBool,
  optionalInt,
  optionalText,
  section,
  text,
} from './fields.ts';

const cron = () =>
  section({
    provider: text('', 'External scheduler'),
    wrap_response: bool(true, 'Put a header on delivered results'),
    mirror_delivery: bool(false, 'Results stand in the history of the chat that made the job'),
    script_timeout_seconds: number(3600, 'Seconds of a script'),
    session_db_timeout_seconds: number(10, 'Seconds until a run goes on without the store; 0: it waits'),
    max_parallel_jobs: optionalInt('Most jobs at the same time; none means no limit', { least: 1 }),
    output_retention: int(50, 'Documents of runs that are kept of a job; 0 or less means all', { least: -1 }),
    chronos: anyMap('Chronos scheduler'),
  });

const kanban = () =>
  section({
    dispatch_in_gateway: bool(true, 'Start tasks from the gateway'),
    dispatch_interval_seconds: number(60, 'Seconds between two looks at the boards'),
    dispatch_stale_timeout_seconds: number(14_400, 'Seconds until a silent task is stale'),
    max_in_progress: optionalInt('Most tasks at the same time'),
    max_in_progress_per_profile: optionalInt('Most tasks of one profile at the same time'),
    failure_limit: int(2, 'Failures after which a task is blocked'),
    stranded_threshold_seconds: number(1800, 'Seconds until a task nobody takes is reported'),
    auto_subscribe_on_create: optionalBool('The chat that made a task hears of it'),
    auto_decompose: bool(true, 'Split big tasks'),
    auto_promote_children: bool(true, 'Start the parts'),
    default_workdir: optionalText('Directory of new tasks'),
    default_assignee: optionalText('Profile of tasks without one'),
    orchestrator_profile: optionalText('Profile that splits and joins'),
  });

const dashboard = () =>
  section({
    theme: text('default', 'Theme'),
    font: text('', 'Font'),
    public_url: text('', 'Address seen from outside'),
    oauth: z
      .looseObject({ provider: optionalText('Provider'), client_id: optionalText('Client id') })
      .prefault({})
      .describe('Login with an account'),
    basic_auth: z
      .looseObject({
        username: optionalText('Name'),
        password: optionalText('Password'),
        password_hash: optionalText('Hash of the password'),
        secret: optionalText('Secret of the session cookie'),
        session_ttl_seconds: optionalInt('Seconds a login lasts'),
      })
      .prefault({})
      .describe('Login with a password'),
    kanban: nested(
      {
        default_tenant: optionalText('Tenant shown first'),
        lane_by_profile: bool(true, 'One lane per profile'),
        include_archived_by_default: bool(false, 'Show archived tasks'),
        render_markdown: bool(true, 'Render Markdown'),
      },
      'Board page',
    ).prefault({}),
  });

const database = () => section({ url: text('', 'postgres://… for many machines; empty means state.db') });

const logging = () =>
  section({
    level: choice(logLevels, 'INFO', 'Least level that is written to the log'),
    max_size_mb: number(5, 'Megabytes of a log file before a new one is begun', { min: 0.1, max: 1024 }),
    backup_count: int(3, 'Old log files that are kept', { max: 100 }),
    audit_max_size_mb: number(10, 'Megabytes of a file of the audit log', { min: 0.1, max: 1024 }),
    audit_backup_count: int(9, 'Old files of the audit log that are kept', { max: 1000 }),
  });

/** Top-level keys of this file. */
export const automationSections = {
  cron,
  kanban,
  dashboard,
  database,
  logging,
};
