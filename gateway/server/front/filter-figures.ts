/** How long each filter works, for `--measure-filters`. */
import { ActorMeter } from '../../../actors/request/actor-meter.ts';
import type { Metrics } from '../../metrics/metrics.ts';

const MS_PER_SECOND = 1_000;

/** Measures the filters from now on, by their names in the handler chain. */
export function measuredFilters(metrics: Metrics): ActorMeter {
  const meter = new ActorMeter(() => performance.now());
  const perFilter = (valueOf: (figures: { messages: number; ms: number }) => number) => () =>
    [...meter.figures].map(([filter, figures]) => {
      return { labels: { filter }, value: valueOf(figures) };
    });
  metrics.counter(
    'everwatch_filter_messages_total',
    'Messages that each filter has received.',
    perFilter(({ messages }) => messages),
  );
  metrics.counter(
    'everwatch_filter_seconds_total',
    'How long each filter has worked on them itself, without what is behind it.',
    perFilter(({ ms }) => ms / MS_PER_SECOND),
  );
  return meter;
}
