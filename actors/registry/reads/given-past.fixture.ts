/** A control plane in which something has happened, to be asked about its past. */
import { configMap, givenControlPlane, type Told } from '../given-registry.fixture.ts';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const EXACT = 'resourceVersionMatch=Exact';

/** `/at/N` in front of a path. */
export const at = (moment: number | string, path: string): string => `/at/${String(moment)}${path}`;

/** Three ConfigMaps, made one after the other; then `b` is changed, and `a` deleted. */
export async function givenPast() {
  const plane = await givenControlPlane();
  const { post, put, del, applied, clock } = plane;
  const versions: number[] = [];
  const times: number[] = [];
  const note = (): void => {
    versions.push(applied.current);
    times.push(clock.now());
    clock.advance(1_000);
  };
  clock.advance(Date.parse('2026-11-20T10:00:00Z') - clock.now());
  for (const name of ['a', 'b', 'c']) {
    await post(MAPS, configMap(name, { was: 'first' }));
    note();
  }
  await put(`${MAPS}/b`, configMap('b', { was: 'second' }));
  note();
  await del(`${MAPS}/a`);
  note();
  const [a = 0, b = 0, c = 0, changed = 0, gone = 0] = versions;
  return { ...plane, a, b, c, changed, gone, versions, times };
}

export const dataOf = ({ object }: Told): unknown => object['data'];
export const continued = ({ list }: Told): string => encodeURIComponent(list?.continue ?? '');
