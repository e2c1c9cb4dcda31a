import { expect, it } from 'vitest';

import { isLongRunning } from './request-labels.ts';
import { resolveRequestInfo } from './request-info.ts';

it.each([
  ['GET', '/api/v1/pods', '', false],
  ['GET', '/api/v1/pods', 'watch=1', true],
  ['GET', '/api/v1/watch/pods', '', true],
  ['GET', '/api/v1/namespaces/n/pods/a/log', '', true],
  ['POST', '/api/v1/namespaces/n/pods/a/exec', '', true],
  ['GET', '/api/v1/proxy/nodes/n', '', true],
  ['PUT', '/api/v1/namespaces/n/pods/a/status', '', false],
  ['GET', '/debug/pprof/profile', '', true],
  ['GET', '/metrics', '', false],
])('%s %s?%s: %j', (method, path, query, expected) => {
  expect(isLongRunning(resolveRequestInfo(method, path, query))).toBe(expected);
});
