/** A mixture of models: some give their view, one reads the views and answers. */
import { UserError } from '../../lib/errors.ts';
import { ModelError } from '../../llm/model-error.ts';
import type { ModelEvent, ModelRequest, Protocol, ReasoningEffort } from '../../llm/protocol.ts';
import { effortOf } from '../../llm/reasoning-effort.ts';
import { bodyWith, type MixtureSettings, type MixtureSlot, modelOf, presetOf } from './mixture-settings.ts';
import type { VirtualModel } from '../virtual-model.ts';
import { HeldViews } from './held-views.ts';
import { called, type MixtureVoice, type ViewPorts, viewOf, voiceOf, withViews } from './views.ts';

export interface MixturePorts extends ViewPorts {
  /** Default, as of the references: nothing is left out, and there is no deadline. */
  readonly aggregator?: MixtureSlot;
  /** How hard a model thinks that answers; asked where the preset says nothing, before the request's own. */
  effortFor?(model: string): ReasoningEffort | undefined;
  /** Told of each request after it was answered. Must not throw. */
  trace?(record: MixtureRecord): void;
}

/** What the models of one request were sent and said, in the shape in which it is kept. */
export interface MixtureRecord {
  readonly session_id: string | null;
  readonly preset: string;
  readonly references: readonly MixtureVoice[];
  readonly aggregator: MixtureVoice;
}

const maxReferences = 8;

/**
 * The mixture of a preset as a protocol, with the window of its aggregator. A request asks the references side by side, with
 * the words of the conversation only (no system prompt, no tools), and then the aggregator, which has the tools and is shown
 * the views where the conversation stood when they were given, so that the cached prefix stays. While nobody has said
 * anything new the views hold: a step that only adds results of tools asks nobody twice. A reference that fails is noted and
 * passed over. What each model
 * took is told under its own name: a mixture has no price. Throws `UserError` for a preset that is not there, mixes
 * mixtures or names no provider.
 */
export async function openMixture(name: string, settings: MixtureSettings, ports: MixturePorts): Promise<VirtualModel> {
  const { name: presetName, preset, known } = presetOf(name, settings);
  if (preset?.aggregator === undefined) {
    throw new UserError(`There is no mixture of models called '${name}'. Known: ${known.join(', ')}.`, {
      hint: 'Describe it in config.yaml under moa.presets: reference_models and an aggregator.',
    });
  }
  const { aggregator: member, enabled, aggregator_temperature } = preset;
  const asked = modelOf(presetName, member, ports.aggregator);
  const references = preset.reference_models.map((each) => ({
    model: modelOf(presetName, each, ports.reference),
    effort: effortOf(each.reasoning_effort ?? ''),
  }));
  const answering = await ports.resolve(asked);
  const asking = enabled ? references.slice(0, maxReferences) : [];
  const held = new HeldViews(preset.fanout ?? 'per_iteration');
  const { contextLength, vision } = answering;
  return {
    contextLength,
    ...(vision === undefined ? {} : { vision }),
    async *stream(request, signal) {
      const { views, at, isNew } = await held.of(
        request,
        (words) => Promise.all(asking.map((each) => viewOf(each, preset, ports, words, signal))),
        signal,
      );
      for (const { spent } of isNew ? views : []) if (spent !== undefined) yield { type: 'spent', ...spent };
      if (signal.aborted) throw new ModelError('aborted', 'interrupted');
      const effort =
        effortOf(member.reasoning_effort ?? '') ?? ports.effortFor?.(answering.model) ?? request.reasoningEffort;
      const sent: ModelRequest = {
        ...request,
        model: answering.model,
        messages: views.length === 0 ? request.messages : withViews(request.messages, views, at),
        ...(asking.length === 0 || aggregator_temperature === undefined ? {} : { temperature: aggregator_temperature }),
        ...(effort === undefined ? {} : { reasoningEffort: effort }),
        ...bodyWith(request.extraBody, ports.aggregator),
      };
      for await (const event of beginningWithin(ports.aggregator?.timeout, answering.protocol, sent, signal)) {
        if (event.type !== 'done') {
          yield event;
          continue;
        }
        ports.trace?.({
          session_id: request.sessionId ?? null,
          preset: presetName,
          references: views.map(({ voice }) => voice),
          aggregator: voiceOf(answering, sent, event.message.content ?? ''),
        });
        yield { ...event, answeredBy: called(answering) };
      }
    },
  };
}

/** Fails when nothing was heard of the answer within the time; from then on the limits of its endpoint hold. */
async function* beginningWithin(
  seconds: number | undefined,
  protocol: Protocol,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  if (seconds === undefined || seconds <= 0) {
    yield* protocol.stream(request, signal);
    return;
  }
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), seconds * 1000);
  try {
    for await (const event of protocol.stream(request, AbortSignal.any([signal, late.signal]))) {
      clearTimeout(timer);
      yield event;
    }
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    throw new ModelError('timeout', `${request.model} did not begin to answer within ${seconds} s`);
  } finally {
    clearTimeout(timer);
  }
}
