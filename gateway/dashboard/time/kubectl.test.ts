import { expect, it } from 'vitest';
import type { PageLocation, View } from '../state/page-location.ts';
import { forwardCommand, kubectlCommand } from './kubectl.ts';

const ORIGIN = 'https://host:6443';
const of = { group: '', version: 'v1', resource: 'pods', namespace: 'shop', name: 'web-0' };
const POD: View = { name: 'object', of };

function commandOf(pageLocation: Partial<PageLocation>): string {
  return kubectlCommand(ORIGIN, { fork: '', at: '', view: POD, query: {}, ...pageLocation });
}

it('the command shows what the page does', () => {
  expect(commandOf({ at: '12', fork: 'try' })).toBe(
    `kubectl --server ${ORIGIN}/forks/try/at/12 get pods web-0 -n shop -o yaml`,
  );
  expect(commandOf({ query: { tab: 'logs', container: 'main' } })).toBe(
    `kubectl --server ${ORIGIN} logs web-0 -n shop -c main -f`,
  );
  expect(commandOf({ query: { tab: 'terminal' } })).toBe(
    `kubectl --server ${ORIGIN} exec web-0 -n shop -it -- sh`,
  );
  const view: View = { name: 'resources', of: { ...of, group: 'apps', resource: 'deployments' } };
  expect(commandOf({ view, query: { labels: 'a=b' } })).toBe(
    `kubectl --server ${ORIGIN} get deployments.apps -A -l 'a=b'`,
  );
});

it('ports that only an administrator may open become others', () => {
  const to = { namespace: 'shop', target: 'pod/web-0' };
  expect(forwardCommand(ORIGIN, to, [80, 9090, 80])).toBe(
    `kubectl --server ${ORIGIN} port-forward -n shop pod/web-0 8080:80 9090`,
  );
});
