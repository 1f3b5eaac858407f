/** How a run of a job ended. */
import type { Source } from '../../llm/source.ts';

interface RunFacts {
  /** What the agent was asked; empty where none was. */
  readonly prompt: string;
  /** Given for a job that is a script alone: what became of it, in words. */
  readonly script?: string;
  /** What has entered its text; absent: the agent alone. */
  readonly sources?: readonly Source[];
}

export type RunOutcome =
  /** An empty text is nothing to deliver, and nothing wrong. */
  | (RunFacts & { readonly ok: true; readonly text: string })
  /** `error` is one line. */
  | (RunFacts & {
      readonly ok: false;
      readonly error: string;
      /** The prompt was refused before anybody was asked. */
      readonly blocked?: true;
      /** It has been told before: the same as in the run before. */
      readonly quiet?: true;
    });
