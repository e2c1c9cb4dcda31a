/**
 * `/statusz` and `/flagz`: what this process is and how it was started. Text for people is the answer to
 * every client that names nothing else; programs that name kind and version get JSON or YAML.
 *
 * Upstream changes the sign between names and values of the text from call to call, so that no program
 * parses it. So do we.
 *
 * In Kubernetes: apiserver/pkg/server/statusz and flagz, and their negotiate.
 */
import { type Answer, type DocumentAnswer, statusAnswer } from '../../actors/request/answer.ts';
import type { AuthenticatedRequest, ReceivedRequest } from '../../actors/request/request.ts';
import { writeCbor } from '../../api/cbor/cbor-writer.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { type AcceptClause, acceptClauses } from '../negotiation/accept.ts';
import { formatYaml } from '../negotiation/yaml-codec.ts';
import type { Clock, Random } from '../../api/meta/clock.ts';
import { notAcceptable } from '../../api/meta/status.ts';
import type { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { type Route, textAnswer } from './route.ts';
import { versionInfo } from './version.ts';

type ZPageForm =
  | { readonly type: 'text' }
  | { readonly type: 'json' | 'yaml' | 'cbor'; readonly version: string };

const CBOR = 'application/cbor';

/** What the list of a refusal says. */
const ZPAGE_TYPES = ['application/json', 'application/yaml', 'text/plain'];
const WITH_CBOR = [...ZPAGE_TYPES, CBOR];

const GROUP = 'config.k8s.io';
const VERSIONS: ReadonlySet<string | undefined> = new Set(['v1beta1', 'v1alpha1']);
/** A client that asks for it is warned. */
const OUTDATED = 'v1alpha1';
const STRUCTURED: ReadonlyMap<string, 'json' | 'yaml' | 'cbor'> = new Map([
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  [CBOR, 'cbor'],
  ['application/*', 'json'],
  ['*/*', 'json'],
]);
const TEXT: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*']);

const TYPES: ReadonlySet<string> = new Set([...STRUCTURED.keys(), ...TEXT]);

/** @returns undefined when nothing that the client accepts can be given. */
function zPageForm(
  { headers, hasCbor }: Pick<AuthenticatedRequest, 'headers' | 'hasCbor'>,
  kind: string,
): ZPageForm | undefined {
  const accept = String(headers['accept'] ?? '').trim();
  if (accept === '') return { type: 'text' };
  for (const clause of acceptClauses(accept, TYPES)) {
    const form = formOf(clause, kind);
    const isServed = hasCbor === true || form?.type !== 'cbor';
    if (form !== undefined && isServed) return form;
  }
  return undefined;
}

function formOf({ type, parameters }: AcceptClause, kind: string): ZPageForm | undefined {
  const [as, group, version] = ['as', 'g', 'v'].map((name) => parameters.get(name));
  const isPlain = as === undefined && group === undefined && version === undefined;
  if (isPlain) return TEXT.has(type) ? { type: 'text' } : undefined;
  const structured = STRUCTURED.get(type);
  const isKnown = as === kind && group === GROUP && VERSIONS.has(version);
  if (structured === undefined || !isKnown || version === undefined) return undefined;
  return { type: structured, version };
}

/** @param content what stands beneath kind, version and name. */
function structuredZPage(
  request: AuthenticatedRequest,
  form: Exclude<ZPageForm, { type: 'text' }>,
  { kind, content }: { readonly kind: string; readonly content: JsonObject },
): DocumentAnswer {
  const { type, version } = form;
  if (version === OUTDATED) {
    const page = kind.toLowerCase();
    request.responseHeaders['Warning'] =
      `299 - "This version of the ${page} endpoint is deprecated. Please use a newer version."`;
  }
  const apiVersion = `${GROUP}/${version}`;
  const value = { kind, apiVersion, metadata: { name: 'apiserver' }, ...content };
  const body =
    type === 'cbor'
      ? writeCbor(value)
      : Buffer.from(type === 'json' ? JSON.stringify(value, undefined, 2) : formatYaml(value));
  const headers = {
    'Content-Type': `application/${type};g=${GROUP};v=${version};as=${kind}`,
  };
  return { kind: 'Document', code: 200, headers, body };
}

interface ZPagesParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** All flags and what they are set to. */
  readonly flags: ReadonlyMap<string, string>;
  /** Of them, those that have none; the text for people marks them. */
  readonly withoutEffect?: ReadonlySet<string>;
  /** Whether there are such pages; all of them where nothing is said. */
  readonly featureGates?: FeatureGates;
  readonly paths: (request: ReceivedRequest) => Iterable<string>;
}

const SIGNS = [':', ': ', '=', ' '];
const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

export function zPagesRoute(parts: ZPagesParts): Route {
  const { featureGates: gates } = parts;
  const [hasFlagz, hasStatusz] = [gates?.isOn('ComponentFlagz'), gates?.isOn('ComponentStatusz')];
  return (request) => {
    const { path } = request.info;
    if (path === '/flagz' && hasFlagz !== false) return page(request, flagzPage(parts));
    if (path === '/statusz' && hasStatusz !== false) {
      return page(request, statuszPage(parts, request));
    }
    return undefined;
  };
}

interface Page {
  readonly kind: string;
  readonly text: () => string;
  readonly content: () => JsonObject;
}

function page(request: AuthenticatedRequest, { kind, text, content }: Page): Answer {
  const form = zPageForm(request, kind);
  if (form === undefined) {
    return statusAnswer(notAcceptable(request.hasCbor === true ? WITH_CBOR : ZPAGE_TYPES));
  }
  if (form.type === 'text') return textAnswer(200, text());
  return structuredZPage(request, form, { kind, content: content() });
}

function flagzPage(parts: ZPagesParts): Page {
  const { flags } = parts;
  const sorted = (): JsonObject => Object.fromEntries([...flags].sort(byName));
  return { kind: 'Flagz', text: () => flagz(parts), content: () => ({ flags: sorted() }) };
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

function statuszPage(parts: ZPagesParts, request: AuthenticatedRequest): Page {
  const { clock, startedAt, paths } = parts;
  const content = (): JsonObject => ({
    startTime: new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
    uptimeSeconds: Math.floor((clock.now() - startedAt) / 1_000),
    ...versions(),
    paths: folders(paths(request)),
  });
  return { kind: 'Statusz', text: () => statusz(parts, request), content };
}

function versions() {
  const { goVersion, major, minor, emulationMajor, emulationMinor } = versionInfo();
  return {
    goVersion,
    binaryVersion: `${major}.${minor}.3`,
    emulationVersion: `${emulationMajor}.${emulationMinor}`,
  };
}

function head(name: string): string {
  return `\napiserver ${name}\n${WARNING}\n`;
}

function signOf(random: Random): string {
  return SIGNS[random.integer(SIGNS.length)] ?? ':';
}

function flagz({ random, flags, withoutEffect }: ZPagesParts): string {
  const sign = signOf(random);
  const lines = [...flags.keys()].sort().map((name) => {
    const mark = withoutEffect?.has(name) === true ? ' (without effect)' : '';
    return `${name}${sign}${flags.get(name) ?? ''}${mark}\n`;
  });
  return `${head('flagz')}${lines.join('')}`;
}

function statusz(parts: ZPagesParts, request: ReceivedRequest): string {
  const { clock, random, startedAt, paths } = parts;
  const sign = signOf(random);
  const { goVersion, binaryVersion, emulationVersion } = versions();
  const lines = [
    ['Started', unixDate(startedAt)],
    ['Up', uptime(clock.now() - startedAt)],
    ['Go version', goVersion],
    ['Binary version', binaryVersion],
    ['Emulation version', emulationVersion],
    ['Paths', folders(paths(request)).join(' ')],
  ];
  const text = lines.map(([name = '', value = '']) => `${name}${sign} ${value}\n`).join('');
  return `${head('statusz')}\n${text}`;
}

const NOT_FOR_DEBUGGING: ReadonlySet<string> = new Set([
  '/apis',
  '/api',
  '/openid',
  '/openapi',
  '/.well-known',
]);

/** The first parts of the paths, each once and sorted. */
function folders(paths: Iterable<string>): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const first = path.split('/')[1] ?? '';
    if (first !== '' && !NOT_FOR_DEBUGGING.has(`/${first}`)) found.add(`/${first}`);
  }
  return [...found].sort();
}

/** `2 hr 03 min 04 sec` */
function uptime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (number: number): string => String(number).padStart(2, '0');
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60];
  return `${String(Math.floor(seconds / 3_600))} hr ${two(minutes)} min ${two(rest)} sec`;
}

/** `Mon Jan  2 15:04:05 UTC 2006` */
function unixDate(ms: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(ms)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`;
}
