/** The tools that the original has as well take the same parameters, so that prompts and skills work with both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '../../src/lib/json.ts';
import { toolCatalogue } from '../../src/tools/catalogue.ts';

/** By tool: the parameters of hermes-agent 0.19.0. */
const parameters: Readonly<Record<string, string>> = {
  browser_cdp: 'method params target_id frame_id timeout',
  browser_click: 'ref',
  browser_console: 'clear expression',
  browser_dialog: 'action prompt_text dialog_id',
  browser_navigate: 'url',
  browser_press: 'key',
  browser_scroll: 'direction',
  browser_snapshot: 'full',
  browser_type: 'ref text',
  browser_vision: 'question annotate',
  execute_code: 'code',
  memory: 'action target content old_text operations',
  patch: 'mode path old_string new_string replace_all patch cross_profile',
  process: 'action session_id data timeout offset limit',
  read_file: 'path offset limit',
  search_files: 'pattern target path file_glob limit offset output_mode context',
  session_search: 'query limit sort session_id around_message_id window role_filter profile',
  skill_manage: 'action name content old_string new_string replace_all category file_path file_content absorbed_into',
  skill_view: 'name file_path',
  skills_list: 'category',
  terminal: 'command background timeout workdir pty notify_on_complete watch_patterns',
  todo: 'todos merge',
  web_extract: 'urls char_limit',
  web_search: 'query limit',
  write_file: 'path content cross_profile',
  x_search:
    'query allowed_x_handles excluded_x_handles from_date to_date enable_image_understanding enable_video_understanding',
};

test('every parameter of the original is there', async () => {
  for (const [name, expected] of Object.entries(parameters)) {
    const tool = await toolCatalogue.find((entry) => entry.name === name)?.load();
    const properties = tool?.schema['properties'];
    const known = isJsonObject(properties) ? Object.keys(properties) : [];
    const missing = expected.split(' ').filter((parameter) => !known.includes(parameter));
    assert.deepEqual(missing, [], name);
  }
});
