import { expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { HealthChecks } from '../../actors/lifecycle/health-checks.ts';
import { formatHealth } from './health-meters.ts';

it('counts what the checks of each endpoint said', () => {
  const checks = new HealthChecks(testClock());
  let problem: string | undefined = 'down';
  checks.add({ name: 'log', problem: () => problem }, { endpoints: ['readyz'] });
  checks.report('readyz', []);
  problem = undefined;
  checks.report('readyz', []);
  checks.report('readyz', ['ping']);
  const lines = formatHealth(checks)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    'kubernetes_healthcheck{name="log",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 2',
    'kubernetes_healthchecks_total{name="log",status="error",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="log",status="success",type="readyz"} 2',
  ]);
});

it('says nothing where no check was asked for', () => {
  expect(formatHealth(new HealthChecks(testClock()))).toBe('');
});
