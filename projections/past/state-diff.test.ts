import { expect, it } from 'vitest';
import type { LoggedEvent } from '../../streams/event.ts';
import { loggedEvent } from '../given.fixture.ts';
import { stateDifferences } from './state-diff.ts';

const at = (resource: string, path: string, version: number, uid = 'u'): LoggedEvent => ({
  ...loggedEvent(version),
  resource,
  path,
  uid,
});

async function* slices(...events: readonly LoggedEvent[]): AsyncGenerator<readonly LoggedEvent[]> {
  for (const event of events) yield await Promise.resolve([event]);
}

it('two states are told apart by resource and path, whichever of them ends first', async () => {
  const before = [
    at('core/configmaps', 'ns/a', 1),
    at('core/configmaps', 'ns/same', 2),
    at('core/secrets', 'ns/a', 3),
    at('core/secrets', 'ns/b', 4),
  ];
  const after = [
    at('core/configmaps', 'ns/a', 9),
    at('core/configmaps', 'ns/same', 2),
    at('core/pods', 'ns/z', 10),
    at('core/secrets', 'ns/b', 11, 'other'),
    at('core/services', 'ns/a', 12),
  ];
  const told = async (one: readonly LoggedEvent[], other: readonly LoggedEvent[]) => {
    const found: string[] = [];
    const isWanted = ({ path }: LoggedEvent): boolean => path !== 'ns/hidden';
    for await (const difference of stateDifferences(slices(...one), slices(...other), isWanted)) {
      const event = 'after' in difference ? difference.after : difference.before;
      found.push(`${difference.kind} ${event.resource} ${event.path}`);
    }
    return found;
  };
  expect(await told(before, after)).toEqual([
    'changed core/configmaps ns/a',
    'added core/pods ns/z',
    'removed core/secrets ns/a',
    'replaced core/secrets ns/b',
    'added core/services ns/a',
  ]);
  expect(await told(after, before)).toEqual([
    'changed core/configmaps ns/a',
    'removed core/pods ns/z',
    'added core/secrets ns/a',
    'replaced core/secrets ns/b',
    'removed core/services ns/a',
  ]);
  expect(await told([], [at('core/pods', 'ns/hidden', 1)])).toEqual([]);
});
