/** The column on the left: overview, kinds by what they are for, forks, and as which user this is. */
import { computed, signal } from '@preact/signals';
import { kinds, type Kind } from '../state/discovery.ts';
import { logOut } from '../state/begin.ts';
import { connection } from '../state/live.ts';
import { focusOn } from '../parts/keys.ts';
import { go, linkTo, namespaceShown, pageLocation } from '../state/page-location.ts';
import { may } from '../state/rights.ts';
import { token, user } from '../state/session.ts';
import { Mark } from './login.tsx';

const wanted = signal('');

interface Section {
  readonly title: string;
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

const SECTIONS: readonly Section[] = [
  {
    title: 'Workloads',
    groups: ['apps', 'batch', 'autoscaling'],
    resources: ['pods', 'replicationcontrollers', 'podtemplates'],
  },
  {
    title: 'Network',
    groups: ['networking.k8s.io', 'discovery.k8s.io', 'gateway.networking.k8s.io'],
    resources: ['services', 'endpoints'],
  },
  {
    title: 'Configuration and storage',
    groups: ['storage.k8s.io'],
    resources: ['configmaps', 'secrets', 'persistentvolumeclaims', 'persistentvolumes'],
  },
  {
    title: 'Cluster',
    groups: ['node.k8s.io', 'scheduling.k8s.io', 'coordination.k8s.io', 'resource.k8s.io'],
    resources: ['nodes', 'namespaces', 'events', 'resourcequotas', 'limitranges'],
  },
  {
    title: 'Access',
    groups: ['rbac.authorization.k8s.io', 'certificates.k8s.io'],
    resources: ['serviceaccounts'],
  },
];

const OTHER = 'Other built-in kinds';
const CUSTOM = 'Custom resources';

function titleOf({ group, resource }: Kind): string {
  const of = SECTIONS.find(({ groups, resources }) =>
    group === '' ? resources.includes(resource) : groups.includes(group),
  );
  if (of !== undefined) return of.title;
  const isBuiltIn = !group.includes('.') || group.endsWith('.k8s.io');
  return isBuiltIn ? OTHER : CUSTOM;
}

/** Kinds that say the same as another: events of the core are those of events.k8s.io. */
const isTwin = ({ group, resource }: Kind): boolean =>
  (group === 'events.k8s.io' && resource === 'events') ||
  (group === 'dev.everwatch' && resource === 'forks') ||
  resource === 'componentstatuses';

/** By section, what the user may list and the text of the search has. */
const sections = computed(() => {
  const text = wanted.value.toLowerCase();
  const fits = (kind: Kind): boolean =>
    [kind.resource, kind.kind.toLowerCase(), kind.group, ...kind.shortNames].some((one) =>
      one.includes(text),
    );
  const shown = kinds.value.filter((kind) => !isTwin(kind) && may('list', kind) && fits(kind));
  return [...SECTIONS.map(({ title }) => title), CUSTOM, OTHER]
    .map((title) => ({ title, kinds: shown.filter((kind) => titleOf(kind) === title) }))
    .filter((section) => section.kinds.length > 0);
});

const forks = { group: 'dev.everwatch', resource: 'forks' };

export function Navigation() {
  return (
    <nav aria-label="Views">
      <h1>
        <Mark /> Everwatch
      </h1>
      <div class="search">
        <input
          id="kind-search"
          type="search"
          placeholder="Find a kind"
          aria-label="Find a kind"
          aria-keyshortcuts="k"
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && focusOn('details a')}
        />
        <kbd aria-hidden="true">k</kbd>
      </div>
      {!may('list', NAMESPACES) && <NamespaceField />}
      <div class="links">
        <ul>
          <li>
            <Link href={linkTo({ view: { name: 'overview' } })} isHere={isAt('overview')}>
              Overview
            </Link>
          </li>
          {may('list', forks) && (
            <li>
              <Link href={linkTo({ view: { name: 'forks' } })} isHere={isAt('forks')}>
                Forks
              </Link>
            </li>
          )}
        </ul>
        {sections.value.map((section) => (
          <KindSection key={section.title} {...section} />
        ))}
      </div>
      <User />
    </nav>
  );
}

const NAMESPACES = { group: '', resource: 'namespaces' };

/** For users that may not list them: what they may is asked for in this one. */
function NamespaceField() {
  return (
    <div class="search">
      <input
        aria-label="Namespace"
        placeholder="Enter your namespace"
        spellcheck={false}
        value={namespaceShown.value}
        onChange={(event) =>
          go({
            query: { ...pageLocation.value.query, namespace: event.currentTarget.value.trim() },
          })
        }
      />
    </div>
  );
}

function isAt(name: string): boolean {
  return pageLocation.value.view.name === name;
}

function KindSection({ title, kinds: shown }: { title: string; kinds: readonly Kind[] }) {
  const isOpen = title !== OTHER || wanted.value !== '' || shown.some(isHere);
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      <ul>
        {shown.map((kind) => (
          <li key={`${kind.group}/${kind.resource}`}>
            <Link href={kindLink(kind)} isHere={isHere(kind)} title={kind.group}>
              {pluralOf(kind)}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  );
}

function kindLink({ group, version, resource, isNamespaced }: Kind): string {
  const namespace = namespaceShown.value;
  const query: Record<string, string> = isNamespaced && namespace !== '' ? { namespace } : {};
  return linkTo({ view: { name: 'resources', of: { group, version, resource } }, query });
}

function isHere({ group, resource }: Kind): boolean {
  const { view } = pageLocation.value;
  if (view.name !== 'resources' && view.name !== 'object') return false;
  return view.of.group === group && view.of.resource === resource;
}

/** `NetworkPolicies` of NetworkPolicy: the kind as Kubernetes spells it. */
export function pluralOf({ kind }: { readonly kind: string }): string {
  if (/(?:[^aeiou])y$/.test(kind)) return `${kind.slice(0, -1)}ies`;
  if (/(?:ss|x|ch)$/.test(kind)) return `${kind}es`;
  return kind.endsWith('s') ? kind : `${kind}s`;
}

interface LinkProps {
  readonly href: string;
  readonly isHere: boolean;
  readonly title?: string;
  readonly children: string;
}

function Link({ href, isHere: here, title = '', children }: LinkProps) {
  return (
    <a
      href={href}
      // What was looked for is found; the other kinds are to be seen again.
      onClick={() => (wanted.value = '')}
      {...(here ? { 'aria-current': 'page' as const } : {})}
      {...(title === '' ? {} : { title })}
    >
      {children}
    </a>
  );
}

function User() {
  const state = connection.value?.kind ?? 'connecting';
  const isOpen = state === 'open';
  return (
    <div class="user">
      <span class={`dot ${isOpen ? 'good' : 'busy'}`} aria-hidden="true" />
      <span role="status" class="name" title={user.value}>
        {isOpen ? user.value : 'Reconnecting…'}
      </span>
      {token.value !== '' && (
        <button type="button" class="plain" onClick={logOut}>
          Log out
        </button>
      )}
    </div>
  );
}
