import { expect, it } from 'vitest';

import { requestLine } from '../../inbound/request-reader.ts';
import { lineMeaning } from './line-meaning.ts';

function read(path: string, hasCbor: boolean) {
  const meant = lineMeaning(undefined, hasCbor);
  const line = requestLine({
    ...{ method: 'GET', target: path, headers: { accept: 'application/cbor, */*;q=0.1' } },
    ...{ connection: { remoteAddress: '127.0.0.1' } as never, isWebSocket: false },
  });
  return meant?.(line) ?? line;
}

it.each([
  '/api/v1',
  '/api/v1/pods',
  '/apis/apps/v1',
  '/apis/apps/v1/deployments',
  '/at/100/api/v1/pods',
  '/forks/one/apis/apps/v1',
  '/statusz',
  '/flagz',
])('%s may be CBOR while its gate is on, and only then', (path) => {
  expect([read(path, true).accepted?.type, read(path, true).hasCbor]).toEqual(['cbor', true]);
  expect([read(path, false).accepted?.type, read(path, false).hasCbor]).toEqual([
    'json',
    undefined,
  ]);
});

it.each(['/api', '/api/', '/apis', '/apis/', '/apis/apps', '/apis/apps/', '/version', '/metrics'])(
  '%s is never CBOR',
  (path) => {
    expect(read(path, true).accepted?.type).toBe('json');
  },
);
