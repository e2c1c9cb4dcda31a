import { describe, expect, it } from 'vitest';

import { requestLine } from './request-reader.ts';

const connection = { remoteAddress: '192.0.2.1', clientCertificate: () => undefined };

function lineOf(target: string, accept?: string) {
  const headers = accept === undefined ? {} : { accept };
  return requestLine({ method: 'GET', target, headers, connection, isWebSocket: false });
}

describe('the request line', () => {
  it.each([
    ['/', '/', ''],
    ['/api?', '/api', ''],
    ['/api?a=b', '/api', 'a=b'],
    ['/api?a=b?c', '/api', 'a=b?c'],
    ['/a%3Fb?c', '/a%3Fb', 'c'],
    ['', '', ''],
    ['?', '', ''],
    ['*', '*', ''],
  ])('of %j is %j and %j', (target, path, query) => {
    expect(lineOf(target)).toMatchObject({ path, query, connection, method: 'GET' });
  });

  it('says what can be given to this client', () => {
    expect(lineOf('/').accepted).toMatchObject({ type: 'json', pretty: false });
    expect(lineOf('/?pretty=1').accepted).toMatchObject({ type: 'json', pretty: true });
    expect(lineOf('/', 'text/html').accepted).toBeUndefined();
  });
});
