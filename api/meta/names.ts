/**
 * Which strings may be names, label keys and label values, what is wrong with those that may not,
 * and names that are made from a base and a few letters by chance.
 *
 * Two lengths are told in characters and two in bytes; upstream has two copies of these rules and
 * the messages differ. All are counted in bytes.
 *
 * In Kubernetes: apimachinery/pkg/util/validation and apimachinery/pkg/api/validate/content;
 * SimpleNameGenerator, apiserver/pkg/storage/names.
 */
import { onceOfLong } from '../json/long-text.ts';
import type { Random } from './clock.ts';

/** Sentences, empty when nothing is wrong. */
type Problems = readonly string[];

/** What is wrong with a name, as sentences; `prefix` when it is only the head of a generated one. */
export type NameValidator = (name: string, prefix: boolean) => Problems;

const NO_PROBLEMS: Problems = Object.freeze([]);

const LABEL_BYTES_MAX = 63;
const SUBDOMAIN_BYTES_MAX = 253;

const DNS1123_LABEL_FORMAT = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS1123_SUBDOMAIN_FORMAT = `${DNS1123_LABEL_FORMAT}(\\.${DNS1123_LABEL_FORMAT})*`;
const DNS1035_LABEL_FORMAT = '[a-z]([-a-z0-9]*[a-z0-9])?';
const LABEL_KEY_FORMAT = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const DNS1123_LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const DNS1123_SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const DNS1035_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;
const LABEL_KEY = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const looksLikeLabel = onceOfLong((value) => DNS1123_LABEL.test(value));
const looksLikeSubdomain = onceOfLong((value) => DNS1123_SUBDOMAIN.test(value));
const looksLikeKey = onceOfLong((value) => LABEL_KEY.test(value));

const DNS1123_LABEL_SENTENCE = withFormat(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    'and must start and end with an alphanumeric character',
  DNS1123_LABEL_FORMAT,
  ['my-name', '123-abc'],
);
const DNS1123_SUBDOMAIN_SENTENCE = withFormat(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    'and must start and end with an alphanumeric character',
  DNS1123_SUBDOMAIN_FORMAT,
  ['example.com'],
);
const DNS1035_LABEL_SENTENCE = withFormat(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    'start with an alphabetic character, and end with an alphanumeric character',
  DNS1035_LABEL_FORMAT,
  ['my-name', 'abc-123'],
);
const LABEL_KEY_SENTENCE = withFormat(
  "must consist of alphanumeric characters, '-', '_' or '.', " +
    'and must start and end with an alphanumeric character',
  LABEL_KEY_FORMAT,
  ['MyName', 'my.name', '123-abc'],
);
const LABEL_VALUE_SENTENCE = withFormat(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
    'and must start and end with an alphanumeric character',
  `(${LABEL_KEY_FORMAT})?`,
  ['MyValue', 'my_value', '12345'],
);

/**
 * Lower case letters, digits and `-`, beginning and ending with a letter or digit; at most 63
 * bytes.
 */
export function isDns1123Label(value: string): boolean {
  return value.length <= LABEL_BYTES_MAX && DNS1123_LABEL.test(value);
}

/** DNS labels with dots between them; at most 253 bytes. */
export function isDns1123Subdomain(value: string): boolean {
  return value.length <= SUBDOMAIN_BYTES_MAX && DNS1123_SUBDOMAIN.test(value);
}

function isDns1035Label(value: string): boolean {
  return value.length <= LABEL_BYTES_MAX && DNS1035_LABEL.test(value);
}

/** A label key: `app` or `example.com/app`. Also what annotations and finalizers are called. */
export function isQualifiedName(value: string): boolean {
  const slash = value.indexOf('/');
  if (slash < 0) return value.length <= LABEL_BYTES_MAX && LABEL_KEY.test(value);
  const name = value.slice(slash + 1);
  return (
    name.length <= LABEL_BYTES_MAX &&
    LABEL_KEY.test(name) &&
    isDns1123Subdomain(value.slice(0, slash))
  );
}

/**
 * Empty, or letters, digits, `-`, `_` and `.` between a letter or digit at both ends; at most 63
 * bytes.
 */
export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= LABEL_BYTES_MAX && LABEL_KEY.test(value));
}

/** What is wrong with a DNS-1123 label, in the words of `IsDNS1123Label`; empty if nothing is. */
export function dns1123LabelProblems(value: string): Problems {
  if (isDns1123Label(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, LABEL_BYTES_MAX);
  if (looksLikeLabel(value)) return problems;
  // What is a subdomain and no label has a dot in it.
  const isSubdomain = looksLikeSubdomain(value);
  return [...problems, isSubdomain ? 'must not contain dots' : DNS1123_LABEL_SENTENCE];
}

/**
 * What is wrong with a DNS-1123 subdomain, in the words of `IsDNS1123Subdomain`; empty if nothing
 * is.
 */
export function dns1123SubdomainProblems(value: string): Problems {
  if (isDns1123Subdomain(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, SUBDOMAIN_BYTES_MAX);
  return looksLikeSubdomain(value) ? problems : [...problems, DNS1123_SUBDOMAIN_SENTENCE];
}

/**
 * What is wrong with a DNS-1035 label, which begins with a letter, in the words of
 * `IsDNS1035Label`.
 */
export function dns1035LabelProblems(value: string): Problems {
  if (isDns1035Label(value)) return NO_PROBLEMS;
  const problems = tooLongInCharacters(value, LABEL_BYTES_MAX);
  return DNS1035_LABEL.test(value) ? problems : [...problems, DNS1035_LABEL_SENTENCE];
}

/** What is wrong with `[prefix/]name`, as label keys are, in the words of `IsQualifiedName`. */
export function qualifiedNameProblems(value: string): Problems {
  if (isQualifiedName(value)) return NO_PROBLEMS;
  const slash = value.indexOf('/');
  if (slash < 0) return namePartProblems(value);
  if (value.includes('/', slash + 1)) {
    const hint = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${LABEL_KEY_SENTENCE}${hint}`];
  }
  const prefix = prefixPartProblems(value.slice(0, slash));
  return [...prefix, ...namePartProblems(value.slice(slash + 1))];
}

/** What is wrong with the value of a label, in the words of `IsValidLabelValue`. */
export function labelValueProblems(value: string): Problems {
  if (isLabelValue(value)) return NO_PROBLEMS;
  const problems = tooLongInBytes(value, LABEL_BYTES_MAX);
  return looksLikeKey(value) ? problems : [...problems, LABEL_VALUE_SENTENCE];
}

/** Names that must only be safe as one segment of a URL path, such as those of RBAC roles. */
export function pathSegmentProblems(name: string, prefix = false): Problems {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`];
  if (!name.includes('/') && !name.includes('%')) return NO_PROBLEMS;
  return ['/', '%'].filter((one) => name.includes(one)).map((one) => `may not contain '${one}'`);
}

/** The rule for most names. `prefix`: the name is a generateName, which may end with a dash. */
export function nameIsDnsSubdomain(name: string, prefix: boolean): Problems {
  return dns1123SubdomainProblems(prefix ? withoutTrailingDash(name) : name);
}

/** The rule for names of namespaces and of what becomes a part of a host name. */
export function nameIsDnsLabel(name: string, prefix: boolean): Problems {
  return dns1123LabelProblems(prefix ? withoutTrailingDash(name) : name);
}

/** The rule for names of services. */
export function nameIsDns1035Label(name: string, prefix: boolean): Problems {
  return dns1035LabelProblems(prefix ? withoutTrailingDash(name) : name);
}

/** The rule for names of RBAC's kinds and the like, and the least that every name must keep. */
export function nameIsPathSegment(name: string, prefix: boolean): Problems {
  return pathSegmentProblems(name, prefix);
}

/**
 * Of kinds whose names upstream checks by a declarative rule, which looks at the name alone: the head of a
 * generated one is a path segment, and what is generated may be refused for it.
 */
export function onlyNameIsDnsSubdomain(name: string, prefix: boolean): Problems {
  if (prefix) return pathSegmentProblems(name, prefix);
  // Declarative rules count bytes, and say so.
  return nameIsDnsSubdomain(name, prefix).map((one) => one.replace(/ characters$/, ' bytes'));
}

/** A sentence as upstream ends it when a pattern was not met. */
export function withFormat(sentence: string, format: string, examples: readonly string[]): string {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${format}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${sentence} (e.g. ${list}regex used for validation is '${format}')`;
}

function prefixPartProblems(prefix: string): Problems {
  if (prefix === '') return ['prefix part must be non-empty'];
  if (isDns1123Subdomain(prefix)) return NO_PROBLEMS;
  const problems = tooLongInBytes(prefix, SUBDOMAIN_BYTES_MAX);
  if (!DNS1123_SUBDOMAIN.test(prefix)) problems.push(DNS1123_SUBDOMAIN_SENTENCE);
  return problems.map((problem) => `prefix part ${problem}`);
}

function namePartProblems(name: string): Problems {
  const problems = name === '' ? ['must be non-empty'] : tooLongInBytes(name, LABEL_BYTES_MAX);
  if (!LABEL_KEY.test(name)) problems.push(LABEL_KEY_SENTENCE);
  return problems.map((problem) => `name part ${problem}`);
}

function tooLongInCharacters(value: string, bytesMax: number): string[] {
  return isLonger(value, bytesMax) ? [`must be no more than ${String(bytesMax)} characters`] : [];
}

function tooLongInBytes(value: string, bytesMax: number): string[] {
  return isLonger(value, bytesMax) ? [`must be no more than ${String(bytesMax)} bytes`] : [];
}

function isLonger(value: string, bytesMax: number): boolean {
  return value.length > bytesMax || Buffer.byteLength(value) > bytesMax;
}

/**
 * A generateName is judged as if its last dash, which the random suffix follows, were not there.
 * Upstream replaces the character before the dash with an `a` too, so `a--` passes and so does this.
 */
function withoutTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith('-')) return name;
  const isAscii = name.charCodeAt(name.length - 2) < 0x80;
  return isAscii ? `${name.slice(0, -2)}a` : name.slice(0, -1);
}

// Without vowels and what looks like them, so that no words come about.
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const GENERATED_NAME_MAX = 63;

/** The base, shortened where it has to be, with five letters behind it. */
export function generatedName(base: string, random: Random): string {
  let name = base.slice(0, GENERATED_NAME_MAX - SUFFIX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index += 1) {
    name += SUFFIX_ALPHABET[random.integer(SUFFIX_ALPHABET.length)] ?? '';
  }
  return name;
}
