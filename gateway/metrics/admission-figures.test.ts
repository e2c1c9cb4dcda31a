import { describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { AdmissionFigures } from './admission-figures.ts';
import { Summary } from './histogram.ts';

const HOUR_MS = 3_600_000;

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

describe('the figures of admission', () => {
  it('measure phases and plug-ins by operation and by what came of it', () => {
    const figures = new AdmissionFigures(testClock());
    figures.durationsOf(undefined, 'admit', 'CREATE')(30, false);
    const priority = figures.durationsOf('Priority', 'admit', 'CREATE');
    priority(1, false);
    priority(2, false);
    priority(3_000, true);
    const text = figures.format();
    const plugin = 'apiserver_admission_controller_admission_duration_seconds';
    const labels = 'name="Priority",operation="CREATE",rejected';
    expect(linesOf(text, plugin)).toContain(
      `${plugin}_bucket{${labels}="false",type="admit",le="0.005"} 2`,
    );
    expect(linesOf(text, plugin)).toContain(`${plugin}_sum{${labels}="true",type="admit"} 3`);
    const step = 'apiserver_admission_step_admission_duration_seconds';
    const phase = 'operation="CREATE",rejected="false",type="admit"';
    expect(linesOf(text, step)).toContain(`${step}_bucket{${phase},le="0.1"} 1`);
    expect(linesOf(text, `${step}_summary`)).toEqual([
      expect.stringMatching(new RegExp(`^${step}_summary{${phase},quantile="0.5"} 0\\.0[23]`)),
      expect.stringContaining('quantile="0.9"'),
      expect.stringContaining('quantile="0.99"'),
      `${step}_summary_sum{${phase}} 0.03`,
      `${step}_summary_count{${phase}} 1`,
    ]);
    expect(text).toContain(`# TYPE ${step}_summary summary`);
  });

  it('count what policies find, and their conditions', () => {
    const { policies, ...figures } = givenFigures();
    const checked = { policy: 'p', binding: 'b', errorType: 'invalid_error' } as const;
    policies.validated(checked, 'deny', 2);
    policies.mutated({ ...checked, errorType: 'no_error' }, 2);
    const owner = { name: 'h', kind: 'webhook', type: 'admit', operation: 'UPDATE' } as const;
    policies.conditionsEvaluated(owner, 2, 3);
    const lines = figures.lines();
    expect(lines).toContain(
      'apiserver_validating_admission_policy_check_total{enforcement_action="deny",' +
        'error_type="invalid_error",policy="p",policy_binding="b"} 1',
    );
    expect(lines).toContain(
      'apiserver_mutating_admission_policy_check_duration_seconds_bucket{error_type="no_error",' +
        'policy="p",policy_binding="b",le="5e-07"} 0',
    );
    const where = 'kind="webhook",name="h",operation="UPDATE",type="admit"';
    const errors = 'apiserver_admission_match_condition_evaluation_errors_total';
    expect(lines).toContain(`${errors}{${where}} 2`);
    const seconds = 'apiserver_admission_match_condition_evaluation_seconds';
    expect(lines).toContain(`${seconds}_count{${where}} 1`);
  });

  it('count what pods may do', () => {
    const figures = givenFigures();
    const place = { operation: 'CREATE', resource: 'pod', subresource: '' } as const;
    const meters = figures.podSecurityAt(place);
    meters.evaluated('allow', { level: 'privileged', version: 24 }, 'enforce');
    meters.evaluated('deny', { level: 'baseline', version: 24 }, 'warn');
    meters.evaluated('deny', { level: 'baseline', version: 24 }, 'warn');
    meters.evaluated('deny', { level: 'restricted', version: 99 }, 'audit');
    meters.failed(false);
    const where = 'request_operation="create",resource="pod",subresource=""';
    const counted = figures.lines().filter((line) => /^pod_security.* [1-9]$/.test(line));
    expect(counted).toEqual([
      `pod_security_errors_total{fatal="false",${where}} 1`,
      ...[
        ['allow', 'enforce', 'privileged', 'latest', '1'],
        ['deny', 'warn', 'baseline', 'v1.24', '2'],
        ['deny', 'audit', 'restricted', 'future', '1'],
      ].map(
        ([decision, mode, level, version, count]) =>
          `pod_security_evaluations_total{decision="${decision ?? ''}",mode="${mode ?? ''}",` +
          `policy_level="${level ?? ''}",policy_version="${version ?? ''}",${where}} ${count ?? ''}`,
      ),
    ]);
  });

  it('show writes of pods before there are any', () => {
    const lines = givenFigures().lines();
    for (const operation of ['create', 'update']) {
      const where = (resource: string): string =>
        `request_operation="${operation}",resource="${resource}",subresource=""`;
      const allowed =
        'decision="allow",mode="enforce",policy_level="privileged",policy_version="latest"';
      expect(lines).toContain(`pod_security_evaluations_total{${allowed},${where('pod')}} 0`);
      for (const resource of ['pod', 'controller']) {
        expect(lines).toContain(`pod_security_exemptions_total{${where(resource)}} 0`);
      }
    }
  });

  it('share one label set among names past a limit', () => {
    const { webhooks, ...figures } = givenFigures();
    for (let index = 0; index < 5_010; index += 1) {
      webhooks.failedOpen({ name: `h${String(index)}`, type: 'admit', operation: 'CREATE' });
    }
    const shared = 'apiserver_admission_webhook_fail_open_count{name="",type="admit"} 10';
    expect(figures.lines()).toContain(shared);
  });
});

function givenFigures() {
  const figures = new AdmissionFigures(testClock());
  return {
    policies: figures.policies,
    webhooks: figures.webhooks,
    podSecurityAt: figures.podSecurityAt.bind(figures),
    lines: () => figures.format().split('\n'),
  };
}

describe('a summary', () => {
  it('tells quantiles to a few percent, of the last hours alone', () => {
    const clock = testClock();
    const summary = new Summary({ clock, maxAgeMs: 5 * HOUR_MS });
    const quantile = (of: string): number =>
      Number(new RegExp(`quantile="${of}"} (\\S+)`).exec(summary.format('s', ''))?.[1]);
    for (let ms = 1; ms <= 1_000; ms += 1) summary.observe(ms / 1_000);
    for (const of of [0.5, 0.9, 0.99]) {
      expect(Math.abs(quantile(String(of)) / of - 1)).toBeLessThan(0.06);
    }
    clock.advance(4 * HOUR_MS);
    for (let index = 0; index < 1_000; index += 1) summary.observe(10);
    expect(quantile('0.9')).toBeGreaterThan(9);
    clock.advance(2 * HOUR_MS);
    expect(quantile('0.5')).toBeGreaterThan(9);
    clock.advance(20 * HOUR_MS);
    expect(quantile('0.5')).toBeNaN();
    expect(summary.format('s', '')).toContain('s_count 2000\n');
  });
});
