import { expect, it } from 'vitest';
import { StartupError } from '../../process/startup-error.ts';
import { parseEtcdFlags } from './etcd-flags.ts';

it.each([
  [
    'envtest',
    [
      '--advertise-client-urls=http://127.0.0.1:41001',
      '--data-dir=/srv/etcd-of-a-suite',
      '--listen-client-urls=http://127.0.0.1:41001',
      '--listen-peer-urls=http://127.0.0.1:41002',
      '--unsafe-no-fsync=true',
    ],
    {
      dataDir: '/srv/etcd-of-a-suite',
      listen: [{ host: '127.0.0.1', port: 41_001 }],
      isSynced: false,
    },
  ],
  [
    'flags without equals signs, one without a value',
    ['-data-dir', 'data', '--unsafe-no-fsync', '--listen-client-urls', 'http://[::1]:1,http://a:2'],
    {
      dataDir: 'data',
      isSynced: false,
      listen: [
        { host: '::1', port: 1 },
        { host: 'a', port: 2 },
      ],
    },
  ],
  [
    'nothing',
    [],
    {
      dataDir: 'default.etcd',
      listen: [{ host: 'localhost', port: 2_379 }],
      isSynced: true,
    },
  ],
])('takes what %s gives', (_, argv, flags) => {
  expect(parseEtcdFlags(argv)).toEqual(flags);
});

it.each([
  [['--listen-client-urls=https://127.0.0.1:1'], 'expected http://HOST:PORT'],
  [['--listen-client-urls=nowhere'], 'expected http://HOST:PORT'],
  [['start'], "'start' is not a valid flag"],
])('refuses %j', (argv, message) => {
  expect(() => parseEtcdFlags(argv)).toThrow(StartupError);
  expect(() => parseEtcdFlags(argv)).toThrow(message);
});
