import { describe, expect, it } from 'vitest';
import { resourceVersion } from '../../streams/resource-version.ts';
import { Arbiter } from './arbiter.ts';
import { VersionTable } from './live-versions.ts';
import { CONFIG_MAPS, givenViews, loggedEvent, type GivenEvent } from '../given.fixture.ts';

/** Folds the events in order, and tells what became of each. */
async function verdictsOf(...events: GivenEvent[]) {
  const { append, verdicts, objects, stop } = await givenViews();
  await append(...events);
  await stop();
  return { verdicts, objects };
}

describe('the arbiter', () => {
  it('lets a change of the current version take effect', async () => {
    const { verdicts, objects } = await verdictsOf({}, { previous: 1 }, { previous: 2 });

    expect(verdicts).toEqual(['effective', 'effective', 'effective']);
    expect(objects.versionOf(CONFIG_MAPS, 'ns/a')).toBe(3);
  });

  it('lets the first of two changes of the same version win', async () => {
    const { verdicts, objects } = await verdictsOf(
      {},
      { previous: 1, writer: 'one', data: 'first' },
      { previous: 1, writer: 'other', data: 'second' },
    );

    expect(verdicts).toEqual(['effective', 'effective', 'overtaken']);
    expect(objects.get(CONFIG_MAPS, 'ns/a')?.json.toString()).toContain('first');
  });

  it('refuses a create of what is there, and a change of what is not', async () => {
    const { verdicts } = await verdictsOf({}, { writer: 'b' }, { path: 'ns/x', previous: 1 });

    expect(verdicts).toEqual(['effective', 'overtaken', 'overtaken']);
  });

  it('ignores a second copy of an event', async () => {
    const first = { writer: 'w', sequence: 7 };
    const { verdicts } = await verdictsOf(first, first);

    expect(verdicts).toEqual(['effective', 'duplicate']);
  });

  it('ignores a late copy of a create whose object was deleted meanwhile', async () => {
    const create = { writer: 'w', sequence: 1 };
    const { verdicts, objects } = await verdictsOf(
      create,
      { type: 'deleted', previous: 1, writer: 'w', sequence: 2 },
      create,
    );

    expect(verdicts).toEqual(['effective', 'effective', 'duplicate']);
    expect(objects.get(CONFIG_MAPS, 'ns/a')).toBeUndefined();
  });

  it('remembers the sequence of an event that was overtaken', async () => {
    const { verdicts } = await verdictsOf(
      {},
      { writer: 'w', sequence: 5 },
      { type: 'deleted', previous: 1, writer: 'x' },
      { writer: 'w', sequence: 5 },
    );

    expect(verdicts).toEqual(['effective', 'overtaken', 'effective', 'duplicate']);
  });

  it('lets a create follow a delete, and nothing else', async () => {
    const { verdicts } = await verdictsOf(
      {},
      { type: 'deleted', previous: 1 },
      { previous: 2, writer: 'late' },
      { previous: 1, writer: 'later' },
      { type: 'deleted', previous: 1, writer: 'latest' },
      {},
    );

    expect(verdicts).toEqual([
      'effective',
      'effective',
      'overtaken',
      'overtaken',
      'overtaken',
      'effective',
    ]);
  });

  it('holds an event to the versions of the other objects that it requires', async () => {
    const namespace = { resource: 'core/namespaces', path: '/ns' };
    const requires = [{ ...namespace, resourceVersion: resourceVersion(1) }];
    const { verdicts } = await verdictsOf(
      namespace,
      { path: 'ns/a', requires },
      { ...namespace, previous: 1 },
      { path: 'ns/b', requires },
      { path: 'ns/c', requires: [{ ...namespace, resourceVersion: resourceVersion(0) }] },
    );

    expect(verdicts).toEqual(['effective', 'effective', 'effective', 'overtaken', 'overtaken']);
  });

  it('judges a create with a previous version, and a change without one, as malformed', () => {
    const arbiter = new Arbiter(new Map(), new VersionTable());

    expect(arbiter.judge(loggedEvent(1, { type: 'modified', previous: 0 }))).toBe('overtaken');
    expect(arbiter.judge(loggedEvent(2, { type: 'added', previous: 1 }))).toBe('overtaken');
  });

  it('takes what is left in front of a cut for effective, and the writers from the cut', () => {
    const cuts = { settled: resourceVersion(5), writers: new Map([['writer', 900]]) };
    const arbiter = new Arbiter(new Map(), new VersionTable(), cuts);

    expect(arbiter.judge(loggedEvent(3, { previous: 2, sequence: 7 }))).toBe('effective');
    expect(arbiter.judge(loggedEvent(6, { sequence: 900 }))).toBe('duplicate');
    expect(arbiter.judge(loggedEvent(7, { sequence: 901 }))).toBe('effective');
    expect(arbiter.judge(loggedEvent(8, { previous: 2, sequence: 902 }))).toBe('overtaken');
  });

  it('knows the writers of a cut in front of which nothing is left', () => {
    const cuts = { settled: resourceVersion(5), writers: new Map([['writer', 900]]) };
    const arbiter = new Arbiter(new Map(), new VersionTable(), cuts);

    expect(arbiter.judge(loggedEvent(6, { sequence: 900 }))).toBe('duplicate');
    expect(arbiter.writers.get('writer')).toBe(900);
  });
});
