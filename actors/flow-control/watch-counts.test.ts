import { expect, it } from 'vitest';

import { resolveRequestInfo } from '../request/request-info.ts';
import { WatchCounts } from './watch-counts.ts';

const PODS = '/api/v1/namespaces/a/pods';

it.each([
  [PODS, 'watch=1', 1],
  [`/at/7${PODS}`, 'watch=1', 1],
  ['/api/v1/pods', 'watch=1', 1],
  [PODS, 'watch=1&fieldSelector=spec.nodeName%3Dx', 0],
  // What stands still is told of no change.
  [`/at/7/still${PODS}`, 'watch=1', 0],
  [`/forks/f/at/7/still${PODS}`, 'watch=1', 0],
])('a watch of %s?%s is told of %d writes of a pod, until it ends', (path, query, count) => {
  const counts = new WatchCounts();
  const write = resolveRequestInfo('PUT', `${PODS}/web`, '');
  const watch = resolveRequestInfo('GET', path, query);
  counts.add(watch);
  expect(counts.of(write)).toBe(count);
  counts.remove(watch);
  expect(counts.of(write)).toBe(0);
});
