/** AWS Bedrock's Converse protocol, streamed or whole, signed by the AWS SDK. */
import type { ConverseStreamCommandOutput, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { failure } from '../model-failure.ts';
import { ConverseAnswer } from './answer.ts';
import { type AwsCredentials, BedrockClient, type OpenedRequest } from './client.ts';
import { bedrockFailure, refusesThoughts } from './errors.ts';
import type { Transport } from './transport.ts';

/** How long a complete answer may wait for its usage and the end of its body. */
const closingSilenceMs = 2000;

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections and what the AWS
 * credential chain found. `bedrock.apiKey` of the endpoint is sent as a Bedrock API key; otherwise requests are signed with
 * `credentials`, by default those of the chain (environment, shared configuration, SSO, container, instance).
 *
 * One request of `stream` is one HTTP request to Bedrock, with a single exception: when the signed thoughts of the
 * history are refused, it is asked once more without them, and the protocol remembers.
 */
export function createBedrockConverse(endpoint: Endpoint, credentials?: AwsCredentials): Protocol {
  const client = new BedrockClient(endpoint, credentials);
  let replayThoughts = true;

  async function open(request: ModelRequest, signal: AbortSignal): Promise<Opened> {
    const library = await import('@aws-sdk/client-bedrock-runtime');
    for (;;) {
      const replayed = replayThoughts;
      const { transport, answer } = client.open(library, request, replayed, signal);
      try {
        return { transport, output: await transport.wait(answer) };
      } catch (error) {
        transport.exchange?.cancel();
        if (!replayed || !refusesThoughts(error) || signal.aborted) throw explain(error, transport, signal);
        replayThoughts = false;
      }
    }
  }

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const opened = await open(request, signal);
      const { transport } = opened;
      try {
        yield* readAnswer(opened, signal);
      } catch (error) {
        throw explain(error, transport, signal);
      } finally {
        transport.exchange?.cancel();
      }
    },
  };
}

interface Opened {
  readonly transport: Transport;
  readonly output: Awaited<OpenedRequest['answer']>;
}

function explain(error: unknown, { context, problem }: Transport, signal: AbortSignal): ModelError {
  if (signal.aborted) return failure(context, 'aborted', 'interrupted');
  return problem ?? bedrockFailure(context, error);
}

async function* readAnswer({ transport, output }: Opened, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const answer = new ConverseAnswer(transport.context);
  if (!isStream(output)) answer.addWhole(output);
  else {
    try {
      for await (const event of output.stream ?? noEvents) {
        answer.add(event);
        transport.exchange?.progressed();
        yield* answer.takeEvents();
        if (answer.finished) transport.exchange?.almostDone(closingSilenceMs);
      }
    } catch (error) {
      // A finished answer is whole, however its connection ends.
      if (!answer.finished || signal.aborted) throw error;
    }
  }
  transport.exchange?.throwIfAborted();
  const last = answer.finish();
  transport.exchange?.finish();
  yield* last;
}

const noEvents: readonly ConverseStreamOutput[] = [];

function isStream(output: object): output is ConverseStreamCommandOutput {
  return 'stream' in output;
}
