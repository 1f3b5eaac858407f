/** The AWS client of one endpoint: region, credentials, address. Loaded when it is first needed, because it is large. */
import type * as BedrockRuntime from '@aws-sdk/client-bedrock-runtime';
import type {
  BedrockRuntimeClient,
  BedrockRuntimeClientConfig,
  ConverseCommandOutput,
  ConverseStreamCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { Connections } from '../../../lib/connections.ts';
import type { Endpoint } from '../../endpoint.ts';
import type { ModelRequest } from '../../protocol.ts';
import { converseInput, guardrailOf } from './converse-input.ts';
import { Transport } from './transport.ts';

export type AwsCredentials = BedrockRuntimeClientConfig['credentials'];

export interface OpenedRequest {
  readonly transport: Transport;
  /** The events of a stream, or the whole answer. */
  readonly answer: Promise<ConverseStreamCommandOutput | ConverseCommandOutput>;
}

type Library = typeof BedrockRuntime;

/** Remembers what the credential chain found; keep it as long as the endpoint. */
export class BedrockClient {
  readonly #endpoint: Endpoint;
  readonly #credentials: AwsCredentials;
  #chain: BedrockRuntimeClient | undefined;
  readonly #connections: Connections;

  /** `credentials` default to those of the AWS credential chain. */
  constructor(endpoint: Endpoint, credentials?: AwsCredentials) {
    this.#endpoint = endpoint;
    this.#connections = new Connections(endpoint.network);
    this.#credentials = credentials;
  }

  /** Begins a request. Failures of any kind show in `answer`. */
  open(library: Library, request: ModelRequest, replayThoughts: boolean, signal: AbortSignal): OpenedRequest {
    const transport = new Transport(this.#endpoint, request, this.#connections, signal);
    return {
      transport,
      answer: this.#send(library, request, replayThoughts, transport),
    };
  }

  async #send(library: Library, request: ModelRequest, replayThoughts: boolean, transport: Transport) {
    const input = converseInput(request, this.#endpoint, replayThoughts);
    const client = this.#clientFor(library, transport);
    const guardrail = guardrailOf(this.#endpoint);
    const guarded = guardrail === undefined ? input : { ...input, guardrailConfig: guardrail };
    if (!request.stream) return await client.send(new library.ConverseCommand(guarded));
    const mode = this.#endpoint.bedrock?.guardrail?.streamProcessingMode;
    if (guardrail === undefined || mode === undefined) {
      return await client.send(new library.ConverseStreamCommand(guarded));
    }
    return await client.send(
      new library.ConverseStreamCommand({
        ...input,
        guardrailConfig: { ...guardrail, streamProcessingMode: mode },
      }),
    );
  }

  /** A client for each request, as each has its own transport; the credentials are those of the first. */
  #clientFor(library: Library, transport: Transport): BedrockRuntimeClient {
    const client = new library.BedrockRuntimeClient({
      ...this.#config(),
      ...(this.#chain === undefined ? {} : { credentials: this.#chain.config.credentials }),
      requestHandler: { handle: (request: Parameters<Transport['send']>[0]) => transport.send(request) },
    });
    this.#chain ??= client;
    return client;
  }

  #config(): BedrockRuntimeClientConfig {
    const { baseUrl, bedrock } = this.#endpoint;
    const host = URL.parse(baseUrl)?.hostname ?? '';
    const standard = /^bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host);
    const key = bedrock?.apiKey;
    return {
      region: regionIn(host) ?? bedrock?.region ?? 'us-east-1',
      maxAttempts: 1,
      ...(standard ? {} : { endpoint: baseUrl }),
      ...(bedrock?.profile === undefined ? {} : { profile: bedrock.profile }),
      ...(this.#credentials === undefined ? {} : { credentials: this.#credentials, authSchemePreference: ['sigv4'] }),
      ...(key === undefined ? {} : { token: { token: key }, authSchemePreference: ['httpBearerAuth'] }),
    };
  }
}

/** Also in the names of private and FIPS endpoints. */
function regionIn(host: string): string | undefined {
  return /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(host)?.[1];
}
