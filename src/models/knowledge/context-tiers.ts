/** Windows that are tried when a server refuses without saying its own, and the least that an agent can work in. */

/** Tokens. Prompt, tools and an answer need this much; smaller models are refused at the start. */
export const minimumContext = 64_000;

const tiers = [128_000, 64_000, 32_000, 16_000, 8_000] as const;

/** The next smaller window to try after a refusal that names no limit; undefined below the last. Tokens. */
export function lowerTier(contextLength: number): number | undefined {
  return tiers.find((tier) => tier < contextLength);
}
