/** What can stand behind a slash command, offered while it is typed. */
import { escapeForDisplay } from '../safety/display.ts';
import type { Session } from '../runtime/session.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { Looks, RealPaths } from './own-machine.ts';
import type { Allowed } from './settings/permission-list.ts';

/** What completions are made of. */
export interface Completing {
  readonly session: Session;
  /** Undefined when the conversation is not saved. */
  readonly store: SessionStore | undefined;
  /** On surfaces of the user's own machine. */
  readonly paths?: RealPaths;
  /** On a terminal. */
  readonly settings?: { allowed(): Promise<Allowed>; readonly looks: Looks };
}

export interface Offer {
  /** All that stands behind the name when this is taken. */
  readonly value: string;
  readonly description?: string;
}

/**
 * All that can be offered for a command whose arguments were typed up to here; what does not fit is left out by whoever
 * asks. Must answer from what is on this machine.
 */
export type Complete = (
  context: Completing,
  typed: string,
  signal: AbortSignal,
) => readonly Offer[] | Promise<readonly Offer[]>;

const maxOffers = 200;

/**
 * What fits the typed text: what begins with it first, then what has it somewhere. Empty when a whole value was typed, so
 * that nothing stands in the way of sending it. Texts of others are made safe to show; a value with marks that cannot be
 * typed is left out.
 */
export async function offersFor(
  { values = [], complete }: { readonly values?: readonly string[]; readonly complete?: Complete },
  context: Completing,
  typed: string,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const wanted = typed.toLowerCase();
  const more = (await complete?.(context, typed, signal)) ?? [];
  const offers = [...values.map((value): Offer => ({ value })), ...more].filter(({ value }) => !/\p{Cc}/u.test(value));
  const begun = offers.filter(({ value }) => value.toLowerCase().startsWith(wanted));
  const whole = offers.some(({ value }) => value.toLowerCase() === wanted.trimEnd());
  // Behind a blank there may be more to say.
  if (whole && (wanted === wanted.trimEnd() || begun.length === 0)) return [];
  const others = offers.filter((offer) => !begun.includes(offer) && hasWithin(offer, wanted));
  return [...begun, ...others].slice(0, maxOffers).map(({ value, description }) => ({
    value,
    ...(description === undefined ? {} : { description: escapeForDisplay(description, { singleLine: true }) }),
  }));
}

/** A number that was typed is meant as one, so it finds neither another number nor words about one. */
function hasWithin({ value, description = '' }: Offer, wanted: string): boolean {
  const isNumber = (text: string): boolean => /^\d+$/.test(text.trim());
  if (isNumber(wanted)) return !isNumber(value) && value.toLowerCase().includes(wanted);
  return `${value} ${description}`.toLowerCase().includes(wanted);
}
