/** The effective configuration. */
export interface LoadedConfig {
  readonly warnings: readonly string[];
}
