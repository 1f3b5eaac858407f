/** Whose files a sandbox of a cloud holds, where one account may serve several profiles. */

/** The default profile works in the sandbox that older versions made; others must not meet in it. */
export function taskOf(profile: string): string {
  return profile === 'default' ? 'default' : `default-${profile.replace(/[^A-Za-z0-9-]/g, '-').slice(0, 40)}`;
}
