/** What a person sets for a conversation, over what is configured for its models. */
import type { ReasoningEffort } from '../llm/protocol.ts';
import type { AgentSettings } from './agent.ts';

export interface ConfiguredSettings {
  readonly reasoningEffort?: ReasoningEffort | undefined;
  /** Asks for the faster, dearer tier from the start. */
  readonly priority?: boolean;
  /** That of single models, over `reasoningEffort`; undefined for the others. */
  effortFor?(model: string): ReasoningEffort | undefined;
}

export class ConversationSettings implements AgentSettings {
  priority: boolean;
  readonly #configured: ConfiguredSettings;
  readonly #model: () => string;
  #chosen: { readonly effort: ReasoningEffort | undefined } | undefined;

  /** `model`: the name of the one that is talked to. */
  constructor(configured: ConfiguredSettings, model: () => string) {
    this.#configured = configured;
    this.#model = model;
    this.priority = configured.priority ?? false;
  }

  get reasoningEffort(): ReasoningEffort | undefined {
    return this.effortFor(this.#model());
  }

  set reasoningEffort(effort: ReasoningEffort | undefined) {
    this.#chosen = { effort };
  }

  /** What a person chose holds for every model. */
  effortFor(model: string): ReasoningEffort | undefined {
    if (this.#chosen !== undefined) return this.#chosen.effort;
    return this.#configured.effortFor?.(model) ?? this.#configured.reasoningEffort;
  }
}
