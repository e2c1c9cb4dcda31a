import { describe, expect, it } from 'vitest';
import { testClock } from '../request/given.fixture.ts';
import { formatReport, HealthChecks } from './health-checks.ts';

function given() {
  const clock = testClock();
  const checks = new HealthChecks(clock);
  const state = { log: undefined as string | undefined, hook: 'not finished' };
  checks.add({ name: 'event-log', problem: () => state.log });
  checks.add({ name: 'shutdown', problem: () => undefined }, { endpoints: ['readyz'] });
  return { clock, checks, state };
}

describe('HealthChecks', () => {
  it('reports on the checks of an endpoint, in the order they were added', () => {
    const { checks } = given();
    expect(formatReport(checks.report('readyz', []))).toBe(
      '[+]ping ok\n[+]event-log ok\n[+]shutdown ok\nreadyz check passed\n',
    );
    expect(formatReport(checks.report('livez', []))).toBe(
      '[+]ping ok\n[+]event-log ok\nlivez check passed\n',
    );
  });

  it('withholds why a check fails', () => {
    const { checks, state } = given();
    state.log = 'disk 7 is broken';
    const report = checks.report('healthz', []);
    expect(report.isHealthy).toBe(false);
    expect(formatReport(report)).toBe(
      '[+]ping ok\n[-]event-log failed: reason withheld\nhealthz check failed\n',
    );
  });

  it('excludes checks, and says which it does not know', () => {
    const { checks, state } = given();
    state.log = 'broken';
    const report = checks.report('livez', ['event-log', 'b', 'a']);
    expect(report.isHealthy).toBe(true);
    expect(formatReport(report)).toBe(
      '[+]ping ok\n[+]event-log excluded: ok\n' +
        'warn: some health checks cannot be excluded: no matches for "a","b"\n' +
        'livez check passed\n',
    );
  });

  it('gives booting some time on livez only', () => {
    const { checks, clock } = given();
    checks.add({ name: 'poststarthook/x', problem: () => 'not yet' }, { livezGraceMs: 1_000 });
    expect(checks.checkOne('livez', 'poststarthook/x')?.problem).toBeUndefined();
    expect(checks.checkOne('readyz', 'poststarthook/x')?.problem).toBe('not yet');
    clock.advance(1_000);
    expect(checks.checkOne('livez', 'poststarthook/x')?.problem).toBe('not yet');
  });

  it('knows which check is where', () => {
    const { checks } = given();
    expect(checks.checkOne('livez', 'shutdown')).toBeUndefined();
    expect(checks.checkOne('readyz', 'shutdown')).toMatchObject({ name: 'shutdown' });
    expect(checks.paths()).toEqual([
      '/healthz',
      '/livez',
      '/readyz',
      '/healthz/ping',
      '/livez/ping',
      '/readyz/ping',
      '/healthz/event-log',
      '/livez/event-log',
      '/readyz/event-log',
      '/readyz/shutdown',
    ]);
  });

  it('tells once when readyz passes for the first time', () => {
    let told = 0;
    const checks = new HealthChecks(testClock(), () => (told += 1));
    let problem: string | undefined = 'not yet';
    checks.add({ name: 'x', problem: () => problem });
    checks.report('readyz', []);
    expect(told).toBe(0);
    problem = undefined;
    checks.report('livez', []);
    expect(told).toBe(0);
    checks.report('readyz', []);
    checks.report('readyz', []);
    expect(told).toBe(1);
  });
});
