/**
 * Hermes Agent as a library: everything from the user's home, or a conversation of your own parts.
 *
 * @example
 * const { home } = resolveHome([], process.env);
 * const config = await loadConfig({ home, env: process.env });
 * const program = await openProgram({ home, env: process.env, config, cwd: process.cwd() });
 * const session = await program.openSession({ surface: 'cli', human: headless });
 * console.log(await session.agent.chat('What is in this folder?'));
 * await program.close();
 *
 * Without a home, `new Conversation({ … })` takes your own models, prompt, tools, policy and transcript.
 */
export type { Agent, RunOptions, TurnInput } from './agent/agent.ts';
export type { Clock } from './agent/clock.ts';
export { type ContextEngine, type ContextModel, type ContextRequest, wholeHistory } from './agent/context/engine.ts';
export {
  type AgentOptions,
  Conversation,
  type ModelPorts,
  type PromptPorts,
  type TurnLimits,
} from './agent/conversation.ts';
export { defineTool } from './agent/define-tool.ts';
export type { AgentEvent, CallOutcome, StatusKind, TokenTotals, TurnEnd, TurnResult } from './agent/events.ts';
export { type ApprovalChoice, type ApprovalRequest, headless, type Human } from './agent/human.ts';
export type { Policy, PolicyCall, PolicyDecision } from './agent/policy.ts';
export {
  answer,
  failure,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type ToolOutcome,
} from './agent/tool.ts';
export type { Transcript } from './agent/transcript.ts';
export { type Home, resolveHome } from './config/home.ts';
export { type LoadedConfig, loadConfig } from './config/load.ts';
export { UserError } from './lib/errors.ts';
export type { Log } from './lib/log.ts';
export type {
  AssistantMessage,
  Content,
  ContentPart,
  HistoryMessage,
  Message,
  MessageKind,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './llm/message.ts';
export { ModelError, type ModelErrorKind } from './llm/model-error.ts';
export type { ModelEvent, ModelRequest, ModelRoute, Protocol, ToolSchema, Usage } from './llm/protocol.ts';
export { createChatCompletions } from './llm/protocols/chat-completions.ts';
export type { Source, SourceKind } from './llm/source.ts';
export { openProgram } from './runtime/open-program.ts';
export type { Program, ProgramOptions } from './runtime/program.ts';
export type { Session } from './runtime/session.ts';
export type { SessionSpec } from './runtime/session-spec.ts';
export type { SessionStore } from './sessions/session-store.ts';
export type { SessionRow } from './sessions/sessions.ts';
export type { QueuedMessage, WorkQueue } from './sessions/work-queue.ts';
export { MemoryWorkQueue } from './worker/memory-work-queue.ts';
export { openWorker } from './worker/open-worker.ts';
export { SessionWorker, type SessionWorkerOptions } from './worker/session-worker.ts';
export type { BusyMode, Submitted, Worker, WorkerEvent } from './worker/worker.ts';
