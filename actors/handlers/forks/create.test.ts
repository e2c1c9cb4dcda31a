import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../api/json/json.ts';
import { objectAt } from '../../../api/json/json.ts';
import { parsedObject } from '../../../projections/objects/stored-object.ts';
import { givenVirtual, type Said } from '../given-virtual.fixture.ts';
import { ForkBases } from '../../served-resources/fork-bases.ts';

const PATH = '/apis/dev.everwatch/v1alpha1/forks';

async function given() {
  const { plane, ask } = await givenVirtual();
  const post = (name: string, spec?: JsonObject): Promise<Said> =>
    ask('POST', PATH, {
      apiVersion: 'dev.everwatch/v1alpha1',
      kind: 'Fork',
      metadata: { name },
      ...(spec === undefined ? {} : { spec }),
    });
  const made = async (name: string, spec?: JsonObject): Promise<JsonObject> => {
    const { answer, message } = await post(name, spec);
    if (answer.kind !== 'Object') throw new Error(message);
    return parsedObject(answer.object);
  };
  const bases = new ForkBases(plane.objects);
  return { plane, post, made, bases, ask };
}

describe('a new fork', () => {
  it('begins now, where nothing is said', async () => {
    const { plane, made } = await given();
    const now = plane.applied.current;
    expect(await made('a')).toMatchObject({
      spec: { revision: String(now) },
      status: { phase: 'Ready' },
    });
    expect(objectAt(await made('b', {}), 'spec')).toEqual({ revision: String(now + 1) });
  });

  it('begins at the revision that is named', async () => {
    const { made } = await given();
    expect(objectAt(await made('a', { revision: '2' }), 'spec')).toEqual({ revision: '2' });
  });

  it('begins at the time that is named, and says both', async () => {
    const { plane, made } = await given();
    plane.clock.advance(60_000);
    const before = plane.applied.current;
    plane.clock.advance(60_000);
    await made('later');
    const spec = { time: '1970-01-01T00:01:30.5Z' };
    expect(objectAt(await made('a', spec), 'spec')).toEqual({
      revision: String(before),
      ...spec,
    });
    const ahead = { time: '2999-01-01T00:00:00+01:00' };
    const newest = String(plane.applied.current);
    expect(objectAt(await made('b', ahead), 'spec')).toMatchObject({ revision: newest });
    // The revision was found once, and counts.
    const both = { revision: '1', time: '2999-01-01T00:00:00Z' };
    expect(objectAt(await made('c', both), 'spec')).toEqual(both);
  });

  it.each([
    [{ revision: '0' }, 'spec.revision: Invalid value: "0": must be a resourceVersion'],
    [{ revision: '-3' }, 'spec.revision: Invalid value: "-3": must be a resourceVersion'],
    [{ revision: '1e1' }, 'must be a resourceVersion'],
    [{ revision: '99999999999999999999' }, 'must be a resourceVersion'],
    [{ revision: '1000' }, 'must not be later than the newest, 4'],
    [{ time: 'noon' }, 'spec.time: Invalid value: "noon": must be a time'],
    [{ time: '1969-12-31T00:00:00Z' }, 'is before everything that is kept'],
  ])('is refused with %j', async (spec, message) => {
    const { plane, post, bases } = await given();
    plane.clock.advance(1);
    const said = await post('a', spec);
    expect(said).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(said.message).toContain(message);
    expect(bases.all()).toEqual([]);
  });

  it.each(['A', 'a.b', 'a_b', '-a', ''])('cannot be called %j', async (name) => {
    const { post } = await given();
    expect(await post(name)).toMatchObject({ code: 422 });
  });

  it('is no other place later', async () => {
    const { made, ask } = await given();
    const fork = await made('a', { revision: '2' });
    const put = (spec: JsonObject) => ask('PUT', `${PATH}/a`, { ...fork, spec });
    const said = await put({ revision: '3' });
    expect(said.message).toContain('spec: Invalid value: {"revision":"3"}: field is immutable');
    const same = await put({});
    expect(same.answer).toMatchObject({ kind: 'Object', code: 200 });
  });

  it('keeps what it stands on from the moment it is asked for', async () => {
    const { made, bases, post } = await given();
    expect(bases.keepFrom()).toBeUndefined();
    const release = bases.hold(1 as never);
    expect(bases.keepFrom()).toBe(1);
    release();
    expect(bases.keepFrom()).toBeUndefined();
    await made('a', { revision: '3' });
    await made('b', { revision: '2' });
    expect(bases.keepFrom()).toBe(2);
    expect(bases.find('b')).toMatchObject({ name: 'b', base: 2 });
    await post('c', { revision: '1000' });
    expect(bases.all().map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('is none where another program wrote it without a revision', async () => {
    const { plane, bases } = await given();
    await plane.elsewhere('dev.everwatch/forks', '/odd', (object) => {
      Object.assign(object.metadata, { name: 'odd', uid: '../..' });
      object['spec'] = { revision: '1' };
      return 'added';
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(plane.objects.get('dev.everwatch/forks', '/odd')).toBeDefined();
    expect(bases.find('odd')).toBeUndefined();
    expect(bases.all()).toEqual([]);
    expect(bases.keepFrom()).toBeUndefined();
  });
});
