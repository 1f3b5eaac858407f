/** Which sessions an export, a prune or an archiving acts on. */

/** All conditions must hold. Texts are compared as they are written, unless it says otherwise. */
export interface SessionSelection {
  /** Begun at that time or later, in Unix seconds. */
  readonly startedFrom?: number;
  /** Begun before that time, in Unix seconds. */
  readonly startedBefore?: number;
  readonly source?: string;
  /** A part of the title, in any case. */
  readonly title?: string;
  readonly endReason?: string;
  /** That folder, or one below it. */
  readonly cwd?: string;
  /** A part of the model's name, in any case. */
  readonly model?: string;
  /** The provider that it is billed to, in any case. */
  readonly provider?: string;
  readonly userId?: string;
  readonly chatId?: string;
  readonly chatType?: string;
  /** A part of the git branch's name, in any case. */
  readonly branch?: string;
  readonly messages?: Bounds;
  /** In and out. */
  readonly tokens?: Bounds;
  /** In US dollars: what it really cost, or else the estimate. A session without either cost nothing. */
  readonly cost?: Bounds;
  readonly toolCalls?: Bounds;
  /** Default: only those that are not archived. */
  readonly archived?: 'only' | 'also';
  /** Only those that have ended. */
  readonly ended?: boolean;
}

/** Both ends belong to it. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}
