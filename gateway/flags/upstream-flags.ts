/**
 * The flags of kube-apiserver 1.36, as facts: `npm run generate:flags` writes them. A flag of the same name
 * here takes the same texts, and refuses others in pflag's words.
 *
 * In pflag: flag.go and its types; in Kubernetes: component-base/cli/flag.
 */
import { goQuote } from '../../api/json/go-format.ts';
import { parseGoDuration } from '../../api/meta/go-duration.ts';
import { parseQuantity } from '../../api/meta/quantity.ts';
import { readGenerated } from '../../api/generated/read-generated.ts';
import { isIP } from 'node:net';
import { StartupError } from '../process/startup-error.ts';
import { elementsOf } from './setting.ts';

/** What pflag knows about a flag of kube-apiserver. */
export interface UpstreamFlag {
  readonly name: string;
  readonly short?: string;
  /** As pflag names it: `stringSlice`, `duration`. */
  readonly type: string;
  readonly default?: string;
  /** What the flag is without a value. */
  readonly bare?: string;
  /** What is printed where it is given. */
  readonly deprecated?: string;
}

let facts: ReadonlyMap<string, UpstreamFlag> | undefined;

/** All flags of kube-apiserver, by their names without dashes. */
export function upstreamFlags(): ReadonlyMap<string, UpstreamFlag> {
  facts ??= new Map(
    (JSON.parse(readGenerated('flags.json')) as UpstreamFlag[]).map((one) => [one.name, one]),
  );
  return facts;
}

/** @throws StartupError in pflag's words, where kube-apiserver's flag of this name takes no such text. */
export function checkFlagText(flag: string, text: string): void {
  const fact = upstreamFlags().get(flag);
  const reason = fact && REASONS.get(fact.type)?.(text, flag);
  if (reason !== undefined) throw invalidArgument(flag, text, reason);
}

/** How pflag says that a flag cannot be set to a text. */
export function invalidArgument(flag: string, text: string, reason: string): StartupError {
  const short = upstreamFlags().get(flag)?.short;
  const names = short === undefined ? `--${flag}` : `-${short}, --${flag}`;
  return new StartupError(
    `invalid argument ${goQuote(text)} for ${goQuote(names)} flag: ${reason}`,
  );
}

/** Types whose values the settings read themselves, and refuse in upstream's words. */
const READ_BY_SETTINGS: ReadonlySet<string> = new Set([
  ...['Level', 'pattern=N,...', 'namedCertKey'],
]);

/** Whether what the flag's own parser says against a text is pflag's reason. */
export function refusesAsPflag(flag: string): boolean {
  return READ_BY_SETTINGS.has(upstreamFlags().get(flag)?.type ?? '');
}

/** Whether the text means, with kube-apiserver, that the flag is not given. */
export function meansNothing(flag: string, text: string): boolean {
  if (text !== '') return false;
  const fact = upstreamFlags().get(flag);
  return fact?.type === 'ip' || (fact?.type === 'string' && fact.default === undefined);
}

type Reason = (text: string, flag: string) => string | undefined;

const INTEGER = /^[+-]?(?:0x(?:_?[0-9a-f])+|0b(?:_?[01])+|0o?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/i;
/** Underscores stand in whole numbers only; Go takes them in fractions as well. */
const FLOAT =
  /^[+-]?(?:(?:\d(?:_?\d)*)(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The least and the most; beyond 2^53 rounded, so that their last digit does not count. */
type Range = readonly [from: number, to: number];
const INT64: Range = [-(2 ** 63), 2 ** 63];

const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['bool', booleanReason],
  ['version', versionReason],
  ['int', (text) => integerReason('ParseInt', text, INT64)],
  ['int64', (text) => integerReason('ParseInt', text, INT64)],
  ['uint', (text) => integerReason('ParseUint', text, [0, 2 ** 64])],
  ['float32', floatReason],
  ['float64', floatReason],
  ['duration', durationReason],
  ['ip', (text) => (text === '' || isIP(text.trim()) > 0 ? undefined : ipReason(text))],
  ['quantity', quantityReason],
  ['stringSlice', listReason],
  ['int32Slice', numbersReason],
  ['stringToString', pairsReason],
  ['mapStringString', claimReason],
  ['portRange', portsReason],
]);

/** What Go's ParseBool takes. undefined: the text is no boolean. */
export function goBoolean(text: string): boolean | undefined {
  return TRUE.has(text) || (FALSE.has(text) ? false : undefined);
}

/** What Go's ParseInt takes with base 0: `0x1f`, `1_000`. undefined: the text is no whole number. */
export function goInteger(text: string): number | undefined {
  if (!INTEGER.test(text)) return undefined;
  const digits = text.replaceAll('_', '').replace(/^[+-]/, '');
  const whole = Number(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return text.startsWith('-') ? -whole : whole;
}

function booleanReason(text: string): string | undefined {
  return goBoolean(text) === undefined ? syntax('ParseBool', text) : undefined;
}

function versionReason(text: string): string | undefined {
  if (text === 'raw') return undefined;
  if (!text.startsWith('v')) return booleanReason(text);
  return /^v\d+\.\d+\.\d+/.test(text) ? undefined : `illegal version string ${goQuote(text)}`;
}

function integerReason(
  parser: 'ParseInt' | 'ParseUint',
  text: string,
  [from, to]: Range,
): string | undefined {
  const value = parser === 'ParseUint' && /^[+-]/.test(text) ? undefined : goInteger(text);
  if (value === undefined) return syntax(parser, text);
  if (value >= from && value <= to) return undefined;
  return `strconv.${parser}: parsing ${goQuote(text)}: value out of range`;
}

function floatReason(text: string): string | undefined {
  return FLOAT.test(text) ? undefined : syntax('ParseFloat', text);
}

function durationReason(text: string): string | undefined {
  const parsed = parseGoDuration(text);
  return parsed.ok ? undefined : parsed.problem;
}

function ipReason(text: string): string {
  return `failed to parse IP: ${goQuote(text)}`;
}

function quantityReason(text: string): string | undefined {
  const parsed = parseQuantity(text);
  return parsed.ok ? undefined : parsed.why;
}

function listReason(text: string): string | undefined {
  try {
    elementsOf(text, 'csv');
    return undefined;
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
}

function numbersReason(text: string): string | undefined {
  for (const one of text.split(',')) {
    const reason = integerReason('ParseInt', one, [-(2 ** 31), 2 ** 31 - 1]);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** One pair is taken as it is; several are a line of CSV. */
function pairsReason(text: string): string | undefined {
  const isOne = text.split('=').length <= 2;
  const reason = isOne ? undefined : listReason(text);
  if (reason !== undefined) return reason;
  const without = (isOne ? [text] : elementsOf(text, 'csv')).find((pair) => !pair.includes('='));
  return without === undefined ? undefined : `${without} must be formatted as key=value`;
}

/** `--runtime-config` has the same type and takes every text. */
function claimReason(text: string, flag: string): string | undefined {
  if (flag === 'runtime-config' || text.includes('=')) return undefined;
  return 'malformed pair, expect string=string';
}

const PORT_MAX = 65_535;

/** `30000-32767`, `30000+2767` or one port. In Kubernetes: apimachinery/pkg/util/net. */
function portsReason(given: string): string | undefined {
  const text = given.trim();
  const [sign] = text.includes('-') ? ['-'] : ['+'];
  const parts = text === '' ? [] : [...text.split(sign, 1), ...restOf(text, sign)];
  for (const part of parts) {
    if (!/^[+-]?\d+$/.test(part)) return syntax('Atoi', part);
    if (integerReason('ParseInt', part, INT64) !== undefined) {
      return `strconv.Atoi: parsing ${goQuote(part)}: value out of range`;
    }
  }
  const [low = 0, second = low] = parts.map(Number);
  const high = sign === '+' && parts.length > 1 ? low + second : second;
  if (low > PORT_MAX || high > PORT_MAX) {
    return `the port range cannot be greater than 65535: ${text}`;
  }
  return high < low ? `end port cannot be less than start port: ${text}` : undefined;
}

function restOf(text: string, sign: string): string[] {
  const at = text.indexOf(sign);
  return at < 0 ? [] : [text.slice(at + 1)];
}

function syntax(parser: string, text: string): string {
  return `strconv.${parser}: parsing ${goQuote(text)}: invalid syntax`;
}
