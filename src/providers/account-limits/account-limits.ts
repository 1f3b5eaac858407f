/** What an account may still use, as its provider tells it. */
import * as z from 'zod';
import type { JsonValue } from '../../lib/json.ts';

export interface AccountLimits {
  /** Name of the subscription. */
  readonly plan?: string | undefined;
  readonly windows: readonly LimitWindow[];
  /** Lines of more, each `Name: text`. */
  readonly facts: readonly string[];
}

/** A share of something that fills up again. */
export interface LimitWindow {
  readonly name: string;
  /** 0 to 100, sometimes more. */
  readonly usedPercent: number;
  /** Milliseconds since 1970. */
  readonly resetsAt?: number | undefined;
  readonly detail?: string;
}

/** How one provider is asked. */
export interface LimitSource {
  /** Addresses at the host of `baseUrl`, the one without which nothing is known first. */
  addresses(baseUrl: string): readonly string[];
  /** False: this credential has no limits that could be asked for. */
  asks?(headers: Readonly<Record<string, string>>): boolean;
  /** What the addresses answered, in their order; undefined = no answer. Undefined when that is none of the known kind. */
  read(answers: readonly (JsonValue | undefined)[]): AccountLimits | undefined;
}

/** A name that is shown as it came: nothing in it can move a cursor. */
export const shownWord = z
  .string()
  .regex(/^[\w .+-]{1,40}$/)
  .nullish()
  .catch(undefined);

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
