import { expect, it } from 'vitest';
import { StartupError } from '../../process/startup-error.ts';
import { parseSnapshotCommand } from './snapshot-flags.ts';

it.each([
  [
    'kwokctl snapshot save',
    ['--endpoints', '127.0.0.1:41001', 'snapshot', 'save', 'state.db'],
    { type: 'save', file: 'state.db', etcd: 'http://127.0.0.1:41001' },
  ],
  [
    'kwokctl snapshot restore',
    ['snapshot', 'restore', 'state.db', '--data-dir', '/srv/etcd-data'],
    { type: 'restore', file: 'state.db', dataDirectory: '/srv/etcd-data' },
  ],
  [
    'flags with equals signs, and those that have no effect',
    ['snapshot', '--name=node0', '--skip-hash-check', 'restore', '--wal-dir', 'wal', 'state.db'],
    { type: 'restore', file: 'state.db', dataDirectory: 'default.etcd' },
  ],
  [
    'several endpoints',
    ['snapshot', 'save', '--endpoints=http://a:1,http://b:2', 'state.db'],
    { type: 'save', file: 'state.db', etcd: 'http://a:1' },
  ],
])('takes what %s gives', (_, argv, asked) => {
  expect(parseSnapshotCommand(argv, {})).toEqual(asked);
});

it('asks where the variable says', () => {
  const environment = { ETCDCTL_ENDPOINTS: 'a:1' };
  expect(parseSnapshotCommand(['snapshot', 'save', 'f'], environment)).toMatchObject({
    etcd: 'http://a:1',
  });
});

it.each([
  [['get', '/registry', '--keys-only'], "'get /registry': there are no keys of etcd here"],
  [['snapshot', 'status', 'state.db'], 'only snapshot save and snapshot restore'],
  [['snapshot', 'save'], 'snapshot save takes one file'],
  [['snapshot', 'restore', 'a', 'b'], 'snapshot restore takes one file'],
])('refuses %j', (argv, message) => {
  expect(() => parseSnapshotCommand(argv, {})).toThrow(StartupError);
  expect(() => parseSnapshotCommand(argv, {})).toThrow(message);
});
