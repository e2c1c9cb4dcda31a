import { expect, it } from 'vitest';

import { testClock, testFaults, testLogger } from '../../../actors/request/given.fixture.ts';
import { Metrics } from '../../metrics/metrics.ts';
import { startAudit } from './audit.ts';
import { parseServeOptions } from '../../flags/flags.ts';

async function toldAtStart(...argv: readonly string[]): Promise<readonly string[]> {
  const logger = testLogger();
  const { audit: settings, egress } = parseServeOptions([...argv], () => '');
  const needs = {
    logger,
    faults: testFaults(),
    metrics: new Metrics({ clock: testClock(), isServed: () => true }),
  };
  const { audit } = await startAudit({ ...settings, ...egress }, needs);
  expect(audit).toBeUndefined();
  return logger.lines.map(({ message }) => message);
}

it('tells that nothing is recorded where there is no policy, for each place it should go', async () => {
  const idle = (backend: string): string =>
    `No audit policy file provided, no events will be recorded for ${backend} backend`;
  expect(await toldAtStart('--audit-log-path=-')).toEqual([idle('log')]);
  expect(await toldAtStart('--audit-webhook-config-file=/w.yaml')).toEqual([idle('webhook')]);
  expect(await toldAtStart()).toEqual([]);
});
