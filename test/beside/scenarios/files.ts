/** Reading, writing, patching and searching files. */
import { differences } from '../differences.ts';
import { call, calls, ofTool, type Scenario, withDifferences } from '../scenario.ts';

const tree = {
  'a.txt': 'alpha\nbeta\ngamma\n',
  'src/main.py': 'def main():\n    return 1\n\n\ndef other():\n    return 2\n',
  'src/app.ts': 'export const a = 1;\nexport const b = 2;\n',
  'data.json': '{"a": 1}\n',
  'empty.txt': '',
  'twice.txt': 'same\nsame\n',
  'long.txt': Array.from({ length: 3000 }, (_, line) => `line ${line + 1}`).join('\n'),
};

const addPatch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';
const updatePatch = '*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+BETA\n gamma\n*** End Patch';
const deletePatch = '*** Begin Patch\n*** Delete File: a.txt\n*** End Patch';
const twoPatch = `${updatePatch.replace('\n*** End Patch', '')}\n*** Add File: new.txt\n+hello\n*** End Patch`;
const movePatch = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: moved.txt\n@@\n-alpha\n+ALPHA\n*** End Patch';

const scenarios: readonly Scenario[] = [
  ...ofTool(
    'read_file',
    {
      'a small file': [{ path: 'a.txt' }],
      'a part': [{ path: 'long.txt', offset: 10, limit: 5 }],
      'a long file': [{ path: 'long.txt' }],
      'behind the end': [{ path: 'a.txt', offset: 100 }],
      'an empty file': [{ path: 'empty.txt' }],
      'a file that is not there': [{ path: 'missing.txt' }],
      'a name that is nearly right': [{ path: 'a.tx' }],
      'a folder': [{ path: 'src' }],
      'no path': [{}],
      'twice the same': [{ path: 'a.txt' }, { path: 'a.txt' }],
      'three times the same': [{ path: 'a.txt' }, { path: 'a.txt' }, { path: 'a.txt' }],
      'a device': [{ path: '/dev/zero' }],
    },
    { files: tree },
  ),
  ...ofTool(
    'write_file',
    {
      'a new file': [{ path: 'new.txt', content: 'hello\n' }],
      'a new folder': [{ path: 'deep/er/new.txt', content: 'hello\n' }],
      'over an old one': [{ path: 'a.txt', content: 'other\n' }],
      'no content': [{ path: 'new.txt' }],
      'empty content': [{ path: 'new.txt', content: '' }],
      'no path': [{ content: 'x' }],
      'onto a folder': [{ path: 'src', content: 'x' }],
      'python in order': [{ path: 'new.py', content: 'print(1)\n' }],
      'broken python': [{ path: 'new.py', content: 'def broken(:\n' }],
      'broken json': [{ path: 'new.json', content: '{"a":' }],
      'good json': [{ path: 'new.json', content: '{"a": 1}\n' }],
      'broken yaml': [{ path: 'new.yaml', content: 'a: [1,\n' }],
      'broken toml': [{ path: 'new.toml', content: 'a = \n' }],
      'an object as content': [{ path: 'new.json', content: { a: 1 } }],
    },
    { files: tree },
  ),
  ...ofTool(
    'patch',
    {
      'one place': [{ mode: 'replace', path: 'a.txt', old_string: 'beta', new_string: 'BETA' }],
      'nothing to find': [{ mode: 'replace', path: 'a.txt', old_string: 'delta', new_string: 'x' }],
      'two places': [{ mode: 'replace', path: 'twice.txt', old_string: 'same', new_string: 'x' }],
      'all places': [{ mode: 'replace', path: 'twice.txt', old_string: 'same', new_string: 'x', replace_all: true }],
      'no path': [{ mode: 'replace', old_string: 'a', new_string: 'b' }],
      'no old text': [{ mode: 'replace', path: 'a.txt', new_string: 'b' }],
      'a file that is not there': [{ mode: 'replace', path: 'missing.txt', old_string: 'a', new_string: 'b' }],
      'nothing changes': [{ mode: 'replace', path: 'a.txt', old_string: 'beta', new_string: 'beta' }],
      'json becomes broken': [{ mode: 'replace', path: 'data.json', old_string: '1}', new_string: '1' }],
      'python becomes broken': [{ mode: 'replace', path: 'src/main.py', old_string: 'main():', new_string: 'main(:' }],
      'indentation is off': [
        {
          mode: 'replace',
          path: 'src/main.py',
          old_string: 'def main():\nreturn 1',
          new_string: 'def main():\nreturn 3',
        },
      ],
      'a patch that adds': [{ mode: 'patch', patch: addPatch }],
      'a patch that updates': [{ mode: 'patch', patch: updatePatch }],
      'a patch that deletes': [{ mode: 'patch', patch: deletePatch }],
      'a patch that moves': [{ mode: 'patch', patch: movePatch }],
      'a patch of two files': [{ mode: 'patch', patch: twoPatch }],
      'a patch whose place is not there': [{ mode: 'patch', patch: updatePatch.replace('-beta', '-delta') }],
      'a patch that is none': [{ mode: 'patch', patch: 'hello' }],
      'no patch': [{ mode: 'patch' }],
      'an unknown mode': [{ mode: 'dance', path: 'a.txt' }],
    },
    { files: tree },
  ),
  ...ofTool(
    'search_files',
    {
      'in files': [{ pattern: 'return', path: 'src' }],
      'nothing found': [{ pattern: 'zebra', path: 'src' }],
      names: [{ pattern: '*.py', target: 'files' }],
      'names, nothing found': [{ pattern: '*.zig', target: 'files' }],
      'only names of files': [{ pattern: 'return', path: 'src', output_mode: 'files_only' }],
      'only names of files, nothing found': [{ pattern: 'zebra', path: 'src', output_mode: 'files_only' }],
      counts: [{ pattern: 'return', path: 'src', output_mode: 'count' }],
      'counts, nothing found': [{ pattern: 'zebra', path: 'src', output_mode: 'count' }],
      'with context': [{ pattern: 'return 1', path: 'src', context: 1 }],
      'a kind of file': [{ pattern: 'const', path: 'src', file_glob: '*.ts' }],
      'a folder that is not there': [{ pattern: 'a', path: 'missing' }],
      'one file': [{ pattern: 'beta', path: 'a.txt' }],
      'no pattern': [{ path: 'src' }],
    },
    { files: tree },
  ),
  {
    name: 'files: written, patched and read',
    steps: [
      call('write_file', { path: 'n.txt', content: 'one\n' }),
      call('patch', { mode: 'replace', path: 'n.txt', old_string: 'one', new_string: 'two' }),
      call('read_file', { path: 'n.txt' }),
    ],
  },
  {
    name: 'files: several read at once',
    steps: [
      calls(['read_file', { path: 'a.txt' }], ['read_file', { path: 'data.json' }], ['read_file', { path: 'no' }]),
    ],
    files: tree,
  },
];

export const fileScenarios = withDifferences(scenarios, {
  'read_file: behind the end': differences.unread,
  'read_file: a file that is not there': differences.unread,
  'read_file: a name that is nearly right': differences.unread,
  'read_file: a folder': differences.unread,
  'read_file: no path': differences.unfit,
  'files: several read at once': differences.unread,
  'write_file: onto a folder': differences.ontoFolder,
  'patch: indentation is off': differences.fuzzy,
  'patch: a file that is not there': differences.nothingToPatch,
  'search_files: no pattern': differences.unfit,
});
