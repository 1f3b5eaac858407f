/**
 * AWS Bedrock's Converse protocol, streamed or whole, signed by the AWS SDK.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference.html
 */
import type { ConverseStreamCommandOutput } from '@aws-sdk/client-bedrock-runtime';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelError } from '../../model-error.ts';
import type { ModelEvent, ModelRequest, Protocol } from '../../protocol.ts';
import { failure } from '../model-failure.ts';
import { streamAnswer } from '../stream-answer.ts';
import { ConverseAnswer, type ConverseEvent } from './answer.ts';
import { type AwsCredentials, BedrockClient, type OpenedRequest } from './client.ts';
import { bedrockFailure, refusesThoughts } from './errors.ts';
import type { Transport } from './transport.ts';

/**
 * Binds the protocol to an endpoint. Make one per endpoint and keep it: it holds the connections and what the AWS
 * credential chain found. `bedrock.apiKey` of the endpoint is sent as a Bedrock API key; otherwise requests are signed with
 * `credentials`, by default those of the chain (environment, shared configuration, SSO, container, instance).
 *
 * One request of `stream` is one HTTP request to Bedrock, with a single exception: when the signed thoughts of the
 * history are refused, it is asked once more without them, and the protocol remembers.
 */
export class BedrockConverse implements Protocol {
  readonly #client: BedrockClient;
  #replayThoughts = true;

  constructor(endpoint: Endpoint, credentials?: AwsCredentials) {
    this.#client = new BedrockClient(endpoint, credentials);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { transport, output } = await this.#open(request, signal);
    const { context, exchange } = transport;
    try {
      if (exchange === undefined) throw failure(context, 'malformed', 'the AWS SDK answered without a request');
      yield* streamAnswer(new ConverseAnswer(context), eventsOf(output), exchange, context);
    } catch (error) {
      throw explain(error, transport, signal);
    } finally {
      exchange?.cancel();
    }
  }

  async #open(request: ModelRequest, signal: AbortSignal): Promise<Opened> {
    const library = await import('@aws-sdk/client-bedrock-runtime');
    for (;;) {
      const replayed = this.#replayThoughts;
      const { transport, answer } = this.#client.open(library, request, replayed, signal);
      try {
        return { transport, output: await transport.wait(answer) };
      } catch (error) {
        transport.exchange?.cancel();
        if (!replayed || !refusesThoughts(error) || signal.aborted) throw explain(error, transport, signal);
        this.#replayThoughts = false;
      }
    }
  }
}

interface Opened {
  readonly transport: Transport;
  readonly output: Awaited<OpenedRequest['answer']>;
}

function explain(error: unknown, { context, problem }: Transport, signal: AbortSignal): ModelError {
  if (signal.aborted) return failure(context, 'aborted', 'interrupted');
  return problem ?? bedrockFailure(context, error);
}

async function* eventsOf(output: Opened['output']): AsyncGenerator<readonly ConverseEvent[]> {
  if (!isStream(output)) yield [{ whole: output }];
  else for await (const event of output.stream ?? []) yield [{ event }];
}

function isStream(output: object): output is ConverseStreamCommandOutput {
  return 'stream' in output;
}
