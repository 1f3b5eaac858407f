/** A call of `delegate_task` that nobody waits for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../lib/errors.ts';
import type { DelegatedTask } from '../../tools/delegation/delegation.ts';
import { askedOf, endOf } from './completion.ts';
import type { DelegatedCall } from './delegated-call.ts';
import type { DelegationHost } from './delegation-host.ts';
import { showFiles } from './kept-files.ts';
import { newDelegationId, startCall } from './start-call.ts';

export interface BackgroundCall {
  readonly call: DelegatedCall;
  /** What the model reads at once. */
  readonly answer: object;
  /** Runs it and writes down what came of it. Never rejects. */
  finish(): Promise<void>;
}

/** A full disk may have room again soon. */
const writeTries = 4;
const retryMs = 5000;

/** Resolves when the call is written down, so that its end is known even if this process dies. Throws `UserError`. */
export async function startBackground(host: DelegationHost, tasks: readonly DelegatedTask[]): Promise<BackgroundCall> {
  const { program, parts, spec } = host;
  const { store } = program;
  if (store === undefined) throw new Error('without a store nothing is done in the background');
  const id = newDelegationId();
  const session = host.session();
  const { later = {} } = spec.mode ?? {};
  const { human = spec.human } = later;
  const call = await startCall(host, tasks, { id, human, inBackground: true, resultChars: undefined });
  const begun = {
    id,
    originSession: later.chat ?? session.id,
    parentSessionId: session.id,
    dispatchedAt: Date.now() / 1000,
    task: askedOf(tasks, session.agent.route.model),
  };
  await store.delegations.begin(begun);
  const log = parts.log.named('delegation');
  return {
    call,
    answer: {
      status: 'dispatched',
      mode: 'background',
      count: tasks.length,
      delegation_id: id,
      goals: tasks.map(({ goal }) => goal),
      note: `${tasks.length === 1 ? 'The sub-agent works' : 'The sub-agents work'} in the background. Go on, or answer the user; what comes of it is a new message when ${tasks.length === 1 ? 'it is' : 'all are'} done. Do not wait or poll.`,
      ...(call.transcriptPaths.length === 0
        ? {}
        : {
            live_transcripts: call.transcriptPaths.map(showFiles(host.services)),
            live_transcripts_hint: 'What each of them does is written to its file as it happens.',
          }),
    },
    async finish() {
      const end = endOf(begun, await call.run(), call.sources, showFiles(host.services));
      for (let tries = 1; ; tries += 1) {
        try {
          await store.delegations.finish(id, end);
          log.info(`${id}: ${end.state}`);
          return;
        } catch (error) {
          log.error(`the results of ${id} could not be written down: ${errorMessage(error)}`, error);
          if (tries === writeTries) return;
          await sleep(retryMs, undefined, { ref: false });
        }
      }
    },
  };
}
