import { describe, expect, it } from 'vitest';

import { type DeleteOptions, NO_DELETE_OPTIONS } from '../../../api/options/options-delete.ts';
import type { KubeObject, ObjectMeta } from '../../../api/meta/object-meta.ts';
import type { Strategy } from '../../../api/kinds/strategy.ts';
import { ManualClock } from '../../../api/meta/manual-clock.fixture.ts';
import { strategyOf, type KindRules } from '../../../api/kinds/strategy-of.ts';
import { prepareDelete, type Deletion } from './deletion.ts';

const NOW = Date.parse('2026-11-21T09:00:00Z');

interface Prepared {
  readonly deletion: Deletion;
  readonly metadata: ObjectMeta;
}

function deleting(
  metadata: ObjectMeta,
  options: Partial<DeleteOptions> = {},
  rules: KindRules = {},
): Prepared {
  const clock = new ManualClock();
  clock.advance(NOW);
  const object: KubeObject = { kind: 'Thing', apiVersion: 'v1', metadata };
  const strategy: Strategy = strategyOf(rules);
  const deletion = prepareDelete(strategy, object, { ...NO_DELETE_OPTIONS, ...options }, clock);
  return { deletion, metadata: object.metadata };
}

/** Takes the time that is asked for, else half a minute. */
const graceful: KindRules = {
  gracePeriodSeconds: (_object, requested) => requested ?? 30,
};

/** Held by its spec, and marked by its first delete. */
const asNamespaces: KindRules = {
  isHeldBack: () => true,
  holdOnDelete(object) {
    object['phase'] = 'Terminating';
  },
};

describe('an object that nothing keeps', () => {
  it('is removed', () => {
    expect(deleting({ name: 'a' })).toEqual({ deletion: 'remove', metadata: { name: 'a' } });
  });

  it('is removed in the background, whatever dependents it has', () => {
    expect(deleting({}, { propagationPolicy: 'Background' }).deletion).toBe('remove');
    expect(deleting({}, { orphanDependents: false }).deletion).toBe('remove');
  });
});

describe('finalizers', () => {
  it('keep the object, which says since when it is going', () => {
    expect(deleting({ finalizers: ['x/y'], generation: 3 })).toEqual({
      deletion: 'update',
      metadata: {
        finalizers: ['x/y'],
        generation: 4,
        deletionTimestamp: '2026-11-21T09:00:00Z',
        deletionGracePeriodSeconds: 0,
      },
    });
  });

  it('keep it a second time without a change', () => {
    const going = {
      finalizers: ['x/y'],
      generation: 4,
      deletionTimestamp: '2026-11-21T08:00:00Z',
      deletionGracePeriodSeconds: 0,
    };
    expect(deleting({ ...going })).toEqual({ deletion: 'update', metadata: going });
  });

  it('do not count a generation where there is none', () => {
    expect(deleting({ finalizers: ['x/y'] }).metadata).not.toHaveProperty('generation');
  });

  const orphan = ['orphan'];
  const foreground = ['foregroundDeletion'];
  it.each<[string, string[], Partial<DeleteOptions>, KindRules, string[]]>([
    ['Orphan', [], { propagationPolicy: 'Orphan' }, {}, orphan],
    ['Foreground', [], { propagationPolicy: 'Foreground' }, {}, foreground],
    ['the old way to say Orphan', [], { orphanDependents: true }, {}, orphan],
    [
      'Foreground beside its own',
      ['x/y', 'orphan'],
      { propagationPolicy: 'Foreground' },
      {},
      ['x/y', 'foregroundDeletion'],
    ],
    [
      'what it was to be before, behind its own',
      ['x/y', 'foregroundDeletion'],
      {},
      {},
      ['x/y', 'foregroundDeletion'],
    ],
    ['Foreground in place of orphan', orphan, { propagationPolicy: 'Foreground' }, {}, foreground],
    [
      'Background in place of both',
      [...orphan, 'x/y'],
      { propagationPolicy: 'Background' },
      {},
      ['x/y'],
    ],
    ['nothing, but a finalizer says it', foreground, {}, {}, foreground],
    ['nothing, but a finalizer says it', orphan, {}, {}, orphan],
    // As namespaces are held.
    [
      'not to orphan, the old way, of what holds others',
      [],
      { orphanDependents: false },
      asNamespaces,
      foreground,
    ],
    [
      'to orphan, the old way, of what holds others',
      [],
      { orphanDependents: true },
      asNamespaces,
      orphan,
    ],
    ['nothing, where the kind orphans', [], {}, { defaultGarbageCollection: 'orphan' }, orphan],
    [
      'Orphan, where the kind cannot',
      ['x/y'],
      { propagationPolicy: 'Orphan' },
      { defaultGarbageCollection: 'unsupported' },
      ['x/y'],
    ],
    [
      'Orphan beside another finalizer',
      ['x/y'],
      { propagationPolicy: 'Orphan' },
      {},
      ['x/y', 'orphan'],
    ],
  ])('follow the policy: %s', (_policy, before, options, rules, after) => {
    const { deletion, metadata } = deleting({ finalizers: before }, options, rules);
    expect([deletion, metadata.finalizers]).toEqual(['update', after]);
  });

  it('are no reason to stay when the policy takes the last away, with which the object goes', () => {
    const { deletion, metadata } = deleting(
      { finalizers: orphan },
      { propagationPolicy: 'Background' },
    );
    expect([deletion, metadata.finalizers]).toEqual(['remove', orphan]);
  });
});

describe('a graceful deletion', () => {
  it('gives the object its time', () => {
    expect(deleting({ generation: 1 }, {}, graceful)).toEqual({
      deletion: 'update',
      metadata: {
        generation: 2,
        deletionTimestamp: '2026-11-21T09:00:30Z',
        deletionGracePeriodSeconds: 30,
      },
    });
  });

  it.each([
    [0, 'mark'],
    [-5, 'update'],
    [5, 'update'],
  ])('of %i seconds ends in %s', (gracePeriodSeconds, expected) => {
    const { deletion, metadata } = deleting({}, { gracePeriodSeconds }, graceful);
    expect(deletion).toBe(expected);
    expect(metadata.deletionGracePeriodSeconds).toBe(
      Math.abs(gracePeriodSeconds) === 5 && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds,
    );
  });

  it('of no seconds leaves what a finalizer keeps', () => {
    const { deletion, metadata } = deleting(
      { finalizers: ['x/y'] },
      { gracePeriodSeconds: 0 },
      graceful,
    );
    expect(deletion).toBe('update');
    expect(metadata.deletionGracePeriodSeconds).toBe(0);
  });

  it('is none where the kind says that this object goes at once', () => {
    const atOnce: KindRules = { gracePeriodSeconds: () => undefined };
    expect(deleting({}, {}, atOnce).deletion).toBe('remove');
  });

  const going = (): ObjectMeta => {
    return {
      generation: 2,
      deletionTimestamp: '2026-11-21T09:00:20Z',
      deletionGracePeriodSeconds: 30,
    };
  };

  it.each([undefined, 30, 60])(
    'that is under way is not made longer by %s',
    (gracePeriodSeconds) => {
      const { deletion, metadata } = deleting(going(), { gracePeriodSeconds }, graceful);
      expect([deletion, metadata]).toEqual(['pending', going()]);
    },
  );

  it('that is under way can be shortened, counted from its beginning', () => {
    const { deletion, metadata } = deleting(going(), { gracePeriodSeconds: 15 }, graceful);
    expect(deletion).toBe('update');
    expect(metadata).toEqual({
      generation: 2,
      deletionTimestamp: '2026-11-21T09:00:05Z',
      deletionGracePeriodSeconds: 15,
    });
  });

  it('that is shortened to a time that is over leaves a second to see it off', () => {
    const { deletion, metadata } = deleting(going(), { gracePeriodSeconds: 5 }, graceful);
    expect(deletion).toBe('update');
    expect(metadata).toMatchObject({
      deletionTimestamp: '2026-11-21T09:00:00Z',
      deletionGracePeriodSeconds: 1,
    });
  });

  it('that is shortened to nothing says so, and removes the object behind that', () => {
    const { deletion, metadata } = deleting(going(), { gracePeriodSeconds: 0 }, graceful);
    expect([deletion, metadata.deletionGracePeriodSeconds]).toEqual(['mark', 0]);
  });

  it('that is over removes the object', () => {
    const over = { ...going(), deletionGracePeriodSeconds: 0 };
    expect(deleting(over, {}, graceful).deletion).toBe('remove');
  });
});

describe('an object that its spec holds back', () => {
  it('stays, says nothing of a grace period, and counts no generation', () => {
    expect(deleting({ generation: 7 }, {}, asNamespaces)).toEqual({
      deletion: 'update',
      metadata: { generation: 7, deletionTimestamp: '2026-11-21T09:00:00Z' },
    });
  });

  it('stays behind its first delete even where nothing is left in its spec', () => {
    const released = { ...asNamespaces, isHeldBack: () => false };
    expect(deleting({}, {}, released).deletion).toBe('update');
    const deletionTimestamp = '2026-11-21T08:00:00Z';
    expect(deleting({ deletionTimestamp }, {}, released).deletion).toBe('remove');
  });

  it('is left as it is by a second delete', () => {
    const going = { deletionTimestamp: '2026-11-21T08:00:00Z' };
    const again = deleting({ ...going }, { propagationPolicy: 'Orphan' }, asNamespaces);
    expect(again).toEqual({ deletion: 'pending', metadata: going });
  });

  it('is held as soon as it is going, and no second time', () => {
    const times: string[] = [];
    const holding: KindRules = { holdOnDelete: (_, now) => void times.push(now) };
    const deletionTimestamp = '2026-11-21T09:00:00Z';
    expect(deleting({}, {}, holding)).toEqual({
      deletion: 'update',
      metadata: { deletionTimestamp },
    });
    expect(deleting({ deletionTimestamp }, {}, holding)).toEqual({
      deletion: 'remove',
      metadata: { deletionTimestamp },
    });
    expect(times).toEqual([deletionTimestamp]);
  });
});
