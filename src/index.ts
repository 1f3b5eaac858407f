/**
 * Hermes Agent as a library.
 *
 *     const runtime = await createRuntime({ … });           // everything from the user's home
 *     const session = await runtime.openSession({ human: headless });
 *     console.log(await session.agent.chat('What is in this folder?'));
 *
 * or, without a home, `createAgent` with your own model route, tools, policy and transcript.
 */
export type { Agent, RunOptions } from './agent/agent.ts';
export type { Clock } from './agent/clock.ts';
export { type ContextEngine, type ContextModel, type ContextRequest, wholeHistory } from './agent/context/engine.ts';
export { type AgentOptions, createAgent } from './agent/create-agent.ts';
export { defineTool } from './agent/define-tool.ts';
export type { AgentEvent, StatusKind, TokenTotals, TurnResult } from './agent/events.ts';
export { type ApprovalChoice, type ApprovalRequest, headless, type Human } from './agent/human.ts';
export type { Policy, PolicyCall, PolicyDecision } from './agent/policy.ts';
export type { PreparedCall, Tool, ToolContext, ToolDefinition, ToolResult } from './agent/tool.ts';
export type { Transcript } from './agent/transcript.ts';
export { type Home, resolveHome } from './config/home.ts';
export { type LoadedConfig, loadConfig } from './config/load.ts';
export { UserError } from './lib/errors.ts';
export type {
  AssistantMessage,
  Content,
  ContentPart,
  HistoryMessage,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './llm/message.ts';
export { ModelError, type ModelErrorKind } from './llm/model-error.ts';
export type { ModelEvent, ModelRequest, ModelRoute, Protocol, ToolSchema, Usage } from './llm/protocol.ts';
export { createChatCompletions } from './llm/protocols/chat-completions.ts';
export { createRuntime } from './runtime/create-runtime.ts';
export type { RuntimeOptions } from './runtime/runtime-options.ts';
export type { OpenSessionOptions, Runtime, Session } from './runtime/runtime.ts';
export type { SessionStore } from './sessions/session-store.ts';
export type { SessionRow } from './sessions/sessions.ts';
