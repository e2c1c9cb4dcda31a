import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { loggedEvent } from '../../projections/given.fixture.ts';
import type { LoggedEvent } from '../../streams/event.ts';
import { DEFINITIONS, HeldWrites, NAMESPACES } from './held-writes.ts';

function event(version: number, resource: string, path: string): LoggedEvent {
  return { ...loggedEvent(version, { path }), resource, resourceVersion: resourceVersion(version) };
}

const pod = event(1, 'core/pods', 'late/a');
const widget = event(2, 'example.com/widgets', 'late/b');

function holding(): HeldWrites {
  const held = new HeldWrites();
  held.hold(pod, { namespace: 'late' });
  held.hold(widget, { resource: 'example.com/widgets' });
  return held;
}

describe('held writes', () => {
  it.each([
    [NAMESPACES, '/late', [pod]],
    [NAMESPACES, '/other', []],
    ['core/serviceaccounts', 'late/default', [pod]],
    [DEFINITIONS, '/widgets.example.com', [widget]],
    [DEFINITIONS, '/widgets.other.com', []],
    ['core/configmaps', 'late/late', []],
  ])('are released by what they wait for: %s %s', (resource, path, released) => {
    const held = holding();

    expect(held.releasedBy(event(9, resource, path))).toEqual(released);
    expect(held.size).toBe(2 - released.length);
    expect(held.all()).toEqual([pod, widget].filter((one) => !released.includes(one)));
  });

  it('are not released by what goes away', () => {
    const gone = { ...event(9, NAMESPACES, '/late'), type: 'deleted' as const };

    expect(holding().releasedBy(gone)).toEqual([]);
  });

  it('are the latest change of each object only', () => {
    const held = holding();
    const later = { ...pod, resourceVersion: resourceVersion(7) };
    held.hold(later, { namespace: 'late' });
    expect(held.all()).toEqual([widget, later]);

    const dropping = holding();
    dropping.drop(later);
    expect(dropping.all()).toEqual([widget]);
  });
});
