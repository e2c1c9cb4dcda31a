/**
 * Where the page is: the view, the fork and the moment, all of it in the fragment of the address, which
 * browsers send to no server. So every location can be copied, and back and forward work.
 *
 *     #/overview     #/forks/try/at/1234/kinds/apps/v1/deployments?namespace=shop
 *     #/objects/core/v1/pods/shop/web-0?tab=history
 */
import { computed, signal } from '@preact/signals';

/** A kind as its URL names it; '' is the group of the core. */
export interface KindName {
  /** `apps`; '' for the core. */
  readonly group: string;
  /** `v1`. */
  readonly version: string;
  /** The plural name: `deployments`. */
  readonly resource: string;
}

/** One object of a kind; '' is the namespace of what has none. */
export interface ObjectName extends KindName {
  /** '' for objects of the cluster. */
  readonly namespace: string;
  /** `metadata.name`. */
  readonly name: string;
}

/** What fills the page. */
export type View =
  | { readonly name: 'overview' }
  | { readonly name: 'forks' }
  | { readonly name: 'compare'; readonly fork: string }
  | { readonly name: 'resources'; readonly of: KindName }
  | { readonly name: 'object'; readonly of: ObjectName };

/** All that the fragment says. */
export interface PageLocation {
  /** '' for the main control plane. */
  readonly fork: string;
  /** A version or a time in RFC 3339; '' for now. */
  readonly at: string;
  /** What is shown of it. */
  readonly view: View;
  /** `namespace`, `filter`, `labels`, `sort`, `tab`, `with`; what is left out is not in it. */
  readonly query: Readonly<Record<string, string>>;
}

const OVERVIEW: View = { name: 'overview' };

/** Reads a fragment, `#` in front; whatever it is, a location comes out. */
export function parsePageLocation(fragment: string): PageLocation {
  const [path = '', search = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const parts = path.split('/').map(decoded);
  let [fork, at] = ['', ''];
  if (parts[0] === 'forks' && (parts[1] ?? '') !== '') {
    fork = parts[1] ?? '';
    parts.splice(0, 2);
  }
  if (parts[0] === 'at' && (parts[1] ?? '') !== '') {
    at = parts[1] ?? '';
    parts.splice(0, 2);
  }
  const query = Object.fromEntries(new URLSearchParams(search));
  return { fork, at, view: viewOf(parts), query };
}

function viewOf(parts: readonly string[]): View {
  const [name = '', group = '', version = '', resource = '', namespace = '', object = ''] = parts;
  const kind = { group: group === 'core' ? '' : group, version, resource };
  if (name === 'forks') return { name: 'forks' };
  if (name === 'compare' && group !== '') return { name: 'compare', fork: group };
  if (name === 'kinds' && resource !== '') return { name: 'resources', of: kind };
  if (name !== 'objects' || object === '') return OVERVIEW;
  const of = { ...kind, namespace: namespace === '_' ? '' : namespace, name: object };
  return { name: 'object', of };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The fragment of a location, `#` in front. */
export function formatPageLocation({ fork, at, view, query }: PageLocation): string {
  const parts = [
    ...(fork === '' ? [] : ['forks', fork]),
    ...(at === '' ? [] : ['at', at]),
    ...viewParts(view),
  ];
  const shown = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(shown).toString();
  const path = parts.map((part) => encodeURIComponent(part).replaceAll('%3A', ':')).join('/');
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

function viewParts(view: View): readonly string[] {
  if (view.name === 'overview' || view.name === 'forks') return [view.name];
  if (view.name === 'compare') return [view.name, view.fork];
  const { group, version, resource } = view.of;
  const kind = [group === '' ? 'core' : group, version, resource];
  if (view.name === 'resources') return ['kinds', ...kind];
  const { namespace, name } = view.of;
  return ['objects', ...kind, namespace === '' ? '_' : namespace, name];
}

/** The location that the address names. */
export const pageLocation = signal<PageLocation>(parsePageLocation(globalThis.location.hash));

for (const event of ['hashchange', 'popstate']) {
  globalThis.addEventListener(event, () => {
    pageLocation.value = parsePageLocation(globalThis.location.hash);
  });
}

let lastNamespace = '';

/** The namespace of the view; of a view that has none, the one before. */
export const namespaceShown = computed(() => {
  const { view, query } = pageLocation.value;
  const own = view.name === 'object' ? view.of.namespace : query['namespace'];
  return (lastNamespace = own ?? lastNamespace);
});

/** The fork and the moment as they stand in front of paths: '' for the main control plane of now. */
export const prefix = computed(() => prefixOf(pageLocation.value));

/** The same of any fork and moment. */
export function prefixOf({ fork, at }: Pick<PageLocation, 'fork' | 'at'>): string {
  const inFork = fork === '' ? '' : `/forks/${encodeURIComponent(fork)}`;
  return at === '' ? inFork : `${inFork}/at/${at}`;
}

/**
 * Goes there, with what is given changed. `replace`: the way back does not stop here. `hold`: the address
 * follows later, as browsers count how often it changes.
 */
export function go(change: Partial<PageLocation>, how: 'push' | 'replace' | 'hold' = 'push'): void {
  const next = { ...pageLocation.value, ...change };
  const fragment = formatPageLocation(next);
  pageLocation.value = next;
  if (fragment === globalThis.location.hash || how === 'hold') return;
  if (how === 'push') globalThis.history.pushState(null, '', fragment);
  else globalThis.history.replaceState(null, '', fragment);
}

/** The address of a location that differs so from this one, for links. */
export function linkTo(change: Partial<PageLocation>): string {
  return formatPageLocation({ ...pageLocation.value, query: {}, ...change });
}

/** `/api/v1/namespaces/shop/pods`, without fork and moment. */
export function kindPath({ group, version, resource }: KindName, namespace = ''): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${resource}`;
}

/** `/api/v1/namespaces/shop/pods/web-0`. */
export function objectPath(of: ObjectName): string {
  return `${kindPath(of, of.namespace)}/${encodeURIComponent(of.name)}`;
}
