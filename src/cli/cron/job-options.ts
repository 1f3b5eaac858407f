/** The flags by which `hermes cron create` and `edit` describe a job. */
import type { Command } from 'commander';
import type { JobInput } from '../../cron/job-input.ts';
import { UserError } from '../../lib/errors.ts';

export interface JobOptions {
  readonly name?: string;
  readonly deliver?: string;
  readonly repeat?: string;
  readonly skill?: readonly string[];
  readonly script?: string;
  /** `--no-agent` and `--agent`. */
  readonly agent?: boolean;
  readonly workdir?: string;
  readonly model?: string;
  readonly provider?: string;
}

export interface EditOptions extends JobOptions {
  readonly schedule?: string;
  readonly prompt?: string;
  readonly addSkill?: readonly string[];
  readonly removeSkill?: readonly string[];
  readonly clearSkills?: true;
}

export function addJobOptions(command: Command): Command {
  return command
    .option('--name <text>', 'what it is called')
    .option('--deliver <where>', 'local, a platform, platform:chat, all; several with commas between them')
    .option('--repeat <count>', 'so many runs; 0 means for ever')
    .option(
      '--skill <name>',
      'a skill that is loaded; can be repeated',
      (value: string, before?: readonly string[]) => [...(before ?? []), value],
    )
    .option('--script <name>', 'a script in the folder scripts of the home; what it prints goes to the agent')
    .option('--no-agent', 'what the script prints is delivered as it is; no model is asked')
    .option('--workdir <folder>', 'where it works, with the rules of the project there; empty: nowhere in particular')
    .option('--model <name>', 'the model, whatever the settings say later; empty: that of the settings')
    .option('--provider <name>', 'its provider; empty: that of the settings');
}

/** Throws `UserError` with exit code 2 for what is no number. */
export function inputOf(options: JobOptions): JobInput {
  const { name, deliver, repeat, skill, script, agent, workdir, model, provider } = options;
  const given: JobInput = {
    name,
    deliver,
    repeat: repeat === undefined ? undefined : numberOf(repeat),
    skills: skill,
    script,
    noAgent: agent === undefined ? undefined : !agent,
    workdir,
    model,
    provider,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What becomes of the skills of a job. */
export function skillsAfter(before: readonly string[], options: EditOptions): Pick<JobInput, 'skills'> {
  const { skill, addSkill = [], removeSkill = [], clearSkills } = options;
  if (skill === undefined && clearSkills === undefined && addSkill.length + removeSkill.length === 0) return {};
  const base = clearSkills === true ? [] : (skill ?? before);
  return { skills: [...base, ...addSkill].filter((name) => !removeSkill.includes(name)) };
}

function numberOf(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count)) return count;
  throw new UserError(`--repeat takes a number, not '${text}'.`, { exitCode: 2 });
}
