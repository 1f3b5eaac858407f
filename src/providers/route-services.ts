/** What resolving a route may ask of the rest of the program. All optional: without it, keys and tables decide. */
import type { ModelVariables } from '../config/model-variables.ts';
import type { KeySeed } from '../credentials/keys.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import type { Endpoint, KeptRefusals } from '../llm/endpoint.ts';
import type { ApiMode } from '../llm/protocol.ts';
import type { VirtualModel } from '../models/virtual-model.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import type { ModelKnowledge } from '../models/model-facts.ts';
import type { SharedConnections } from '../lib/shared-connections.ts';
import type { Fetch } from '../lib/fetch-over.ts';
import type { Log } from '../lib/log.ts';
import type { ModelSettings } from './model-settings.ts';

export interface RouteServices {
  readonly knowledge?: ModelKnowledge;
  readonly log?: Log;
  /** The pool of a provider over its stored logins and `seeds`; undefined when there is nothing in it. */
  readonly poolFor?: (provider: string, seeds: readonly KeySeed[]) => Promise<CredentialPool | undefined>;
  /** Asks a local server for the window of a model, in tokens. */
  readonly probeContext?: (
    endpoint: {
      readonly baseUrl: string;
      readonly model: string;
      readonly authorizer?: Authorizer;
      readonly fetch?: Fetch;
    },
    signal: AbortSignal | undefined,
  ) => Promise<number | undefined>;
  /** A window learned from a refusal, in tokens. */
  readonly learnedContext?: (model: string, baseUrl: string) => Promise<number | undefined>;
  /** Small findings that are kept: which address of a service a key works at. */
  readonly findings?: {
    get(key: string): Promise<string | undefined>;
    set(key: string, value: string): Promise<void>;
  };
  /** Where an endpoint that is spoken to in one format keeps what its models refused. */
  readonly refusalsAt?: (apiMode: ApiMode, baseUrl: string) => KeptRefusals;
  /** Those of the program. */
  readonly connections?: SharedConnections;
  /** Told of every request that is sent to a model. */
  readonly dump?: Endpoint['dump'];
  /** The token of another program that is logged in (`gh auth token`). */
  readonly foreignToken?: (provider: string, signal: AbortSignal | undefined) => Promise<string | undefined>;
  /** A model without an address of its own: a mixture of others, or a file on this machine. */
  readonly openVirtual?: (
    provider: string,
    model: string,
    /** `model.context_length`, in tokens. */
    contextLength: number | undefined,
  ) => Promise<VirtualModel | undefined>;
}

/** What every question about providers is answered from. */
export interface RouteSources {
  readonly settings: ModelSettings;
  readonly variables: ModelVariables;
  readonly services?: RouteServices;
}
