/** Every built-in tool, one line each. To add a tool: one file, one line here. */
import type { Tool } from '../agent/tool.ts';
import type { ToolServices } from './services.ts';

export interface CatalogueEntry {
  readonly name: string;
  readonly toolset: string;
  load(): Promise<Tool<ToolServices>>;
}

export const toolCatalogue: readonly CatalogueEntry[] = [
  { name: 'terminal', toolset: 'terminal', load: async () => (await import('./terminal/terminal.ts')).terminalTool },
  { name: 'process', toolset: 'terminal', load: async () => (await import('./terminal/process.ts')).processTool },
  { name: 'read_file', toolset: 'file', load: async () => (await import('./file/read-file.ts')).readFileTool },
  { name: 'write_file', toolset: 'file', load: async () => (await import('./file/write-file.ts')).writeFileTool },
  { name: 'patch', toolset: 'file', load: async () => (await import('./file/patch.ts')).patchTool },
  { name: 'search_files', toolset: 'file', load: async () => (await import('./file/search-files.ts')).searchFilesTool },
  {
    name: 'execute_code',
    toolset: 'code_execution',
    load: async () => (await import('./execute-code/execute-code.ts')).executeCodeTool,
  },
  {
    name: 'delegate_task',
    toolset: 'delegation',
    load: async () => (await import('./delegation/delegate-task.ts')).delegateTaskTool,
  },
  { name: 'web_search', toolset: 'web', load: async () => (await import('./web/web-search.ts')).webSearchTool },
  { name: 'web_extract', toolset: 'web', load: async () => (await import('./web/web-extract.ts')).webExtractTool },
  {
    name: 'vision_analyze',
    toolset: 'vision',
    load: async () => (await import('./vision/vision-analyze.ts')).visionAnalyzeTool,
  },
  {
    name: 'video_analyze',
    toolset: 'video',
    load: async () => (await import('./vision/video-analyze.ts')).videoAnalyzeTool,
  },
  { name: 'x_search', toolset: 'x_search', load: async () => (await import('./x-search/x-search.ts')).xSearchTool },
  {
    name: 'image_generate',
    toolset: 'image_gen',
    load: async () => (await import('./making/images/image-generate.ts')).imageGenerateTool,
  },
  {
    name: 'video_generate',
    toolset: 'video_gen',
    load: async () => (await import('./making/videos/video-generate.ts')).videoGenerateTool,
  },
  {
    name: 'xai_video_edit',
    toolset: 'video_gen',
    load: async () => (await import('./making/videos/xai-change.ts')).xaiVideoEditTool,
  },
  {
    name: 'xai_video_extend',
    toolset: 'video_gen',
    load: async () => (await import('./making/videos/xai-change.ts')).xaiVideoExtendTool,
  },
  {
    name: 'text_to_speech',
    toolset: 'tts',
    load: async () => (await import('./tts/text-to-speech.ts')).textToSpeechTool,
  },
  { name: 'todo', toolset: 'todo', load: async () => (await import('./todo/todo.ts')).todoTool },
  { name: 'clarify', toolset: 'clarify', load: async () => (await import('./clarify/clarify.ts')).clarifyTool },
  { name: 'memory', toolset: 'memory', load: async () => (await import('./memory/memory.ts')).memoryTool },
  {
    name: 'session_search',
    toolset: 'session_search',
    load: async () => (await import('./session-search/session-search.ts')).sessionSearchTool,
  },
  {
    name: 'skills_list',
    toolset: 'skills',
    load: async () => (await import('./skills/skills-list.ts')).skillsListTool,
  },
  { name: 'skill_view', toolset: 'skills', load: async () => (await import('./skills/skill-view.ts')).skillViewTool },
  {
    name: 'skill_manage',
    toolset: 'skills',
    load: async () => (await import('./skills/skill-manage.ts')).skillManageTool,
  },
  { name: 'cronjob', toolset: 'cronjob', load: async () => (await import('./cron/cronjob.ts')).cronjobTool },
  {
    name: 'computer_use',
    toolset: 'computer_use',
    load: async () => (await import('./computer-use/computer-use.ts')).computerUseTool,
  },
  {
    name: 'ha_list_entities',
    toolset: 'homeassistant',
    load: async () => (await import('./homeassistant/ha-list-entities.ts')).haListEntitiesTool,
  },
  {
    name: 'ha_get_state',
    toolset: 'homeassistant',
    load: async () => (await import('./homeassistant/ha-get-state.ts')).haGetStateTool,
  },
  {
    name: 'ha_list_services',
    toolset: 'homeassistant',
    load: async () => (await import('./homeassistant/ha-list-services.ts')).haListServicesTool,
  },
  {
    name: 'ha_call_service',
    toolset: 'homeassistant',
    load: async () => (await import('./homeassistant/ha-call-service.ts')).haCallServiceTool,
  },
  {
    name: 'browser_navigate',
    toolset: 'browser',
    load: async () => (await import('./browser/navigate.ts')).browserNavigateTool,
  },
  {
    name: 'browser_snapshot',
    toolset: 'browser',
    load: async () => (await import('./browser/snapshot-tool.ts')).browserSnapshotTool,
  },
  {
    name: 'browser_click',
    toolset: 'browser',
    load: async () => (await import('./browser/click.ts')).browserClickTool,
  },
  { name: 'browser_type', toolset: 'browser', load: async () => (await import('./browser/type.ts')).browserTypeTool },
  {
    name: 'browser_scroll',
    toolset: 'browser',
    load: async () => (await import('./browser/scroll.ts')).browserScrollTool,
  },
  { name: 'browser_back', toolset: 'browser', load: async () => (await import('./browser/back.ts')).browserBackTool },
  {
    name: 'browser_press',
    toolset: 'browser',
    load: async () => (await import('./browser/press.ts')).browserPressTool,
  },
  {
    name: 'browser_get_images',
    toolset: 'browser',
    load: async () => (await import('./browser/get-images.ts')).browserGetImagesTool,
  },
  {
    name: 'browser_console',
    toolset: 'browser',
    load: async () => (await import('./browser/console.ts')).browserConsoleTool,
  },
  {
    name: 'browser_vision',
    toolset: 'browser',
    load: async () => (await import('./browser/vision-tool.ts')).browserVisionTool,
  },
  {
    name: 'browser_dialog',
    toolset: 'browser',
    load: async () => (await import('./browser/dialog-tool.ts')).browserDialogTool,
  },
  { name: 'browser_cdp', toolset: 'browser', load: async () => (await import('./browser/cdp-tool.ts')).browserCdpTool },
  { name: 'kanban_show', toolset: 'kanban', load: async () => (await import('./kanban/show.ts')).kanbanShowTool },
  { name: 'kanban_list', toolset: 'kanban', load: async () => (await import('./kanban/list.ts')).kanbanListTool },
  {
    name: 'kanban_complete',
    toolset: 'kanban',
    load: async () => (await import('./kanban/complete.ts')).kanbanCompleteTool,
  },
  { name: 'kanban_block', toolset: 'kanban', load: async () => (await import('./kanban/block.ts')).kanbanBlockTool },
  {
    name: 'kanban_unblock',
    toolset: 'kanban',
    load: async () => (await import('./kanban/block.ts')).kanbanUnblockTool,
  },
  {
    name: 'kanban_heartbeat',
    toolset: 'kanban',
    load: async () => (await import('./kanban/heartbeat.ts')).kanbanHeartbeatTool,
  },
  {
    name: 'kanban_comment',
    toolset: 'kanban',
    load: async () => (await import('./kanban/comment.ts')).kanbanCommentTool,
  },
  { name: 'kanban_create', toolset: 'kanban', load: async () => (await import('./kanban/create.ts')).kanbanCreateTool },
  { name: 'kanban_link', toolset: 'kanban', load: async () => (await import('./kanban/link.ts')).kanbanLinkTool },
  { name: 'kanban_attach', toolset: 'kanban', load: async () => (await import('./kanban/attach.ts')).kanbanAttachTool },
  {
    name: 'kanban_attach_url',
    toolset: 'kanban',
    load: async () => (await import('./kanban/attach.ts')).kanbanAttachUrlTool,
  },
  {
    name: 'kanban_attachments',
    toolset: 'kanban',
    load: async () => (await import('./kanban/attach.ts')).kanbanAttachmentsTool,
  },
];
