import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testClock } from '../../actors/request/given.fixture.ts';
import { ServerAuthenticationMeters } from './authentication-meters.ts';

function given() {
  const meters = new ServerAuthenticationMeters(testClock(5_000), 'apiserver-x');
  const lines = (of: string): string[] =>
    meters
      .format()
      .split('\n')
      .filter((line) => line.startsWith(of) && !line.includes('_bucket'));
  return { meters, lines };
}

function hashOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

const SERVER = `apiserver_id_hash="${hashOf('apiserver-x')}"`;

describe('ServerAuthenticationMeters', () => {
  it('says nothing where nothing was', () => {
    expect(given().meters.format()).toBe('');
  });

  it('shows users by kind, and how attempts ended', () => {
    const { meters, lines } = given();
    for (const name of ['kubelet', 'jane@example.org', 'jane', 'joe']) {
      meters.authenticated('success', name, 3);
    }
    meters.authenticated('error', '', 2_000);
    meters.authenticated('failure', '', 0);
    expect(lines('authenticat')).toEqual([
      'authentication_attempts{result="success"} 4',
      'authentication_attempts{result="error"} 1',
      'authentication_attempts{result="failure"} 1',
      'authenticated_user_requests{username="kubelet"} 1',
      'authenticated_user_requests{username="email_id"} 1',
      'authenticated_user_requests{username="other"} 2',
      'authentication_duration_seconds_sum{result="success"} 0.012',
      'authentication_duration_seconds_count{result="success"} 4',
      'authentication_duration_seconds_sum{result="error"} 2',
      'authentication_duration_seconds_count{result="error"} 1',
      'authentication_duration_seconds_sum{result="failure"} 0',
      'authentication_duration_seconds_count{result="failure"} 1',
    ]);
  });

  it('shows what tokens cost, and what is being asked just now', () => {
    const { meters, lines } = given();
    const fetched = meters.fetching();
    const waited = [meters.waiting(), meters.waiting()];
    expect(lines('authentication_token_cache')).toEqual([
      'authentication_token_cache_active_fetch_count{status="in_flight"} 1',
      'authentication_token_cache_active_fetch_count{status="blocked"} 2',
    ]);
    fetched(false);
    for (const done of waited) done();
    meters.missed(100);
    meters.hit();
    expect(lines('authentication_token_cache')).toEqual([
      'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
      'authentication_token_cache_active_fetch_count{status="blocked"} 0',
      'authentication_token_cache_fetch_total{status="error"} 1',
      'authentication_token_cache_request_duration_seconds_sum{status="miss"} 0.1',
      'authentication_token_cache_request_duration_seconds_count{status="miss"} 1',
      'authentication_token_cache_request_duration_seconds_sum{status="hit"} 0',
      'authentication_token_cache_request_duration_seconds_count{status="hit"} 1',
      'authentication_token_cache_request_total{status="miss"} 1',
      'authentication_token_cache_request_total{status="hit"} 1',
    ]);
  });

  it('shows issuers by a hash, as long as they are believed', () => {
    const { meters, lines } = given();
    const issuer = `jwt_issuer_hash="${hashOf('https://a')}"`;
    meters.judged('https://a', true, 10);
    meters.keysFetched('https://a', '{"keys":[]}');
    meters.keysFetched('https://a', undefined);
    const name = 'apiserver_authentication_jwt_authenticator';
    const keys = [
      `${name}_jwks_fetch_last_timestamp_seconds{${SERVER},${issuer},result="success"} 5`,
      `${name}_jwks_fetch_last_timestamp_seconds{${SERVER},${issuer},result="failure"} 5`,
      `${name}_jwks_fetch_last_key_set_info{${SERVER},hash="${hashOf('{"keys":[]}')}",${issuer}} 1`,
    ];
    const latency = `${name}_latency_seconds`;
    const times = [
      `${latency}_sum{${issuer},result="success"} 0.01`,
      `${latency}_count{${issuer},result="success"} 1`,
    ];
    expect(lines(name)).toEqual([...times, ...keys]);
    meters.forgotten('https://a');
    expect(lines(name)).toEqual(times);
  });

  it('shows what became of the configuration, and of impersonation', () => {
    const { meters, lines } = given();
    meters.inForce('one');
    meters.reloaded(false);
    meters.reloaded(true);
    meters.inForce('two');
    const name = 'apiserver_authentication_config_controller';
    expect(lines(name)).toEqual([
      `${name}_automatic_reloads_total{${SERVER},status="failure"} 1`,
      `${name}_automatic_reloads_total{${SERVER},status="success"} 1`,
      `${name}_automatic_reload_last_timestamp_seconds{${SERVER},status="failure"} 5`,
      `${name}_automatic_reload_last_timestamp_seconds{${SERVER},status="success"} 5`,
      `${name}_last_config_info{${SERVER},hash="${hashOf('two')}"} 1`,
    ]);
    meters.asked('user-info', false, 1);
    meters.attempted('legacy', true, 2);
    expect(lines('apiserver_impersonation').filter((line) => line.includes('_total'))).toEqual([
      'apiserver_impersonation_attempts_total{decision="allowed",mode="legacy"} 1',
      'apiserver_impersonation_authorization_attempts_total{decision="denied",mode="user-info"} 1',
    ]);
  });
});
