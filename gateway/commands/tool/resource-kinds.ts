/**
 * Which resource a user means by `deploy`, `deployments.apps` or `Deployment`, as kubectl has it.
 * Custom resources are found in the log itself, those too that are not defined any more.
 */
import type { Clock } from '../../../api/meta/clock.ts';
import {
  isJsonObject,
  listAt,
  objectAt,
  stringAt,
  type JsonObject,
} from '../../../api/json/json.ts';
import { builtInResources } from '../../../api/kinds/built-in.ts';
import type { LogSource } from '../../../projections/past/log-source.ts';
import { objectOf } from '../../../projections/past/object-revisions.ts';
import { pathOf } from '../../../streams/event.ts';
import { resourceVersion } from '../../../streams/resource-version.ts';
import { StartupError } from '../../process/startup-error.ts';

/** A resource as the log has it. */
export interface LoggedResource {
  /** `apps/deployments` */
  readonly storage: string;
  readonly namespaced: boolean;
  readonly kind: string;
}

interface NamedResource extends LoggedResource {
  readonly group: string;
  readonly version: string;
  /** All its names, in lower case. */
  readonly names: ReadonlySet<string>;
}

const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

export class ResourceKinds {
  readonly #source: LogSource;
  readonly #signal: AbortSignal;
  readonly #builtIn: readonly NamedResource[];
  #custom: readonly NamedResource[] | undefined;

  constructor(source: LogSource, clock: Clock, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.#builtIn = builtInResources(clock)
      .filter(({ facts }) => facts.verbs.includes('watch'))
      .map(({ facts, definition }) => ({
        storage: definition.storage,
        namespaced: definition.namespaced,
        kind: facts.kind,
        group: facts.group,
        version: facts.version,
        names: namesOf([facts.resource, facts.singular, facts.kind, ...facts.shortNames]),
      }));
  }

  /** @throws StartupError in kubectl's words when there never was such a resource. */
  async resolve(text: string): Promise<LoggedResource> {
    const found = find(this.#builtIn, text) ?? find(await this.#customOnes(), text);
    if (found !== undefined) return found;
    throw new StartupError(`the server doesn't have a resource type ${JSON.stringify(text)}`);
  }

  async #customOnes(): Promise<readonly NamedResource[]> {
    if (this.#custom !== undefined) return this.#custom;
    const found = await this.#loggedOnes().catch((error: unknown) => {
      // Definitions are read by few; which resources are served may be seen by every user.
      if (!isForbidden(error) || this.#source.servedResources === undefined) throw error;
      return this.#source.servedResources(this.#signal).then(servedOnes);
    });
    this.#custom = found;
    return found;
  }

  async #loggedOnes(): Promise<readonly NamedResource[]> {
    const byStorage = new Map<string, NamedResource>();
    const query = { from: resourceVersion(0), resource: DEFINITIONS, effectiveOnly: true };
    for await (const batch of this.#source.events(query, this.#signal)) {
      for (const { event } of batch) {
        const spec = objectAt(objectOf(event), 'spec');
        const names = objectAt(spec, 'names');
        const group = stringAt(spec, 'group');
        const plural = stringAt(names, 'plural');
        const shortNames = listAt(names, 'shortNames').map(String);
        const kind = stringAt(names, 'kind');
        byStorage.set(`${group}/${plural}`, {
          storage: `${group}/${plural}`,
          namespaced: stringAt(spec, 'scope') === 'Namespaced',
          kind,
          group,
          version: '',
          names: namesOf([plural, stringAt(names, 'singular'), kind, ...shortNames]),
        });
      }
    }
    return [...byStorage.values()];
  }
}

/** Told by its name, since its class is of a module that is loaded for servers alone. */
function isForbidden(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ApiError' && 'code' in error && error.code === 403
  );
}

function servedOnes(lists: readonly JsonObject[]): readonly NamedResource[] {
  return lists.flatMap((list) => {
    const [group = ''] = stringAt(list, 'groupVersion').split('/');
    const resources = listAt(list, 'resources').filter(isJsonObject);
    const whole = resources.filter((one) => !stringAt(one, 'name').includes('/'));
    return whole.map((one) => {
      const [plural, kind] = [stringAt(one, 'name'), stringAt(one, 'kind')];
      const shortNames = listAt(one, 'shortNames').map(String);
      const names = namesOf([plural, stringAt(one, 'singularName'), kind, ...shortNames]);
      const storage = `${group}/${plural}`;
      return { storage, namespaced: one['namespaced'] === true, kind, group, version: '', names };
    });
  });
}

function namesOf(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()).filter((name) => name !== ''));
}

/** `resource`, `resource.group` or `resource.version.group`. */
function find(resources: readonly NamedResource[], text: string): NamedResource | undefined {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const qualifier = rest.join('.');
  return resources.find(
    (one) =>
      one.names.has(name) &&
      (qualifier === '' ||
        qualifier === one.group ||
        qualifier === `${one.version}.${one.group}` ||
        (one.group === '' && qualifier === one.version)),
  );
}

/** How a resource is shown: `configmaps`, `deployments.apps`. */
export function shownResource(storage: string): string {
  const slash = storage.indexOf('/');
  const group = storage.slice(0, slash);
  const resource = storage.slice(slash + 1);
  return group === 'core' ? resource : `${resource}.${group}`;
}

/** One object that is named on the command line. */
export interface NamedObject extends LoggedResource {
  readonly path: string;
  /** `deployments.apps/web`, for people. */
  readonly shown: string;
}

/**
 * `KIND/NAME`, or `KIND` and `NAME`.
 *
 * @throws StartupError
 */
export async function namedObject(
  kinds: ResourceKinds,
  words: readonly string[],
  namespace: string,
): Promise<NamedObject> {
  const [first = '', second] = words;
  const slash = first.indexOf('/');
  const kind = slash < 0 ? first : first.slice(0, slash);
  const name = slash < 0 ? second : first.slice(slash + 1);
  const isOne = words.length === (slash < 0 ? 2 : 1);
  if (!isOne || kind === '' || name === undefined || name === '' || name.includes('/')) {
    throw new StartupError('name one object: KIND/NAME, as in deployment/web');
  }
  const resource = await kinds.resolve(kind);
  const path = pathOf(resource.namespaced ? namespace : '', name);
  return { ...resource, path, shown: `${shownResource(resource.storage)}/${name}` };
}
