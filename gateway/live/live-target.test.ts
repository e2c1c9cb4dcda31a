import { expect, it } from 'vitest';
import { isBound, planeOf, subjectOf, watchTarget } from './live-target.ts';

function subscribe(path: string, more = {}) {
  return { type: 'subscribe', id: 'a', path, ...more } as const;
}

it.each([
  ['/api/v1/pods', {}, {}, '/api/v1/pods?watch=1'],
  ['/api/v1/pods', {}, { from: 7 }, '/api/v1/pods?watch=1&resourceVersion=7'],
  ['/api/v1/pods', { at: '5' }, {}, '/at/5/api/v1/pods?watch=1'],
  ['/forks/f/api/v1/pods', {}, { at: '5' }, '/forks/f/at/5/api/v1/pods?watch=1'],
  [
    '/apis/apps/v1/deployments',
    { query: 'labelSelector=a%3Db&fieldSelector=' },
    {},
    '/apis/apps/v1/deployments?watch=1&labelSelector=a%3Db&fieldSelector=',
  ],
  [
    '/api/v1/pods',
    { query: 'labelSelector=a%26watch%3D0' },
    {},
    '/api/v1/pods?watch=1&labelSelector=a%26watch%3D0',
  ],
])('%s %j %j', (path, more, beginning, target) => {
  const asked = watchTarget(subscribe(path, more), beginning);
  expect(`${asked.path}?${asked.query}`).toBe(target);
  expect(subjectOf(subscribe(path, more))).toEqual({ kind: 'objects' });
});

it.each([
  'pods',
  '/api/v1/pods?x=1',
  '/api/v1/pods#x',
  '/api/v1/po ds',
  '/api/v1/p%6fds',
  '/api/v1/pods/x',
  '/api/v1/namespaces/a/pods/x/exec',
  '/healthz',
  '/',
  '/metrics',
  '/api/v1',
  '/forks/f',
  '/at/5',
  '/api/v1/proxy/nodes/x',
  '/everwatch/v1/live/events',
  '/api/v1/pods\r\nX: y',
])('%s is no path of a subscription', (path) => {
  expect(subjectOf(subscribe(path))).toHaveProperty('refusal');
});

it.each([
  'watch=0',
  'resourceVersion=1',
  'labelSelector=a&timeoutSeconds=1',
  '&',
  'label%53elector=a',
])('the query %s is refused', (query) => {
  expect(subjectOf(subscribe('/api/v1/pods', { query }))).toHaveProperty('refusal');
});

it('what is bound to a moment is not moved, and every plane has its own time', () => {
  expect(isBound(subscribe('/at/5/api/v1/pods'))).toBe(true);
  expect(isBound(subscribe('/api/v1/pods', { at: '5' }))).toBe(true);
  expect(isBound(subscribe('/forks/f/api/v1/pods'))).toBe(false);
  expect(planeOf('/forks/f/at/5/api/v1/pods')).toBe('/forks/f');
  expect(planeOf('/api/v1/pods')).toBe('');
});
