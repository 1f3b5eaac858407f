/** Whom the proxy forwards to: providers whose login other programs may use, and what they may ask there. */

export interface Upstream {
  /** As it is typed. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** The provider whose credentials are used. */
  readonly provider: string;
  /** Below `/v1`. */
  readonly paths: readonly string[];
  /** The command that logs in. */
  readonly login: string;
}

const common = ['/chat/completions', '/completions', '/embeddings', '/models'];

export const upstreams: readonly Upstream[] = [
  { name: 'nous', title: 'Nous Portal', provider: 'nous', paths: common, login: 'hermes auth add nous' },
  {
    name: 'xai',
    title: 'xAI Grok OAuth',
    provider: 'xai-oauth',
    paths: ['/responses', ...common],
    login: 'hermes auth add xai-oauth --type oauth',
  },
];

/** Whatever the case of the name, and with space around it. */
export function findUpstream(name: string): Upstream | undefined {
  const wanted = name.trim().toLowerCase();
  return upstreams.find((upstream) => upstream.name === wanted);
}
