/** Deadlines of the Codex service, which sometimes takes a request and never says a word. */
import type { CodexTimeouts } from '../config/model-variables.ts';
import type { Timeouts } from '../llm/endpoint.ts';

/** Seconds. */
const usual = { firstEvent: 120, firstEventMost: 120, largeFrom: 10_000, whole: 1500 };

/**
 * For a request of so many tokens. Until the first event it is waited for two minutes, or as long as
 * `HERMES_CODEX_TTFB_TIMEOUT_SECONDS` says; a shorter time is stretched for large requests, which may stand in a queue,
 * unless `…_STRICT`. How long the gap between two events may be is left to the limits of every provider unless it is set.
 */
export function codexDeadlines(set: CodexTimeouts): (requestTokens: number) => Partial<Timeouts> {
  return (tokens) => {
    const whole = set.whole ?? usual.whole;
    return {
      firstEventMs: firstEventSeconds(set, tokens) * 1000,
      ...(set.betweenEvents === undefined ? {} : { staleMs: set.betweenEvents * 1000 }),
      ...(whole === 0 ? {} : { totalMs: whole * 1000, streamTotalMs: whole * 1000 }),
    };
  };
}

/** 0 = no limit. */
function firstEventSeconds(set: CodexTimeouts, tokens: number): number {
  const { firstEvent = usual.firstEvent, firstEventMost = usual.firstEventMost, largeFrom = usual.largeFrom } = set;
  if (firstEvent === 0) return 0;
  const large = !set.strict && largeFrom > 0 && tokens >= largeFrom;
  const wanted = large ? Math.max(firstEvent, queueSeconds(tokens)) : firstEvent;
  return firstEventMost > 0 ? Math.min(wanted, firstEventMost) : wanted;
}

/** How long a request of this size may wait for its turn. */
function queueSeconds(tokens: number): number {
  if (tokens > 100_000) return 180;
  if (tokens > 50_000) return 120;
  return tokens > 10_000 ? 60 : 12;
}
