import { describe, expect, it } from 'vitest';
import { Metrics } from '../metrics/metrics.ts';
import { parsed, problem } from './given-flags.fixture.ts';
import { systemClock } from './system-clock.ts';

describe('--show-hidden-metrics-for-version', () => {
  it('is the previous minor version, or nothing', () => {
    expect(parsed(['--show-hidden-metrics-for-version=1.35']).showHiddenMetrics).toBe(true);
    expect(parsed(['--show-hidden-metrics-for-version=']).showHiddenMetrics).toBe(false);
  });

  it.each(['1.34', '1.36', '1.35.0', 'v1.35', 'foo', '1.35 '])('refuses %j', (text) => {
    expect(problem([`--show-hidden-metrics-for-version=${text}`])).toContain(
      `metrics.showHiddenMetricsForVersion: Invalid value: "${text}": must be omitted or have the ` +
        "value '1.35'; only the previous minor version is allowed",
    );
  });
});

describe('--disabled-metrics', () => {
  it('leaves families out, wherever they are written', async () => {
    const shown = parsed(['--disabled-metrics=process_open_fds,kept_total']);
    const metrics = new Metrics({ clock: systemClock, isServed: () => true, shown });
    metrics.counter('kept_total_too', 'Kept.', () => 1);
    metrics.counter('kept_total', 'Left out.', () => 1);
    const text = await metrics.format();
    expect(text).toContain('\nkept_total_too 1\n');
    expect(text).toContain('\ndisabled_metrics_total 2\n');
    expect(text).not.toContain('kept_total 1');
    expect(text).not.toContain('process_open_fds');
    expect(text).toContain('process_max_fds');
  });

  it('refuses what is no name of a family', () => {
    expect(problem(['--disabled-metrics=good,a-b'])).toContain(
      'metrics.disabledMetrics: Invalid value: ["good","a-b"]: must be fully qualified metric names ' +
        'matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "a-b"',
    );
  });
});
