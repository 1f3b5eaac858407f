/** What the models of a mixture say of a conversation before one of them answers. */
import { errorMessage } from '../../lib/errors.ts';
import { estimateUsage } from '../../llm/estimate.ts';
import { type Message, textOf } from '../../llm/message.ts';
import type { CalledModel, ModelRequest, ModelRoute, ReasoningEffort, Usage } from '../../llm/protocol.ts';
import { splitThinking } from '../../llm/thinking.ts';
import { bodyWith, type MixedModel, type MixturePreset, type MixtureSlot } from './mixture-settings.ts';

/** A view is context for the answer, not an answer: longer ones are cut. */
const maxViewChars = 20_000;

/** What a model was sent and said. */
export interface MixtureVoice {
  readonly label: string;
  readonly model: string;
  readonly provider: string;
  readonly temperature: number | null;
  readonly input_messages: readonly Message[];
  readonly output: string;
}

export interface View {
  readonly voice: MixtureVoice;
  readonly spent?: { readonly usage: Usage; readonly on: CalledModel };
}

export interface ViewPorts {
  resolve(model: MixedModel): Promise<ModelRoute>;
  readonly reference?: MixtureSlot;
}

export interface Reference {
  readonly model: MixedModel;
  readonly effort: ReasoningEffort | undefined;
}

/** `messages`: the words of the conversation. Never rejects: what failed is told as the view. */
export async function viewOf(
  { model, effort }: Reference,
  preset: MixturePreset,
  ports: ViewPorts,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<View> {
  const { reference: slot } = ports;
  const deadline = slot === undefined || slot.timeout <= 0 ? undefined : AbortSignal.timeout(slot.timeout * 1000);
  const { reference_temperature: asWritten } = preset;
  const temperature = asWritten === undefined ? {} : { temperature: asWritten };
  let asked: Pick<ModelRequest, 'messages' | 'temperature'> = { messages, ...temperature };
  let who = { provider: model.provider, model: model.model ?? '' };
  try {
    const route = await ports.resolve(model);
    who = route;
    const sent: ModelRequest = {
      model: route.model,
      messages,
      tools: [],
      stream: route.streaming,
      maxTokens: preset.reference_max_tokens ?? preset.max_tokens,
      ...temperature,
      ...(effort === undefined ? {} : { reasoningEffort: effort }),
      ...bodyWith(undefined, slot),
    };
    asked = sent;
    for await (const event of route.protocol.stream(sent, deadline ? AbortSignal.any([signal, deadline]) : signal)) {
      if (event.type !== 'done') continue;
      const usage = event.usage ?? estimateUsage(sent, event.message);
      return { voice: voiceOf(route, sent, event.message.content ?? ''), spent: { usage, on: called(route) } };
    }
    return { voice: voiceOf(route, sent, '') };
  } catch (error) {
    const why = deadline?.aborted === true ? `no answer within ${slot?.timeout} s` : errorMessage(error);
    return { voice: voiceOf(who, asked, `(failed: ${why})`) };
  }
}

export function voiceOf(
  { provider, model }: Pick<ModelRoute, 'provider' | 'model'>,
  { messages, temperature }: Pick<ModelRequest, 'messages' | 'temperature'>,
  output: string,
): MixtureVoice {
  const { text } = splitThinking(output);
  const label = `${provider}:${model}`;
  return { label, model, provider, temperature: temperature ?? null, input_messages: messages, output: text };
}

/** What was said, turn about, beginning and ending with the user. */
export function wordsOf(messages: readonly Message[]): Message[] {
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

/** Behind the first `at` messages, where the conversation stood when they were given. */
export function withViews(messages: readonly Message[], views: readonly View[], at: number): Message[] {
  const shown = views.map(
    ({ voice: { model, output } }) => `## ${model}\n${output.slice(0, maxViewChars) || '(nothing)'}`,
  );
  const note = [
    '[Views of other models on the conversation so far, for you only. They saw no tool results and may be wrong; weigh them, do not quote them.]',
    ...shown,
  ].join('\n\n');
  const [before, after] = [messages.slice(0, at), messages.slice(at)];
  const last = before.at(-1);
  if (last?.role !== 'user') return [...before, { role: 'user', content: note }, ...after];
  const content =
    typeof last.content === 'string'
      ? `${last.content}\n\n${note}`
      : [...last.content, { type: 'text' as const, text: note }];
  return [...before.slice(0, -1), { role: 'user', content }, ...after];
}

/** Without the key that a route holds. */
export function called({ provider, model, baseUrl }: ModelRoute): CalledModel {
  return { provider, model, baseUrl };
}
