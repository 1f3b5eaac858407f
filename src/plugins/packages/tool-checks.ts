/** Whether tools of a plug-in can be used now: each check is asked once for all tools that share it, and now and then. */
import type { Callable } from './values.ts';

const keptMs = 30_000;
/** So soon after it passed, a check that fails has stumbled: the tools stay, and it is asked again. */
const stumbleMs = 60_000;

interface Known {
  readonly passes: boolean;
  readonly askedAt: number;
  readonly passedAt: number;
}

export class ToolChecks {
  readonly #known = new Map<Callable, Known>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A check that throws cannot tell, and its tools are not offered. */
  pass(check: Callable): boolean {
    const now = this.#now();
    const known = this.#known.get(check);
    if (known !== undefined && now - known.askedAt < keptMs) return known.passes;
    const passes = ask(check);
    if (!passes && known?.passes === true && now - known.passedAt < stumbleMs) return true;
    this.#known.set(check, { passes, askedAt: now, passedAt: passes ? now : Number.NEGATIVE_INFINITY });
    return passes;
  }
}

function ask(check: Callable): boolean {
  try {
    return Boolean(check());
  } catch {
    return false;
  }
}
