import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/meta/object-meta.ts';
import { configMap, type ControlPlane, givenControlPlane } from '../given-registry.fixture.ts';
import { at, EXACT, MAPS } from './given-past.fixture.ts';

interface Step {
  readonly name: string;
  readonly what: 'put' | 'delete';
}

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  what: fc.constantFrom<'put' | 'delete'>('put', 'put', 'delete'),
});

const SPACES = ['default', 'kube-system'].map((name) => `/api/v1/namespaces/${name}/configmaps`);

/** What was there when each version was the newest. */
async function lived({ post, put, del, get, applied }: ControlPlane, steps: readonly Step[]) {
  const moments = new Map<number, readonly KubeObject[]>();
  for (const [index, { name, what }] of steps.entries()) {
    const url = SPACES[index % SPACES.length] ?? '';
    if (what === 'delete') await del(`${url}/${name}`);
    else if ((await post(url, configMap(name))).code === 409) {
      await put(`${url}/${name}`, configMap(name, { index: String(index) }));
    }
    moments.set(applied.current, (await get('/api/v1/configmaps')).items);
  }
  return moments;
}

describe('whatever has happened', () => {
  /** More than the window of recent events keeps in memory, so that the history has to be read. */
  async function forgetWindow({ post }: ControlPlane): Promise<void> {
    for (let index = 0; index < 6; index += 1) {
      await post(MAPS, configMap(`z${String(index)}`, { fill: 'x'.repeat(900_000) }));
    }
  }

  it('each moment is as it was, from memory and from the history', async () => {
    const history = fc.array(step, { minLength: 1, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const plane = await givenControlPlane();
        const moments = await lived(plane, steps);
        const check = async (): Promise<void> => {
          for (const [version, items] of moments) {
            const told = await plane.get(at(version, '/api/v1/configmaps'));
            expect(told.items).toEqual(items);
            expect(told.list?.resourceVersion).toBe(version);
            for (const url of SPACES) await checkEach(plane, { version, items, url });
          }
        };
        await check();
        await forgetWindow(plane);
        await check();
      }),
      { numRuns: 12 },
    );
  });
});

async function checkEach(
  { get }: ControlPlane,
  { version, items, url }: { version: number; items: readonly KubeObject[]; url: string },
): Promise<void> {
  for (const name of ['a', 'b', 'c', 'd']) {
    const there = items.find(
      ({ metadata }) => metadata.name === name && url.includes(`/${metadata.namespace ?? ''}/`),
    );
    for (const one of [
      at(version, `${url}/${name}`),
      `${url}/${name}?resourceVersion=${String(version)}&${EXACT}`,
    ]) {
      const { code, object } = await get(one);
      expect([code, there === undefined ? undefined : object]).toEqual([
        there === undefined ? 404 : 200,
        there,
      ]);
    }
  }
}
