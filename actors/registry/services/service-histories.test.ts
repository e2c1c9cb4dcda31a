import { describe, expect, it } from 'vitest';
import { givenControlPlane } from '../given-registry.fixture.ts';
import {
  addRanges,
  RECORDED_HISTORIES,
  SERVICE_RANGES,
  toldHistory,
  unlikeRecorded,
  type ServiceSide,
} from './service-histories.fixture.ts';

async function givenSide(ranges: string): Promise<ServiceSide> {
  const { send } = await givenControlPlane({ flags: [`--service-cluster-ip-range=${ranges}`] });
  return async ({ method, url, contentType, body }) => {
    const sent = {
      method,
      url,
      contentType,
      userAgent: '',
      ...(body === undefined ? {} : { body }),
    };
    const { code, status, object, warnings } = await send(sent);
    return { status: code, body: status ?? object, warnings };
  };
}

describe('random histories of services', () => {
  for (const [at, history] of RECORDED_HISTORIES.entries()) {
    const { ranges, style, seed, steps } = history;
    it(`are answered as by kube-apiserver: ${String(steps)} ${style}, ${ranges}, seed ${String(seed)}`, async () => {
      const side = await givenSide(SERVICE_RANGES[ranges]);
      await addRanges(side, ranges);
      const answers = await toldHistory(side, history);
      expect(answers).toHaveLength(steps);
      expect(unlikeRecorded(at, answers)).toEqual([]);
    });
  }
});
