/** Times and cells as text. */

const UNITS: readonly (readonly [string, number])[] = [
  ['y', 365 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
];

/** `3d4h`, `12m`, as kubectl shows ages: two units where the first is small. */
export function ageText(fromMs: number, toMs: number): string {
  const seconds = Math.max(0, Math.floor((toMs - fromMs) / 1_000));
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  const [unit, size] = UNITS[at] ?? ['s', 1];
  const count = Math.floor(seconds / size);
  const [smaller, smallerSize] = UNITS[at + 1] ?? ['', 1];
  const rest = Math.floor((seconds - count * size) / smallerSize);
  const isExact = count >= EXACT_UNTIL || rest === 0 || smaller === '';
  return `${String(count)}${unit}${isExact ? '' : `${String(rest)}${smaller}`}`;
}

const EXACT_UNTIL = 10;

/** `2026-11-20 10:00:03`, in the time zone of the browser. */
export function timeText(ms: number): string {
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].map(String);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two);
  return `${day.join('-')} ${time.join(':')}`;
}

/** `10:00:03`; with the day where it is another one than `beside`. */
export function shortTimeText(ms: number, beside: number): string {
  const [day = '', time = ''] = timeText(ms).split(' ');
  return timeText(beside).startsWith(day) ? time : `${day} ${time}`;
}

/** A cell of a table; a date as the age that it has. */
export function cellText(cell: unknown, type: string, nowMs: number): string {
  if (cell === null || cell === undefined) return '';
  if (type === 'date' && typeof cell === 'string') {
    const ms = Date.parse(cell);
    return Number.isNaN(ms) ? cell : ageText(ms, nowMs);
  }
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}

/** `1,234`. */
export function countText(count: number): string {
  return count.toLocaleString('en-US');
}

/** How well something is, by the word that a status column has for it. */
export type Mood = 'good' | 'busy' | 'bad' | 'plain';

const GOOD =
  /^(?:running|ready|active|bound|succeeded|completed?|available|true|established|deployed|healthy|approved(?:,issued)?)$/i;
const BUSY =
  /^(?:pending|containercreating|podinitializing|terminating|released|progressing|init:.*|schedulinggated|ready,schedulingdisabled|unknown)$/i;
const BAD =
  /(?:err|fail|backoff|evicted|oomkilled|lost|denied|invalid|warning|crash|deadline|^notready)/i;

/** Of `CrashLoopBackOff`, bad. */
export function moodOf(text: string): Mood {
  if (BAD.test(text)) return 'bad';
  if (GOOD.test(text)) return 'good';
  return BUSY.test(text) ? 'busy' : 'plain';
}
