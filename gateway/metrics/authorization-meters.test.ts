import { describe, expect, it } from 'vitest';
import { ServerAuthorizationMeters } from './authorization-meters.ts';

function given() {
  let elapsedMs = 0;
  const meters = new ServerAuthorizationMeters(() => elapsedMs);
  const lines = (of: string): string[] =>
    meters
      .format()
      .split('\n')
      .filter((line) => line.startsWith(of) && !line.includes('_bucket'));
  return {
    meters,
    lines,
    pass: (ms: number) => {
      elapsedMs += ms;
    },
  };
}

describe('ServerAuthorizationMeters', () => {
  it('says nothing where nothing was', () => {
    const { meters } = given();
    meters.decisionsOf('RBAC', 'rbac');
    meters.webhook('policy');
    expect(meters.format()).toBe('');
  });

  it('shows what was answered, and how long that took', () => {
    const { meters, lines } = given();
    meters.authorized('allowed', 0);
    meters.authorized('allowed', 3);
    meters.authorized('no-opinion', 0);
    expect(lines('authorization')).toEqual([
      'authorization_attempts_total{result="allowed"} 2',
      'authorization_attempts_total{result="no-opinion"} 1',
      'authorization_duration_seconds_sum{result="allowed"} 0.003',
      'authorization_duration_seconds_count{result="allowed"} 2',
      'authorization_duration_seconds_sum{result="no-opinion"} 0',
      'authorization_duration_seconds_count{result="no-opinion"} 1',
    ]);
    expect(meters.format()).toContain(
      'authorization_duration_seconds_bucket{result="allowed",le="0.002"} 1\n' +
        'authorization_duration_seconds_bucket{result="allowed",le="0.004"} 2\n',
    );
  });

  it('shows which authorizer decided, across configurations', () => {
    const { meters, lines } = given();
    meters.decisionsOf('RBAC', 'rbac').allowed += 2;
    meters.decisionsOf('RBAC', 'rbac').allowed += 1;
    meters.decisionsOf('Webhook', 'policy').denied += 1;
    expect(lines('apiserver_authorization_decisions_total')).toEqual([
      'apiserver_authorization_decisions_total{decision="allowed",name="rbac",type="RBAC"} 3',
      'apiserver_authorization_decisions_total{decision="denied",name="policy",type="Webhook"} 1',
    ]);
  });

  it('shows what webhooks were asked, and why not', () => {
    const { meters, lines, pass } = given();
    const webhook = meters.webhook('policy');
    webhook.asked('error', 20);
    webhook.asked('timeout', 3_000);
    webhook.failedOpen('timeout');
    for (const found of ['matches', 'excluded', 'error'] as const) {
      const done = webhook.checking();
      pass(0.5);
      done(found);
    }
    expect(lines('apiserver_authorization')).toEqual([
      'apiserver_authorization_webhook_evaluations_total{name="policy",result="error"} 1',
      'apiserver_authorization_webhook_evaluations_total{name="policy",result="timeout"} 1',
      'apiserver_authorization_webhook_duration_seconds_sum{name="policy",result="error"} 0.02',
      'apiserver_authorization_webhook_duration_seconds_count{name="policy",result="error"} 1',
      'apiserver_authorization_webhook_duration_seconds_sum{name="policy",result="timeout"} 3',
      'apiserver_authorization_webhook_duration_seconds_count{name="policy",result="timeout"} 1',
      'apiserver_authorization_webhook_evaluations_fail_open_total{name="policy",result="timeout"} 1',
      'apiserver_authorization_match_condition_evaluation_errors_total{name="policy",type="Webhook"} 1',
      'apiserver_authorization_match_condition_exclusions_total{name="policy",type="Webhook"} 1',
      'apiserver_authorization_match_condition_evaluation_seconds_sum{name="policy",type="Webhook"} 0.0015',
      'apiserver_authorization_match_condition_evaluation_seconds_count{name="policy",type="Webhook"} 3',
    ]);
  });
});
