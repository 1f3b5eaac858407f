/** Task lists, memory, skills and past sessions. */
import { differences } from '../differences.ts';
import { call, ofTool, type Scenario, withDifferences } from '../scenario.ts';

const skill = '---\nname: tea\ndescription: How to make tea\n---\n\n# Tea\n\nBoil water.\n';
const home = { 'skills/tea/SKILL.md': skill, 'skills/tea/references/more.md': 'More on tea.\n' };
const memoryHome = { 'memories/MEMORY.md': 'The tea is green.\n§\nThe cups are blue.\n' };

const scenarios: readonly Scenario[] = [
  ...ofTool('todo', {
    'a list': [{ todos: [{ id: '1', content: 'a', status: 'pending' }] }],
    read: [{}],
    'written, then read': [{ todos: [{ id: '1', content: 'a', status: 'in_progress' }] }, {}],
    merged: [
      { todos: [{ id: '1', content: 'a', status: 'pending' }] },
      { todos: [{ id: '1', status: 'completed' }], merge: true },
    ],
    empty: [{ todos: [] }],
    'no list': [{ todos: 5 }],
  }),
  ...ofTool('memory', {
    'an entry': [{ action: 'add', target: 'memory', content: 'The tea is green.' }],
    'about the user': [{ action: 'add', target: 'user', content: 'Likes tea.' }],
    'twice the same': [
      { action: 'add', target: 'memory', content: 'The tea is green.' },
      { action: 'add', target: 'memory', content: 'The tea is green.' },
    ],
    'no content': [{ action: 'add', target: 'memory' }],
    'an unknown action': [{ action: 'dance', target: 'memory' }],
    'an unknown target': [{ action: 'add', target: 'moon', content: 'x' }],
    'a long entry': [{ action: 'add', target: 'memory', content: 'x'.repeat(5000) }],
  }),
  ...ofTool(
    'memory',
    {
      replaced: [{ action: 'replace', target: 'memory', old_text: 'tea', content: 'The tea is black.' }],
      removed: [{ action: 'remove', target: 'memory', old_text: 'cups' }],
      'nothing to remove': [{ action: 'remove', target: 'memory', old_text: 'plates' }],
      'no old text': [{ action: 'remove', target: 'memory' }],
      'several at once': [
        {
          target: 'memory',
          operations: [
            { action: 'add', content: 'The pot is white.' },
            { action: 'remove', old_text: 'cups' },
          ],
        },
      ],
    },
    { home: memoryHome },
  ),
  ...ofTool('skills_list', { all: [{}], 'a category': [{ category: 'kitchen' }] }, { home }),
  ...ofTool(
    'skill_view',
    {
      'a skill': [{ name: 'tea' }],
      'an unknown skill': [{ name: 'coffee' }],
      'a file of it': [{ name: 'tea', file_path: 'references/more.md' }],
      'a file that is not there': [{ name: 'tea', file_path: 'references/none.md' }],
      'out of its folder': [{ name: 'tea', file_path: '../../config.yaml' }],
    },
    { home },
  ),
  ...ofTool(
    'skill_manage',
    {
      made: [{ action: 'create', name: 'juice', content: skill.replace('tea', 'juice') }],
      'made twice': [{ action: 'create', name: 'tea', content: skill }],
      'without a header': [{ action: 'create', name: 'juice', content: 'no header' }],
      'a bad name': [{ action: 'create', name: '../juice', content: skill }],
      patched: [{ action: 'patch', name: 'tea', old_string: 'Boil', new_string: 'Heat' }],
      'a patch without a match': [{ action: 'patch', name: 'tea', old_string: 'Freeze', new_string: 'Heat' }],
      'a file written': [{ action: 'write_file', name: 'tea', file_path: 'references/new.md', file_content: 'x' }],
      'a file in no known folder': [{ action: 'write_file', name: 'tea', file_path: 'x.md', file_content: 'x' }],
      'an unknown action': [{ action: 'dance', name: 'tea' }],
      deleted: [{ action: 'delete', name: 'tea' }],
    },
    { home },
  ),
  ...ofTool('session_search', {
    'nothing stored': [{ query: 'tea' }],
    'the newest': [{}],
    'an unknown session': [{ session_id: 'none' }],
  }),
  {
    name: 'mind: a skill is made and viewed',
    steps: [
      call('skill_manage', { action: 'create', name: 'juice', content: skill.replace('tea', 'juice') }),
      call('skill_view', { name: 'juice' }),
    ],
  },
];

export const mindScenarios = withDifferences(scenarios, {
  'memory: an unknown action': differences.unfit,
  'memory: an unknown target': differences.unfit,
  'skill_manage: made': differences.change,
  'skill_manage: patched': differences.change,
  'skill_manage: an unknown action': differences.unfit,
  'mind: a skill is made and viewed': differences.change,
});
