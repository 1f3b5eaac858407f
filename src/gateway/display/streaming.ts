/** How an answer is shown while it is written. */

export interface StreamingSettings {
  readonly enabled: boolean;
  readonly transport: 'auto' | 'edit' | 'draft' | 'off';
  /** Seconds between two edits. */
  readonly edit_interval: number;
  /** Characters that have to come before one. */
  readonly buffer_threshold: number;
  readonly cursor: string;
}
