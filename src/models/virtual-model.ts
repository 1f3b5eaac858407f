/** A model without an address of its own: a mixture of others, or a file on this machine. */
import type { Protocol } from '../llm/protocol.ts';

/** A protocol with what it knows of its model. */
export interface VirtualModel extends Protocol {
  /** Window in tokens. */
  readonly contextLength?: number | undefined;
  /** Whether the model takes images. */
  readonly vision?: boolean;
}
