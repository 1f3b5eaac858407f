/** What a call of `delegate_task` needs of the conversation that it is made in. */
import type { Source } from '../../llm/source.ts';
import type { OpenSession } from '../open-session-view.ts';
import type { Program } from '../program.ts';
import type { SessionParts } from '../session-parts.ts';
import type { SessionSpec } from '../session-spec.ts';
import type { OpenedServices } from '../tool-services.ts';
import type { SubAgentEvent } from './sub-agents.ts';

export interface DelegationHost {
  readonly program: Pick<Program, 'openSession' | 'store' | 'models' | 'delegations' | 'hooks'>;
  readonly parts: SessionParts;
  readonly spec: SessionSpec;
  readonly services: Pick<OpenedServices, 'redact' | 'state' | 'shareFiles' | 'pathThere'>;
  /** 0: a conversation with a person. */
  readonly depth: number;
  readonly session: () => OpenSession;
  /** Where the text came from that the model has before it. */
  readonly entered: () => readonly Source[];
  readonly tell: (event: SubAgentEvent) => void;
}
