/**
 * Durations as people read them: `45s`, `5m10s`, `3h20m`, `2d4h`, `420d`, `3y12d`. Clocks of two
 * machines may disagree, so an age of up to two seconds in the future is still `0s`.
 *
 * In Kubernetes: HumanDuration and ShortHumanDuration, apimachinery/pkg/util/duration.
 */
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What a Go time.Duration can hold, about 292 years; longer ones stay there. */
const DURATION_MAX_MS = 9_223_372_036_854;

/** Two to three significant figures; `ms` may be negative. */
export function humanDuration(ms: number): string {
  const duration = clamp(ms);
  const seconds = Math.trunc(duration / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${String(seconds)}s`;
  const minutes = Math.trunc(duration / MINUTE);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${String(minutes)}m`;
  const hours = Math.trunc(duration / HOUR);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${String(hours)}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${String(days)}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${String(years)}y`;
}

/** One figure: `45s`, `5m`, `3h`, `420d`, `3y`. */
export function shortHumanDuration(ms: number): string {
  const duration = clamp(ms);
  const seconds = Math.trunc(duration / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 60) return `${String(seconds)}s`;
  const minutes = Math.trunc(duration / MINUTE);
  if (minutes < 60) return `${String(minutes)}m`;
  const hours = Math.trunc(duration / HOUR);
  if (hours < 24) return `${String(hours)}h`;
  const days = Math.trunc(hours / 24);
  return days < 365 ? `${String(days)}d` : `${String(Math.trunc(days / 365))}y`;
}

function clamp(ms: number): number {
  return Math.max(-DURATION_MAX_MS, Math.min(DURATION_MAX_MS, ms));
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const head = `${String(large)}${largeUnit}`;
  return small === 0 ? head : `${head}${String(small)}${smallUnit}`;
}
