/**
 * What a request below `/everwatch/v1` asks to see: read here for both, the filter that authorizes it
 * and the route that answers it, so that neither sees another object than the other.
 */
import { queryValue } from '../../api/meta/web-addresses.ts';
import { nameOf, namespaceOf } from '../../streams/event.ts';

const OWN = '/everwatch';

/** The log as JSON lines, and below it `/state`, `/bounds` and `/version-at`. */
export const LOG_PATH = '/everwatch/v1/log';

/** What changed, without the objects, as JSON lines. */
export const CHANGES_PATH = '/everwatch/v1/changes';

/** How many requests, objects and bytes there are, as JSON lines that go on. */
export const FIGURES_PATH = '/everwatch/v1/figures';

/** How the server is, for `everwatch status`. */
export const STATUS_PATH = '/everwatch/v1/status';

/** Destroys keys of objects that are gone; which takes POST. */
export const SHRED_PATH = '/everwatch/v1/shred';

/** Puts every object back to what it was, for test suites; takes POST too. */
export const RESET_PATH = '/everwatch/v1/reset';

/** A resource by its names in the API; '' is the group of the core. */
export interface LoggedKind {
  /** As in an apiVersion: `apps`. */
  readonly group: string;
  /** The plural name: `deployments`. */
  readonly resource: string;
}

/** One object that may be gone; '' is the namespace of what has none. */
export interface LoggedName extends LoggedKind {
  /** As in the path of the object. */
  readonly namespace: string;
  /** `metadata.name` of the object. */
  readonly name: string;
}

/** Of which objects a request shows contents, or that they were there. */
export type LogScope =
  | { readonly kind: 'everything' }
  /** None: only how long the log is, and how many objects there are. */
  | { readonly kind: 'extent' }
  | { readonly kind: 'resource'; readonly of: LoggedKind }
  /** The life of one object. */
  | { readonly kind: 'object'; readonly of: LoggedName }
  /** One object, of which everything is to be forgotten. */
  | { readonly kind: 'shred'; readonly of: LoggedName }
  /** Every object, which is written. */
  | { readonly kind: 'reset' };

const EVERYTHING: LogScope = { kind: 'everything' };
const EXTENT: LogScope = { kind: 'extent' };
const RESET: LogScope = { kind: 'reset' };

/** Whether the path is one of the server's own, behind the place that it may have in front. */
export function isOwnPath(path: string): boolean {
  return path === OWN || path.startsWith(`${OWN}/`);
}

/** Of a path that is not known here, everything: so a new one is closed until it is named. */
export function logScopeOf(path: string, query: string): LogScope {
  switch (path) {
    case LOG_PATH:
      return eventsScope(query);
    case `${LOG_PATH}/bounds`:
    case `${LOG_PATH}/version-at`:
      return objectScope(query, 'object') ?? EXTENT;
    case STATUS_PATH:
    case FIGURES_PATH:
      return EXTENT;
    case CHANGES_PATH: {
      const kind = loggedKind(query);
      return kind === undefined ? EVERYTHING : { kind: 'resource', of: kind };
    }
    case RESET_PATH:
      return RESET;
    case SHRED_PATH:
      return objectScope(query, 'shred') ?? EVERYTHING;
    default:
      return EVERYTHING;
  }
}

/** What has not taken effect is no revision of an object, and to follow is more than to get. */
function eventsScope(query: string): LogScope {
  const isLife =
    queryValue(query, 'effectiveOnly') === 'true' && (queryValue(query, 'follow') ?? '') !== 'true';
  const object = isLife ? objectScope(query, 'object') : undefined;
  if (object !== undefined) return object;
  const kind = loggedKind(query);
  return kind === undefined ? EVERYTHING : { kind: 'resource', of: kind };
}

function objectScope(query: string, kind: 'object' | 'shred'): LogScope | undefined {
  const of = loggedKind(query);
  const path = queryValue(query, 'path') ?? '';
  const name = nameOf(path);
  // Whatever else stands there is the path of no object.
  const isPath = name !== '' && path === `${namespaceOf(path)}/${name}` && !name.includes('/');
  if (of === undefined || !isPath) return undefined;
  return { kind, of: { namespace: namespaceOf(path), name, ...of } };
}

/** `core/secrets`, as the log names a resource; undefined for anything that is none. */
function loggedKind(query: string): LoggedKind | undefined {
  const [group = '', resource = '', ...more] = (queryValue(query, 'resource') ?? '').split('/');
  if (group === '' || resource === '' || more.length > 0) return undefined;
  return { group: group === 'core' ? '' : group, resource };
}
