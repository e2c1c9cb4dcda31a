import { expect, it } from 'vitest';

import { resolveRequestInfo } from '../request/request-info.ts';
import type { RequestInfo } from '../request/request.ts';
import { neededAccess } from './needed-access.ts';

/** `get logs.dev.everwatch`, `list secrets`, `get secrets db in shop`, `get /path`. */
function shown(info: RequestInfo): string {
  const { isResourceRequest, verb, path, resource, apiGroup, name, namespace } = info;
  if (!isResourceRequest) return `${verb} ${path}`;
  const what = apiGroup === '' ? resource : `${resource}.${apiGroup}`;
  const named = name === '' ? '' : ` ${name}`;
  return `${verb} ${what}${named}${namespace === '' ? '' : ` in ${namespace}`}`;
}

function needed(url: string, method = 'GET') {
  const [path = '', query = ''] = url.split('?');
  const access = neededAccess(resolveRequestInfo(method, path, query), query);
  return access && { all: access.all.map(shown), toEnter: access.toEnter?.map(shown) };
}

const LOG = '/everwatch/v1/log';
const LOGS = 'get logs.dev.everwatch';
const EVERYTHING = 'list *.*';

it.each<[url: string, ...all: string[]]>([
  [LOG, `get ${LOG}`, LOGS, EVERYTHING],
  [`${LOG}?follow=true&effectiveOnly=true`, `get ${LOG}`, LOGS, EVERYTHING],
  [`${LOG}/state?version=5`, `get ${LOG}/state`, LOGS, EVERYTHING],
  // No part of the state is shown by itself.
  [`${LOG}/state?version=5&resource=core/secrets`, `get ${LOG}/state`, LOGS, EVERYTHING],
  [`${LOG}/bounds`, `get ${LOG}/bounds`, LOGS],
  [`${LOG}/version-at?time=x`, `get ${LOG}/version-at`, LOGS],
  ['/everwatch/v1/status', 'get /everwatch/v1/status', LOGS],
  [`${LOG}?resource=core/secrets`, `get ${LOG}`, LOGS, 'list secrets'],
  [`${LOG}?resource=apps%2Fdeployments`, `get ${LOG}`, LOGS, 'list deployments.apps'],
  // The first of several is what is shown.
  [`${LOG}?resource=core/a&resource=core/b`, `get ${LOG}`, LOGS, 'list a'],
  // What is no resource narrows nothing.
  [`${LOG}?resource=secrets`, `get ${LOG}`, LOGS, EVERYTHING],
  [`${LOG}?resource=/secrets`, `get ${LOG}`, LOGS, EVERYTHING],
  [`${LOG}?resource=core/secrets/x`, `get ${LOG}`, LOGS, EVERYTHING],
  // A path without a name here is closed.
  ['/everwatch/v1/new', 'get /everwatch/v1/new', LOGS, EVERYTHING],
  ['/everwatch/new', 'get /everwatch/new', LOGS, EVERYTHING],
])('%s needs all of this', (url, ...all) => {
  for (const place of ['', '/at/5', '/forks/a', '/forks/a/at/5']) {
    expect(needed(place + url)).toEqual({ all, toEnter: undefined });
  }
});

it('needs the right to everything to put everything back', () => {
  const all = ['post /everwatch/v1/reset', '* *.*'];
  expect(needed('/everwatch/v1/reset?to=5', 'POST')).toEqual({ all, toEnter: undefined });
});

const ONE = 'resource=core/secrets&path=shop/db';

it.each([
  [`${LOG}?effectiveOnly=true&${ONE}`, 'get secrets db in shop'],
  [`${LOG}/bounds?${ONE}`, 'get secrets db in shop'],
  [`${LOG}/version-at?time=x&${ONE}`, 'get secrets db in shop'],
  [`${LOG}?effectiveOnly=true&resource=core/nodes&path=/n`, 'get nodes n'],
  [`${LOG}?effectiveOnly=true&resource=core/namespaces&path=/n`, 'get namespaces n in n'],
  // Only the Namespaces of the core group are in themselves.
  [
    `${LOG}?effectiveOnly=true&resource=example.com/namespaces&path=/n`,
    'get namespaces.example.com n',
  ],
  [`${LOG}?effectiveOnly=true&resource=example.com/a&path=x/y`, 'get a.example.com y in x'],
])('%s, the life of one object, needs that it may be got', (url, get) => {
  expect(needed(url)).toEqual({ all: [get], toEnter: undefined });
  expect(needed(`/forks/a${url}`)).toEqual({ all: [get], toEnter: undefined });
});

it.each([
  ONE,
  `effectiveOnly=false&${ONE}`,
  `effectiveOnly=true&follow=true&${ONE}`,
  'effectiveOnly=true&resource=core/secrets&path=shop',
  'effectiveOnly=true&resource=core/secrets&path=shop/',
  'effectiveOnly=true&resource=core/secrets&path=shop/db/x',
])('the log with %s is more than the life of one object', (query) => {
  const all = [`get ${LOG}`, LOGS, 'list secrets'];
  expect(needed(`${LOG}?${query}`)).toEqual({ all, toEnter: undefined });
});

it('forgets what the user may delete', () => {
  const path = '/everwatch/v1/shred';
  const all = [`post ${path}`, 'delete secrets db in shop'];
  expect(needed(`${path}?${ONE}`, 'POST')?.all).toEqual(all);
  expect(needed(path, 'POST')?.all).toEqual([`post ${path}`, LOGS, EVERYTHING]);
});

const FORK = 'get forks.dev.everwatch a';

it.each<[url: string, ...toEnter: string[]]>([
  ['/forks/a/version', FORK],
  ['/forks/a', FORK],
  ['/forks/a/apis/apps/v1', FORK],
  ['/at/5/version', LOGS],
  ['/at/2026-11-20T10:00:00Z/openapi/v3', LOGS],
  ['/forks/a/at/5/api', FORK, LOGS],
  ['/forks/a/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', FORK],
  ['/forks/a/at/5/apis/authentication.k8s.io/v1/selfsubjectreviews', FORK, LOGS],
])('%s is about no object, and enters its place by the right to know of it', (url, ...toEnter) => {
  const access = needed(url);
  expect(access?.toEnter).toEqual(toEnter);
  expect(access?.all).toHaveLength(1);
});

it.each([
  '/version',
  '/api/v1/pods',
  '/at/5/api/v1/pods',
  '/at/5/apis/authentication.k8s.io/v1/selfsubjectreviews',
  '/forks/a/api/v1/namespaces/x/pods/y',
])('%s needs only to be allowed as it stands', (url) => {
  expect(needed(url)).toBeUndefined();
});
