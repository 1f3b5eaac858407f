/** What a chat is given by the gateway. */
import type { TurnInput } from '../../agent/agent.ts';
import type { AgentEvent, TurnResult } from '../../agent/events.ts';
import type { Log } from '../../lib/log.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import type { Program } from '../../runtime/program.ts';
import type { SessionKnowledge } from '../../runtime/session.ts';
import type { ChatInbox, NewReply, ShownPreview } from '../../sessions/chat-inbox.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { BusyMode, Worker } from '../../worker/worker.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { AdapterClock } from '../platform/adapter-host.ts';
import type { ChatDisplay } from '../display/display-settings.ts';
import type { TurnFacts } from '../display/runtime-footer.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import type { TopicMode } from '../topics/topic-mode.ts';
import type { VoiceReplies } from '../voice/voice-replies.ts';
import type { ChatResults } from './chat-results.ts';
import type { ChatRouting } from './chat-routing.ts';
import type { PromptDesk } from './prompt-desk.ts';
import type { MessageTimes, ReceivedFile } from './turn-input.ts';
import type { KeptView, TurnView } from './turn-view.ts';
import type { TurnWatchSettings } from './turn-watch.ts';

export interface ChatSettings extends TurnWatchSettings {
  readonly busyMode: BusyMode;
  readonly busyAcks: boolean;
  /** Whether it is said that the running turn reads a message; undefined: as the display of the platform has it. */
  readonly steerAcks: boolean | undefined;
  readonly approvalSeconds: number;
  readonly clarifySeconds: number;
  /** True when a chat is told that its conversation was reset by itself. */
  readonly tellsReset: (old: { readonly platform: string; readonly totalTokens: number }) => boolean;
  /** `gateway.message_timestamps` */
  readonly times: MessageTimes;
  /** When a history is shortened before a turn. */
  readonly hygiene: {
    /** `compression.enabled` */
    readonly enabled: boolean;
    /** Messages from which a history is too long whatever its size. */
    readonly mostMessages: number;
  };
  /** A turn that was cut off longer ago than this is not gone on with. */
  readonly resumeSeconds: number;
}

/** What belongs to the whole process. */
export interface ChatDeps {
  readonly program: Program;
  readonly inbox: ChatInbox;
  readonly delivery: Delivery;
  readonly routing: ChatRouting;
  readonly results: ChatResults;
  readonly desk: PromptDesk;
  readonly commands: ChatCommands;
  readonly hooks: ChatHooks;
  readonly settings: ChatSettings;
  readonly clock: AdapterClock;
  readonly log: Log;
  /** Aborts when no turn may begin any more. */
  readonly stopping: AbortSignal;
  readonly place: ChatPlace;
  readonly voice: Pick<VoiceReplies, 'answered'>;
  readonly topics: Pick<TopicMode, 'turnedAway' | 'named'>;
  /** Proxy mode: the agent that answers. */
  readonly elsewhere?: ModelRoute | undefined;
}

/** What depends on the platform of a message. */
export interface ChatPlace {
  /** Several people share the session of this chat. */
  isShared(source: SessionSource): boolean;
  /** The sender as the model may know them: by their id, or by a pseudonym of it. */
  idOf(source: SessionSource): string | null;
  /** For the system prompt of a new session. */
  context(event: MessageEvent): string;
  /** Brings what is attached to this machine; what cannot be brought is a note. Rejects with the reason of `signal`. */
  receive(event: MessageEvent, signal: AbortSignal): Promise<readonly ReceivedFile[]>;
  /** Shows a turn while it runs. */
  view(event: MessageEvent, kept: KeptView): TurnView;
  /** Says something in the chat that is not kept in the outbox. */
  say(event: MessageEvent, text: string): Promise<void>;
  /** What the platform shows of turns. */
  display(platform: string): ChatDisplay;
  /** Marks the message: being worked on, answered, or not. Undefined takes the mark away. Returns at once. */
  mark(event: MessageEvent, mark: ProcessingMark): void;
  /** The reply that an answer becomes: its text, its pictures and its files; undefined when it is a word for silence. */
  compose(event: MessageEvent, answer: Answer): Promise<NewReply | undefined>;
}

export type ProcessingMark = 'working' | 'done' | 'failed' | undefined;

export interface Answer {
  readonly id: string;
  readonly sessionKey: string;
  readonly text: string;
  /** Names of the messages that it answers. */
  readonly about?: readonly string[];
  readonly preview: ShownPreview;
  readonly reasoning?: string | undefined;
  /** Of the conversation that it was said in. */
  readonly hosts: SessionKnowledge['hosts'];
  /** Known of a turn that came to its end. */
  readonly facts?: TurnFacts | undefined;
}

/** What a command asks the agent. */
export type AskedInput = Pick<TurnInput, 'content' | 'sent' | 'kind' | 'sources' | 'shown' | 'stored'>;

/** A chat as commands see it. */
export interface OpenChat {
  readonly sessionKey: string;
  readonly busy: boolean;
  /** A turn runs; `busy` is a chat with a command, too. */
  readonly answering: boolean;
  /** That of its conversation while it is open. */
  readonly worker: Worker | undefined;
  /** Opens the conversation if it is not. */
  open(event: MessageEvent): Promise<Worker>;
  say(event: MessageEvent, text: string): Promise<void>;
  /**
   * A command runs at once, said before anything is waited for: the queue leaves it alone. `waits`: it is to run from the
   * queue after all, and what is behind it stays there.
   */
  take(event: MessageEvent, then?: 'ends' | 'waits'): void;
  /** Gives the agent what a command stands for, behind what waits; with `stored` it is the last message already. */
  ask(event: MessageEvent, asked: AskedInput): Promise<void>;
  /** Stops the running turn and forgets what waits; true when there was something to stop. */
  stop(): Promise<boolean>;
  /** Ends the conversation: the next message begins another one, whose id is returned. */
  reset(event: MessageEvent, reason: string): Promise<string>;
  /** Goes on in another conversation, which is stored. */
  resume(session: SessionRow, reason: string): Promise<void>;
}

export interface ChatCommands {
  /** Runs a command that stands at the head of the queue; false: it is none, and goes to the model. */
  run(chat: OpenChat, event: MessageEvent): Promise<boolean>;
}

/** What others hear of chats. Nothing that they do may hold one up, or break it: what tells them something returns at once. */
export interface ChatHooks {
  turnStarted(event: MessageEvent, turn: HookedTurn & { readonly isFirst: boolean }): void;
  /** During a turn. */
  event(event: MessageEvent, told: AgentEvent, turn: HookedTurn): void;
  turnEnded(event: MessageEvent, result: TurnResult, turn: HookedTurn): void;
  /** Another conversation begins with the next message, because somebody asked for it. */
  sessionReset(event: MessageEvent, sessionKey: string): void;
  /** Asked before a command runs; who has nothing against it in time has nothing against it. */
  commandTyped(event: MessageEvent, command: HookedCommand): Promise<CommandDecision>;
}

export interface HookedTurn {
  readonly sessionKey: string;
  readonly sessionId: string;
}

export interface HookedCommand {
  /** The name that the command goes by. */
  readonly name: string;
  /** What was typed for it, without the slash. */
  readonly typed: string;
  readonly args: string;
  /** It may not wait, whatever runs. */
  readonly atOnce: boolean;
}

export type CommandDecision =
  | { readonly as: 'allow' }
  | { readonly as: 'deny'; readonly message: string | undefined }
  /** It has been done elsewhere; the message is the reply. */
  | { readonly as: 'handled'; readonly message: string | undefined }
  /** Another command runs in its place; its name is without the slash. */
  | { readonly as: 'rewrite'; readonly name: string; readonly args: string };
