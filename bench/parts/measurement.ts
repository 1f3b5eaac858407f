/** What a measurement gives back. */

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** `x` is a ratio, `%` a share of one core, or of a corpus. */
  readonly unit: 'x' | 'ms' | 'MB' | '%';
  /** The most it may be; a figure without a mark is for information. */
  readonly mark?: number;
  /** The raw numbers behind it. */
  readonly detail: string;
}

export interface Measurement {
  readonly name: string;
  /** Takes so long that it is measured only when it is asked for. */
  readonly onlyByName?: boolean;
  /** Throws when it cannot be taken; the message goes into the table. */
  measure(): Promise<readonly Figure[]>;
}
