/** The home directory of the active profile and the names of the files in it. */
export interface Home {
  /** Absolute path of the active home (`HERMES_HOME`). */
  readonly path: string;
  /** The directory that owns `profiles/`. */
  readonly root: string;
  /** `default` or the profile's name. */
  readonly profile: string;
}
