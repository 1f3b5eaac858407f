/** How an answer is shown while it is written. */

export interface StreamingSettings {
  readonly enabled: boolean;
  readonly transport: 'auto' | 'edit' | 'draft' | 'off';
  /** Seconds between two edits. */
  readonly edit_interval: number;
  /** Characters that have to come before one. */
  readonly buffer_threshold: number;
  readonly cursor: string;
  /** An answer that was shown for so long is sent anew when it is complete; 0: never. */
  readonly fresh_final_after_seconds: number;
}
