import { describe, expect, it } from 'vitest';

import { isMalformed, placeOf, prefixOf, resolveRequestInfo } from './request-info.ts';
import type { RequestInfo } from './request.ts';

function resolved(method: string, url: string): RequestInfo {
  const [path = '', ...query] = url.split('?');
  return resolveRequestInfo(method, path, query.join('?'));
}

/** Everything in one line: `verb prefix/group/version ns=… resource/subresource name=… [parts]`. */
function shown(info: RequestInfo): string {
  const where = info.namespace === '' ? '' : ` ns=${info.namespace}`;
  const what = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const named = info.name === '' ? '' : ` name=${info.name}`;
  const version = [info.apiPrefix, info.apiGroup, info.apiVersion].join('/');
  return `${info.verb} ${version}${where} ${what}${named} [${info.parts.join(' ')}]`;
}

describe('requests for resources', () => {
  const cases: [method: string, url: string, expected: string][] = [
    // Collections and objects, with and without a namespace.
    ['GET', '/api/v1/namespaces', 'list api//v1 namespaces [namespaces]'],
    ['GET', '/api/v1/namespaces/x', 'get api//v1 ns=x namespaces name=x [namespaces x]'],
    ['GET', '/api/v1/namespaces/x/pods', 'list api//v1 ns=x pods [pods]'],
    ['GET', '/api/v1/namespaces/x/pods/a', 'get api//v1 ns=x pods name=a [pods a]'],
    ['HEAD', '/api/v1/namespaces/x/pods/a', 'get api//v1 ns=x pods name=a [pods a]'],
    ['GET', '/api/v1/pods', 'list api//v1 pods [pods]'],
    ['HEAD', '/api/v1/pods', 'list api//v1 pods [pods]'],
    ['GET', '/api/v1/nodes/n', 'get api//v1 nodes name=n [nodes n]'],
    ['GET', '/apis/batch/v1/jobs', 'list apis/batch/v1 jobs [jobs]'],
    ['GET', '/apis/batch/v1/jobs/a', 'get apis/batch/v1 jobs name=a [jobs a]'],
    ['GET', '/api/v1/pods/', 'list api//v1 pods [pods]'],
    ['GET', '//api/v1/pods//', 'list api//v1 pods [pods]'],

    // Verbs in the path.
    ['GET', '/api/v1/proxy/namespaces/x/pods/a', 'proxy api//v1 ns=x pods name=a [pods a]'],
    ['GET', '/api/v1/proxy/namespaces/x/pods/a/b/c', 'proxy api//v1 ns=x pods name=a [pods a b c]'],
    ['GET', '/api/v1/proxy/nodes/n', 'proxy api//v1 nodes name=n [nodes n]'],
    ['GET', '/api/v1/watch/pods', 'watch api//v1 pods [pods]'],
    ['GET', '/api/v1/watch/namespaces/x/pods', 'watch api//v1 ns=x pods [pods]'],
    ['GET', '/api/v1/watch/namespaces/x/pods/a', 'watch api//v1 ns=x pods name=a [pods a]'],
    ['GET', '/api/v1/watch/namespaces/x', 'watch api//v1 ns=x namespaces name=x [namespaces x]'],
    ['GET', '/apis/apps/v1/watch/deployments', 'watch apis/apps/v1 deployments [deployments]'],

    // Watch as a parameter: there and not false is true.
    ['GET', '/api/v1/pods?watch=true', 'watch api//v1 pods [pods]'],
    ['GET', '/api/v1/pods?watch=false', 'list api//v1 pods [pods]'],
    ['GET', '/api/v1/pods?watch=False', 'list api//v1 pods [pods]'],
    ['GET', '/api/v1/pods?watch', 'watch api//v1 pods [pods]'],
    ['GET', '/api/v1/pods?watch=yes', 'watch api//v1 pods [pods]'],
    ['GET', '/api/v1/namespaces/x/pods?watch=1', 'watch api//v1 ns=x pods [pods]'],
    ['GET', '/api/v1/namespaces/x/pods?watch=0', 'list api//v1 ns=x pods [pods]'],
    ['GET', '/api/v1/namespaces/x/pods/a?watch=1', 'get api//v1 ns=x pods name=a [pods a]'],
    ['POST', '/api/v1/pods?watch=1', 'create api//v1 pods [pods]'],

    // Subresources; status and finalize are the namespace's own.
    [
      'GET',
      '/api/v1/namespaces/x/pods/a/status',
      'get api//v1 ns=x pods/status name=a [pods a status]',
    ],
    [
      'GET',
      '/api/v1/namespaces/x/pods/a/proxy/sub/path',
      'get api//v1 ns=x pods/proxy name=a [pods a proxy sub path]',
    ],
    [
      'PUT',
      '/api/v1/namespaces/x/finalize',
      'update api//v1 ns=x namespaces/finalize name=x [namespaces x finalize]',
    ],
    [
      'PUT',
      '/api/v1/namespaces/x/status',
      'update api//v1 ns=x namespaces/status name=x [namespaces x status]',
    ],
    [
      'PUT',
      '/apis/apps/v1/namespaces/x/deployments/d/scale',
      'update apis/apps/v1 ns=x deployments/scale name=d [deployments d scale]',
    ],

    // Methods.
    ['POST', '/api/v1/namespaces/x/pods', 'create api//v1 ns=x pods [pods]'],
    ['PUT', '/api/v1/namespaces/x/pods/a', 'update api//v1 ns=x pods name=a [pods a]'],
    ['PATCH', '/api/v1/namespaces/x/pods/a', 'patch api//v1 ns=x pods name=a [pods a]'],
    ['DELETE', '/api/v1/namespaces/x/pods/a', 'delete api//v1 ns=x pods name=a [pods a]'],
    ['DELETE', '/api/v1/nodes', 'deletecollection api//v1 nodes [nodes]'],
    ['DELETE', '/api/v1/namespaces', 'deletecollection api//v1 namespaces [namespaces]'],
    ['DELETE', '/apis/g/v1/namespaces/x/pods', 'deletecollection apis/g/v1 ns=x pods [pods]'],
    ['POST', '/apis/g/v1beta3/namespaces/x/pods', 'create apis/g/v1beta3 ns=x pods [pods]'],
    ['OPTIONS', '/api/v1/pods', ' api//v1 pods [pods]'],

    // Escapes are resolved before the path is split, as Go does.
    ['GET', '/api/v1/namespaces/x/pods/a%3Ab', 'get api//v1 ns=x pods name=a:b [pods a:b]'],
    ['GET', '/api/v1/nodes/a%2Fstatus', 'get api//v1 nodes/status name=a [nodes a status]'],
  ];

  it.each(cases)('%s %s', (method, url, expected) => {
    const info = resolved(method, url);
    expect(info.isResourceRequest).toBe(true);
    expect(shown(info)).toBe(expected);
  });
});

describe('requests for paths', () => {
  it.each([
    '',
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/healthz',
    '/not-api/v1/pods',
    '/openapi/v3/apis/apps/v1',
  ])('%s', (url) => {
    const info = resolved('GET', url);
    expect(info.isResourceRequest).toBe(false);
    expect(info.path).toBe(url);
    expect(info.verb).toBe('get');
    expect(info.resource).toBe('');
  });

  it('keeps the HTTP method in lower case as the verb', () => {
    expect(resolved('POST', '/version').verb).toBe('post');
  });
});

describe('selectors', () => {
  interface Expected {
    verb: string;
    name?: string;
    fields?: string;
    labels?: string;
  }
  const cases: [method: string, url: string, expected: Expected][] = [
    ['GET', '/apis/g/v/things', { verb: 'list' }],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name=a',
      { verb: 'list', name: 'a', fields: 'metadata.name=a' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name%3D%3Da,x!%3Dy',
      { verb: 'list', name: 'a', fields: 'metadata.name==a,x!=y' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name!=a',
      { verb: 'list', fields: 'metadata.name!=a' },
    ],
    [
      'GET',
      '/apis/g/v/things?watch=true&fieldSelector=metadata.name=a',
      { verb: 'watch', name: 'a', fields: 'metadata.name=a' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=foo=bar&labelSelector=baz=qux',
      { verb: 'list', fields: 'foo=bar', labels: 'baz=qux' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name=a,foo',
      { verb: 'list', fields: 'metadata.name=a,foo' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name=a,foo&watch=true',
      { verb: 'watch', fields: 'metadata.name=a,foo' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name=a/b',
      { verb: 'list', fields: 'metadata.name=a/b' },
    ],
    [
      'GET',
      '/apis/g/v/things?fieldSelector=metadata.name=a&fieldSelector=metadata.name=b',
      { verb: 'list', name: 'a', fields: 'metadata.name=a' },
    ],
    // Selectors count for many objects only, and never where the verb is in the path.
    [
      'DELETE',
      '/apis/g/v/things?fieldSelector=foo=bar&labelSelector=baz=qux',
      { verb: 'deletecollection', fields: 'foo=bar', labels: 'baz=qux' },
    ],
    ['GET', '/apis/g/v/things/a?fieldSelector=foo=bar', { verb: 'get', name: 'a' }],
    ['GET', '/apis/g/v/watch/things?fieldSelector=metadata.name=a', { verb: 'watch' }],
    ['GET', '/apis/g/v/watch/things/a?fieldSelector=foo=bar', { verb: 'watch', name: 'a' }],
  ];

  it.each(cases)('%s %s', (method, url, { verb, name = '', fields = '', labels = '' }) => {
    const info = resolved(method, url);
    expect(info.verb).toBe(verb);
    expect(info.name).toBe(name);
    expect(info.fieldSelector).toBe(fields);
    expect(info.labelSelector).toBe(labels);
  });
});

describe('the name in a field selector', () => {
  it.each([
    ['metadata.name=a', 'a'],
    ['metadata.name==a', 'a'],
    ['spec.nodeName=n,metadata.name=a', 'a'],
    [',metadata.name=a,', 'a'],
    // Terms are sorted before they are looked at.
    ['metadata.name=b,metadata.name=a', 'a'],
    ['metadata.name=a\\,b', 'a,b'],
    ['metadata.name=a\\=b', 'a=b'],
    ['metadata.name!=a', ''],
    ['metadata.name=', ''],
    ['metadata.name=a=b', ''],
    ['metadata.name=a\\b', ''],
    ['metadata.name', ''],
    ['metadata.name=..', ''],
    ['metadata.name=a%2Fb', ''],
    ['metadata.namespace=a', ''],
  ])('%s is %j', (selector, name) => {
    const info = resolved('GET', `/api/v1/pods?fieldSelector=${encodeURIComponent(selector)}`);
    expect(info.name).toBe(name);
  });

  it.each(['limit=x', 'timeoutSeconds=x', 'labelSelector=a%20b'])('is lost beside %s', (other) => {
    const info = resolved('GET', `/api/v1/pods?fieldSelector=metadata.name=a&watch=1&${other}`);
    expect(info).toMatchObject({ verb: 'watch', name: '', fieldSelector: 'metadata.name=a' });
  });
});

describe('malformed paths', () => {
  it.each(['/api/v1/watch', '/api/v1/watch/', '/apis/apps/v1/watch', '/api/v1/proxy'])(
    '%s names no resource',
    (url) => {
      expect(isMalformed(resolved('GET', url))).toBe(true);
    },
  );
  it('does not take the others for malformed', () => {
    expect(isMalformed(resolved('GET', '/api/v1/pods'))).toBe(false);
    expect(isMalformed(resolved('GET', '/version'))).toBe(false);
  });
});

describe('the place of a request', () => {
  it.each([
    ['/api/v1/pods', '', '', '/api/v1/pods'],
    ['/at/17/api/v1/pods', '', '17', '/api/v1/pods'],
    ['/at/2026-11-20T10:00:00Z/apis', '', '2026-11-20T10:00:00Z', '/apis'],
    ['/at/17', '', '17', '/'],
    ['/at/17/', '', '17', '/'],
    ['/forks/try/api/v1/pods', 'try', '', '/api/v1/pods'],
    ['/forks/try', 'try', '', '/'],
    ['/forks/try/at/17/version', 'try', '17', '/version'],
    // One of each, and in this order: all else is a path like any other.
    ['/at/17/forks/try/api', '', '17', '/forks/try/api'],
    ['/at/17/at/18/api', '', '17', '/at/18/api'],
    ['/at/', '', '', '/at/'],
    ['/at', '', '', '/at'],
    ['/forks//api', '', '', '/forks//api'],
    ['/attach', '', '', '/attach'],
    // Nothing stands still but a moment.
    ['/still/api', '', '', '/still/api'],
    ['/forks/try/still/api', 'try', '', '/still/api'],
    ['/at/17/stillness', '', '17', '/stillness'],
    ['/at/17//still/api', '', '17', '//still/api'],
    ['/at//still/api', '', '', '/at//still/api'],
  ])('of %s is fork %j at %j, path %s', (path, fork, at, rest) => {
    expect(placeOf(path)).toEqual({ fork, at, isStill: false, path: rest });
  });

  it.each([
    ['/at/17/still/api/v1/pods', '', '17', '/api/v1/pods'],
    ['/at/2026-11-20T10:00:00Z/still/apis', '', '2026-11-20T10:00:00Z', '/apis'],
    ['/at/17/still', '', '17', '/'],
    ['/at/17/still/', '', '17', '/'],
    ['/forks/try/at/17/still/version', 'try', '17', '/version'],
    ['/at/17/still/still/api', '', '17', '/still/api'],
    ['/at/still/still/api', '', 'still', '/api'],
  ])('of %s is fork %j at %j, where watches stay, path %s', (path, fork, at, rest) => {
    expect(placeOf(path)).toEqual({ fork, at, isStill: true, path: rest });
  });

  it('can be put in front again', () => {
    const prefixes = ['', '/at/17', '/at/17/still', '/forks/try', '/forks/try/at/17/still'];
    for (const path of prefixes.map((prefix) => `${prefix}/api`)) {
      const place = placeOf(path);
      expect(prefixOf(place) + place.path).toBe(path);
    }
  });
});
