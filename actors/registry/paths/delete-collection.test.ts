import { describe, expect, it } from 'vitest';

import { badRequest } from '../../../api/meta/status.ts';
import type { AdmissionPlugin } from '../../admission/admission-plugin.ts';
import { configMap, givenControlPlane, type ControlPlane } from '../given-registry.fixture.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

async function givenMaps(count: number): Promise<ControlPlane> {
  const plane = await givenControlPlane();
  const names = Array.from({ length: count }, (_, index) => String(index).padStart(3, '0'));
  await Promise.all(
    names.map((name, index) =>
      plane.post(
        MAPS,
        configMap(name, {}, { labels: { parity: index % 2 === 0 ? 'even' : 'odd' } }),
      ),
    ),
  );
  return plane;
}

const namesIn = async ({ get }: ControlPlane): Promise<readonly string[]> =>
  (await get(MAPS)).names;

describe('a delete of a collection', () => {
  it('takes everything, more than go at once, and answers with what there was', async () => {
    const plane = await givenMaps(150);
    const before = plane.applied.current;
    const { code, names, list } = await plane.del(MAPS);
    expect(code).toBe(200);
    expect(names).toHaveLength(150);
    expect(list?.resourceVersion).toBe(before);
    expect(await namesIn(plane)).toEqual([]);
  });

  it('takes what is selected', async () => {
    const plane = await givenMaps(4);
    expect((await plane.del(`${MAPS}?labelSelector=parity%3Dodd`)).names).toEqual(['001', '003']);
    expect((await plane.del(`${MAPS}?fieldSelector=metadata.name%3D002`)).names).toEqual(['002']);
    expect(await namesIn(plane)).toEqual(['000']);
  });

  it('takes no more than its limit', async () => {
    const plane = await givenMaps(4);
    await plane.del(`${MAPS}?limit=3`);
    expect(await namesIn(plane)).toEqual(['003']);
  });

  it('takes page after page, each as it was when the first was read', async () => {
    const plane = await givenMaps(5);
    const first = await plane.del(`${MAPS}?limit=2`);
    expect([first.names, first.list?.remainingItemCount]).toEqual([['000', '001'], 3]);
    await plane.del(`${MAPS}/003`);
    await plane.post(MAPS, configMap('001'));
    const next = (token = '') => plane.del(`${MAPS}?limit=2&continue=${encodeURIComponent(token)}`);
    const second = await next(first.list?.continue);
    expect(second.names).toEqual(['002', '003']);
    const last = await next(second.list?.continue);
    expect([last.names, last.list?.continue]).toEqual([['004'], '']);
    expect(await namesIn(plane)).toEqual(['001']);
    expect((await next('nonsense')).code).toBe(400);
  });

  it('takes nothing where there is nothing', async () => {
    const { del } = await givenControlPlane();
    expect(await del(MAPS)).toMatchObject({ code: 200, names: [] });
  });

  it('takes only what stands in its namespace', async () => {
    const plane = await givenMaps(2);
    const other = '/api/v1/namespaces/kube-system/configmaps';
    await plane.post(other, configMap('a'));
    await plane.del(MAPS);
    expect((await plane.get(other)).names).toEqual(['a']);
  });

  it('leaves nothing when it is a dry run', async () => {
    const plane = await givenMaps(100);
    expect((await plane.del(`${MAPS}?dryRun=All`)).names).toHaveLength(100);
    expect(await namesIn(plane)).toHaveLength(100);
  });

  it('marks what finalizers keep', async () => {
    const { post, del, get } = await givenControlPlane();
    await post(MAPS, configMap('a', {}, { finalizers: ['example.com/f'] }));
    await post(MAPS, configMap('b'));
    expect((await del(MAPS)).code).toBe(200);
    const { items } = await get(MAPS);
    expect(items.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp])).toEqual([
      ['a', '1970-01-01T00:00:00Z'],
    ]);
  });

  it('passes over what another server deletes meanwhile', async () => {
    const plane = await givenMaps(3);
    const mine = plane.del(MAPS);
    await plane.elsewhere('core/configmaps', 'default/001', () => 'deleted');
    expect((await mine).code).toBe(200);
    expect(await namesIn(plane)).toEqual([]);
  });

  it('ends at the first failure, which is the answer, told once', async () => {
    const plane = await givenMaps(100);
    const { code, reason } = await plane.del(MAPS, { preconditions: { uid: 'other' } });
    expect([code, reason]).toEqual([409, 'Conflict']);
    expect(await namesIn(plane)).toHaveLength(100);
  });

  it('takes nothing behind an object that does not meet its preconditions', async () => {
    const plane = await givenMaps(3);
    const uidOf = async (name: string): Promise<string> =>
      (await plane.get(`${MAPS}/${name}`)).object.metadata.uid ?? '';
    const takenBy = async (uid: string): Promise<readonly string[]> => {
      const before = await namesIn(plane);
      expect((await plane.del(MAPS, { preconditions: { uid } })).code).toBe(409);
      const left = await namesIn(plane);
      return before.filter((name) => !left.includes(name));
    };
    expect(await takenBy(await uidOf('002'))).toEqual([]);
    expect(await takenBy(await uidOf('000'))).toEqual(['000']);
    const { object } = await plane.get(`${MAPS}/002`);
    const { resourceVersion } = object.metadata;
    expect((await plane.del(MAPS, { preconditions: { resourceVersion } })).code).toBe(409);
    expect(await namesIn(plane)).toEqual(['001', '002']);
  });

  it('takes 64 at once, and begins with no other behind a failure', async () => {
    const started: string[] = [];
    const open: (() => void)[] = [];
    const waiting: AdmissionPlugin = {
      name: 'Waiting',
      validatesAt: ({ operation }) =>
        operation !== 'DELETE'
          ? undefined
          : ({ oldObject }) =>
              new Promise((resolve) => {
                const name = oldObject?.metadata.name;
                started.push(name ?? '');
                open.push(() => {
                  resolve(name === '001' ? badRequest('not this one') : undefined);
                });
              }),
    };
    const plane = await givenControlPlane({ plugins: () => [waiting] });
    for (const index of Array.from({ length: 100 }).keys()) {
      await plane.post(MAPS, configMap(String(index).padStart(3, '0')));
    }
    const answered = plane.del(MAPS);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    await turn();
    const atOnce = started.length;
    expect(atOnce).toBe(64);
    open[0]?.();
    await turn();
    expect(started).toHaveLength(atOnce + 1);
    open[1]?.();
    await turn();
    for (const go of open.slice(2)) go();
    expect(await answered).toMatchObject({ code: 400, message: 'not this one' });
    expect(started).toHaveLength(atOnce + 1);
  });

  it('tells of its selector first, then of its options', async () => {
    const { del } = await givenControlPlane();
    const { message } = await del(`${MAPS}?fieldSelector=spec.x%3Dy`, { kind: 'Status' });
    expect(message).toContain('is not a known field selector');
  });

  it('ends when the log cannot be written', async () => {
    const plane = await givenMaps(100);
    const { append } = plane.log;
    plane.log.append = () => Promise.reject(new Error('gone'));
    expect((await plane.del(MAPS)).code).toBe(503);
    plane.log.append = append.bind(plane.log);
    expect(await namesIn(plane)).toHaveLength(100);
  });

  it.each([
    ['labelSelector=a%20b', 400],
    ['fieldSelector=spec.x%3Dy', 400],
    ['limit=x', 400],
  ])('with %s is refused', async (query, code) => {
    const plane = await givenMaps(1);
    expect((await plane.del(`${MAPS}?${query}`)).code).toBe(code);
    expect((await plane.del(MAPS, { kind: 'Status' })).code).toBe(400);
    expect(await namesIn(plane)).toHaveLength(1);
  });
});
