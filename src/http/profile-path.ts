/** `/p/<profile>` in front of a path says whose agent is meant; nobody else's may answer in its place. */

export interface ProfilePath {
  /** Without the profile. */
  readonly path: string;
  readonly profile: string | undefined;
}

/** `url`: whole, or as it stands in the request line. */
export function profilePath(url: string): ProfilePath {
  const path = URL.parse(url, 'http://localhost')?.pathname ?? '/';
  const [, profile, rest] = /^\/p\/([^/]+)(\/.*)$/.exec(path) ?? [];
  return { path: rest ?? path, profile };
}
