/** The base score of a CVSS 3 vector (https://www.first.org/cvss/v3.1/specification-document, section 7.1). */

const weights: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};
/** Privileges weigh more where another part of the system is reached. */
const privileges: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
};

/** 0 to 10; undefined for what is no such vector. */
export function baseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const given = new Map(
    vector
      .split('/')
      .map((part): [string, string] => [part.slice(0, part.indexOf(':')), part.slice(part.indexOf(':') + 1)]),
  );
  const scope = given.get('S') ?? '';
  const weight = (metric: string): number => weights[metric]?.[given.get(metric) ?? ''] ?? Number.NaN;
  const privilege = privileges[scope]?.[given.get('PR') ?? ''] ?? Number.NaN;
  const harm = 1 - (1 - weight('C')) * (1 - weight('I')) * (1 - weight('A'));
  const impact = scope === 'C' ? 7.52 * (harm - 0.029) - 3.25 * (harm - 0.02) ** 15 : 6.42 * harm;
  const exploit = 8.22 * weight('AV') * weight('AC') * privilege * weight('UI');
  if (Number.isNaN(impact) || Number.isNaN(exploit)) return undefined;
  if (impact <= 0) return 0;
  return roundUp(Math.min(10, (scope === 'C' ? 1.08 : 1) * (impact + exploit)));
}

/** To one place, upward, in whole numbers: appendix A of the specification. */
function roundUp(score: number): number {
  const whole = Math.round(score * 100_000);
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10;
}
