/** One step of `hermes setup` as a whole. */
import type { CliContext } from '../command.ts';
import type { Prompts } from '../model/prompts.ts';
import type { SetupSection } from './catalogue.ts';

export interface StepResult {
  /** What was stored; absent when all stays as it was. */
  readonly said?: string | undefined;
  /** Steps that come next. */
  readonly next?: readonly Step[];
}

export interface Step {
  readonly name: string;
  /** Asks, and stores all or nothing. Throws `Cancelled`. */
  ask(context: CliContext, prompts: Prompts): Promise<StepResult>;
}

export function stepOf(section: SetupSection): Step {
  return { name: section.name, ask: async (context, prompts) => ({ said: await section.ask(context, prompts) }) };
}
