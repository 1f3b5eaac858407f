/** What a check of `hermes doctor` found. */
import type { LoadedConfig } from '../../config/load.ts';
import type { CliContext } from '../command.ts';

export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'info';
  readonly text: string;
  readonly detail?: string;
  /** What to do about it; findings with one appear in the list of issues. */
  readonly remedy?: string;
}

export interface CheckContext {
  readonly cli: CliContext;
  readonly loaded: LoadedConfig;
  /** Mend what can be mended before it is reported. */
  readonly fix: boolean;
}

/** One section of the report. Must not throw: what goes wrong is a finding. */
export interface Check {
  readonly title: string;
  run(context: CheckContext): Promise<readonly Finding[]> | readonly Finding[];
}

const maxNamed = 6;

/** The first few of a list, and how many more there are. */
export function someOf(names: readonly string[], between = ', '): string {
  const more = names.length - maxNamed;
  return [...names.slice(0, maxNamed), ...(more > 0 ? [`${more} more`] : [])].join(between);
}
