/**
 * Times as certificates have them: UTCTime, whose years end in 2049, and GeneralizedTime. Offsets from
 * UTC are read although no certificate should have them.
 *
 * In Go: ReadASN1UTCTime and ReadASN1GeneralizedTime, golang.org/x/crypto/cryptobyte.
 */
import { CertificateError } from './certificate-error.ts';
import { TAG, type DerReader } from './der-reader.ts';

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d{4})$/;
/** Of two digits, the first year that is of the century before. */
const CENTURY_BEFORE = 50;
const MINUTE_MS = 60_000;

/** Milliseconds since 1970. @throws {CertificateError} */
export function readTime(reader: DerReader): number {
  if (reader.sees(TAG.utcTime)) {
    const found = UTC_TIME.exec(reader.read(TAG.utcTime)?.toString('latin1') ?? '');
    const year = Number(found?.[1]);
    const time = timeOf(found, year + (year >= CENTURY_BEFORE ? 1900 : 2000));
    if (time !== undefined) return time;
    throw new CertificateError('x509: malformed UTCTime');
  }
  if (!reader.sees(TAG.generalizedTime)) {
    throw new CertificateError('x509: unsupported time format');
  }
  const text = reader.read(TAG.generalizedTime)?.toString('latin1') ?? '';
  const found = GENERALIZED_TIME.exec(text);
  const time = timeOf(found, Number(found?.[1]));
  if (time !== undefined) return time;
  throw new CertificateError('x509: malformed GeneralizedTime');
}

function timeOf(found: RegExpExecArray | null, year: number): number | undefined {
  if (found === null) return undefined;
  const [, , month = '', day = '', hour = '', minute = '', second = '00', zone = 'Z'] = found;
  const offset = offsetMs(zone);
  const time = new Date(0);
  time.setUTCFullYear(year, Number(month) - 1, Number(day));
  time.setUTCHours(Number(hour), Number(minute), Number(second));
  // A 30th of February would be in March.
  const shown = time.toISOString().slice(5, 19);
  if (shown !== `${month}-${day}T${hour}:${minute}:${second}` || offset === undefined) {
    return undefined;
  }
  return time.getTime() - offset;
}

/** undefined for +0000, which is written Z. */
function offsetMs(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3));
  if (hours > 24 || minutes > 59 || hours + minutes === 0) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

/** `2026-11-22T10:00:00Z` */
export function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, -5)}Z`;
}
