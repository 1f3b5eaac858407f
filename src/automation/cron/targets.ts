/** Where the result of a job goes, as `deliver` says it. */
import { errorMessage } from '../../lib/errors.ts';
import type { Job } from '../../cron/job.ts';
import type { JobAddress, JobChats } from './job-chats.ts';

export interface Targets {
  /** Each chat once. */
  readonly to: readonly JobAddress[];
  /** One line for each value that leads nowhere. */
  readonly problems: readonly string[];
}

/** `local`, `origin`, `all`, a platform, `platform:chat`, or several of these with commas between them. */
export function targetsOf(job: Pick<Job, 'deliver' | 'origin'>, chats: JobChats): Targets {
  const found = new Map<string, JobAddress>();
  const problems: string[] = [];
  const add = (address: JobAddress): void => {
    found.set(`${address.platform} ${address.chatId} ${address.threadId ?? ''}`, address);
  };
  for (const value of job.deliver.split(',').map((part) => part.trim())) {
    if (value === '' || value === 'local') continue;
    try {
      const addresses = value === 'all' ? chats.homes().map((name) => chats.find(name)) : one(value, job, chats);
      // Nowhere to go is no error for a job that has no chat of its own.
      if (addresses.length === 0 && value !== 'origin') problems.push(`${value}: no platform has a home chat`);
      addresses.forEach(add);
    } catch (error) {
      problems.push(`${value}: ${errorMessage(error)}`);
    }
  }
  return { to: [...found.values()], problems };
}

function one(value: string, job: Pick<Job, 'origin'>, chats: JobChats): readonly JobAddress[] {
  const origin = originChat(job, chats);
  if (value === 'origin') {
    const [home] = chats.homes();
    if (origin !== undefined) return [origin];
    return home === undefined ? [] : [chats.find(home)];
  }
  return [origin?.platform === value ? origin : chats.find(value)];
}

function originChat({ origin }: Pick<Job, 'origin'>, chats: JobChats): JobAddress | undefined {
  if (origin == null || !chats.knows(origin.platform)) return undefined;
  return { platform: origin.platform, chatId: origin.chat_id, threadId: origin.thread_id ?? null };
}
