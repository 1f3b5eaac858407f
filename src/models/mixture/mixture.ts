/** A mixture of models: some give their view, one reads the views and answers. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { estimateUsage } from '../../llm/estimate.ts';
import { type Message, textOf } from '../../llm/message.ts';
import { ModelError } from '../../llm/model-error.ts';
import type { CalledModel, ModelRequest, ModelRoute, Protocol, Usage } from '../../llm/protocol.ts';
import { splitThinking } from '../../llm/thinking.ts';

interface Member {
  readonly provider: string;
  readonly model: string;
}

/** `moa.presets.<name>` of the configuration. */
export interface MixturePreset {
  /** Off: the aggregator answers alone. */
  readonly enabled: boolean;
  readonly reference_models: readonly Member[];
  readonly aggregator?: Member | undefined;
  readonly reference_temperature: number;
  readonly aggregator_temperature: number;
  /** Tokens of one view. */
  readonly max_tokens: number;
}

export interface MixtureSettings {
  readonly default_preset: string;
  readonly presets: Readonly<Record<string, MixturePreset>>;
}

/** A view is context for the answer, not an answer: longer ones are cut. */
const maxViewChars = 20_000;
const maxReferences = 8;

/**
 * The mixture of a preset as a protocol. Each request asks the references side by side, with the words of the
 * conversation only (no system prompt, no tools), and then the aggregator, which has the tools and is shown the views
 * behind the history, so that the cached prefix stays. A reference that fails is noted and passed over. What each model
 * took is told under its own name: a mixture has no price. Throws `UserError` for a preset that is not there or mixes
 * mixtures.
 */
export async function openMixture(
  name: string,
  settings: MixtureSettings,
  resolve: (member: Member) => Promise<ModelRoute>,
): Promise<Protocol> {
  const preset = settings.presets[name === '' || name === 'moa' ? settings.default_preset : name];
  const aggregator = preset?.aggregator;
  if (preset === undefined || aggregator === undefined) {
    const known = Object.keys(settings.presets).join(', ') || 'none';
    throw new UserError(`There is no mixture of models called '${name}'. Known: ${known}.`, {
      hint: 'Describe it in config.yaml under moa.presets: reference_models and an aggregator.',
    });
  }
  if ([aggregator, ...preset.reference_models].some(({ provider }) => provider.toLowerCase() === 'moa')) {
    throw new UserError(`The mixture '${name}' names another mixture; its models must be models.`, {
      hint: `Correct moa.presets.${name} in config.yaml.`,
    });
  }
  const answering = await resolve(aggregator);
  const answeredBy = called(answering);
  const references = preset.enabled ? preset.reference_models.slice(0, maxReferences) : [];
  return {
    async *stream(request, signal) {
      const views = await Promise.all(references.map((member) => viewOf(member, preset, resolve, request, signal)));
      for (const { spent } of views) if (spent !== undefined) yield { type: 'spent', ...spent };
      if (signal.aborted) throw new ModelError('aborted', 'interrupted');
      const asked = {
        ...request,
        model: answering.model,
        messages: views.length === 0 ? request.messages : withViews(request.messages, views),
        ...(references.length === 0 ? {} : { temperature: preset.aggregator_temperature }),
      };
      for await (const event of answering.protocol.stream(asked, signal)) {
        yield event.type === 'done' ? { ...event, answeredBy } : event;
      }
    },
  };
}

interface View {
  readonly model: string;
  readonly text: string;
  readonly spent?: { readonly usage: Usage; readonly on: CalledModel };
}

async function viewOf(
  member: Member,
  preset: MixturePreset,
  resolve: (member: Member) => Promise<ModelRoute>,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<View> {
  try {
    const route = await resolve(member);
    const asked = {
      model: route.model,
      messages: wordsOf(request.messages),
      tools: [],
      stream: route.streaming,
      maxTokens: preset.max_tokens,
      temperature: preset.reference_temperature,
    };
    for await (const event of route.protocol.stream(asked, signal)) {
      if (event.type !== 'done') continue;
      const { text } = splitThinking(event.message.content ?? '');
      const usage = event.usage ?? estimateUsage(asked, event.message);
      return { model: route.model, text, spent: { usage, on: called(route) } };
    }
    return { model: member.model, text: '' };
  } catch (error) {
    return { model: member.model, text: `(failed: ${errorMessage(error)})` };
  }
}

/** What was said, turn about, beginning and ending with the user. */
function wordsOf(messages: readonly Message[]): Message[] {
  const words: { role: 'user' | 'assistant'; content: string }[] = [];
  for (const { role, content } of messages) {
    if (role !== 'user' && role !== 'assistant') continue;
    const text = textOf(content).trim();
    if (text === '') continue;
    const last = words.at(-1);
    if (last?.role === role) last.content += `\n\n${text}`;
    else words.push({ role, content: text });
  }
  if (words[0]?.role === 'assistant') words.shift();
  if (words.at(-1)?.role === 'assistant') words.push({ role: 'user', content: 'Go on.' });
  return words;
}

function withViews(messages: readonly Message[], views: readonly View[]): Message[] {
  const shown = views.map(({ model, text }) => `## ${model}\n${text.slice(0, maxViewChars) || '(nothing)'}`);
  const note = [
    '[Views of other models on the conversation so far, for you only. They saw no tool results and may be wrong; weigh them, do not quote them.]',
    ...shown,
  ].join('\n\n');
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: note }];
  const content =
    typeof last.content === 'string'
      ? `${last.content}\n\n${note}`
      : [...last.content, { type: 'text' as const, text: note }];
  return [...messages.slice(0, -1), { role: 'user', content }];
}

/** Without the key that a route holds. */
function called({ provider, model, baseUrl }: ModelRoute): CalledModel {
  return { provider, model, baseUrl };
}
