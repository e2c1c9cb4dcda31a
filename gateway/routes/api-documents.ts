/**
 * What clients ask for before they ask for objects: discovery and OpenAPI, of now or of a moment.
 * The documents of what is built in are made once for all control planes; those with custom
 * resources belong to a list of definitions, and are made anew with the next one. Servers behind this one
 * are shown now only: they have neither a past nor forks.
 */
import { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { customKindsOf } from '../../actors/served-resources/served-kinds.ts';
import type {
  CustomDefinitions,
  ReadDefinition,
} from '../../actors/served-resources/custom-definitions.ts';
import type {
  AggregatedDocuments,
  AggregatedSnapshot,
} from '../../actors/aggregation/aggregated-documents.ts';
import type { ServedResources } from '../../actors/served-resources/served-resources.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { GroupTexts } from '../../projections/discovery/aggregated-discovery.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { CustomOpenApiView } from '../../projections/openapi/custom-openapi-view.ts';
import { MergedOpenApiView } from '../../projections/openapi/merged-openapi-view.ts';
import { OpenApiView, type OpenApiDocuments } from '../../projections/openapi/openapi-view.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

export interface Documents {
  readonly discovery: DiscoveryView;
  readonly openApi: OpenApiDocuments;
  /** `/apis/stable.example.com/v1`, and those above it. */
  readonly paths: readonly string[];
}

/** What of it there is without other servers. */
interface OwnDocuments {
  readonly facts: readonly ResourceFacts[];
  readonly documents: Documents;
}

interface BuiltIn {
  readonly facts: readonly ResourceFacts[];
  readonly openApi: OpenApiView;
}

/** Those of all control planes that have the same built-in resources. */
const builtIns = new Map<string, BuiltIn>();

export class ApiDocuments {
  readonly #builtIn: BuiltIn;
  readonly #custom: CustomDefinitions | undefined;
  readonly #address: () => string;
  readonly #texts = new GroupTexts();
  readonly #aggregated: Pick<AggregatedDocuments, 'current'> | undefined;
  readonly #known = new WeakMap<readonly ReadDefinition[], OwnDocuments>();
  #current: CurrentDocuments | undefined;

  /**
   * @param address `127.0.0.1:6443`, known when the port is open.
   * @param shown what of it is shown, and the servers behind this one; default: none.
   */
  constructor(served: ServedResources, address: () => string, shown: Shown = {}) {
    this.#builtIn = builtInOf(served, shown.gates ?? new FeatureGates());
    this.#custom = served.custom;
    this.#address = address;
    this.#aggregated = shown.aggregated;
  }

  /** @param moment applied, and with a history that has settled since; undefined: now. */
  at(moment: ResourceVersion | undefined): Documents {
    const definitions = this.#custom?.established(moment) ?? NO_DEFINITIONS;
    let own = this.#known.get(definitions);
    if (own === undefined) {
      own = this.#made(definitions, moment);
      this.#known.set(definitions, own);
    }
    if (moment !== undefined || this.#aggregated === undefined) return own.documents;
    return this.#withOthers(own, this.#aggregated.current());
  }

  /** Each half is made anew where its own part is another. */
  #withOthers(own: OwnDocuments, shown: AggregatedSnapshot): Documents {
    const known = this.#current?.own === own ? this.#current : undefined;
    if (known?.shown.registered === shown.registered) {
      if (known.shown.described === shown.described) return known.documents;
    }
    const { registered, described } = shown;
    const { discovery, openApi, paths } = own.documents;
    const isPlain = registered.priorities.length === 0;
    const documents: Documents = {
      discovery:
        known?.shown.registered === registered
          ? known.documents.discovery
          : isPlain
            ? discovery
            : new DiscoveryView(own.facts, this.#address(), this.#texts, registered),
      openApi:
        known?.shown.described === described
          ? known.documents.openApi
          : described.length === 0
            ? openApi
            : new MergedOpenApiView(openApi, described),
      paths: [...paths, ...registered.aggregated.flatMap(pathsOf)],
    };
    this.#current = { own, shown, documents };
    return documents;
  }

  #made(definitions: readonly ReadDefinition[], moment: ResourceVersion | undefined): OwnDocuments {
    const { facts, openApi: builtIn } = this.#builtIn;
    const all = [...facts, ...definitions.flatMap((one) => one.facts)];
    // The past is asked for seldom, and must not make the present be written anew.
    const texts = moment === undefined ? this.#texts : new GroupTexts();
    const discovery = new DiscoveryView(all, this.#address(), texts);
    const custom = this.#custom;
    const kinds =
      custom === undefined
        ? []
        : definitions.flatMap((definition) => customKindsOf(custom, definition, moment));
    const openApi = kinds.length === 0 ? builtIn : new CustomOpenApiView(builtIn, kinds);
    const documents = { discovery, openApi, paths: all.flatMap(pathsOf) };
    return { facts: all, documents };
  }
}

/** How much of the documents is shown. */
export interface Shown {
  /** Default: as upstream has them at first. */
  readonly gates?: FeatureGates;
  /** undefined: nothing but what this server serves itself. */
  readonly aggregated?: Pick<AggregatedDocuments, 'current'> | undefined;
}

interface CurrentDocuments {
  readonly own: OwnDocuments;
  readonly shown: AggregatedSnapshot;
  readonly documents: Documents;
}

const NO_DEFINITIONS: readonly ReadDefinition[] = [];

function builtInOf(served: ServedResources, gates: FeatureGates): BuiltIn {
  const hashes = gates.isOn('StorageVersionHash');
  const enums = gates.isOn('OpenAPIEnums');
  const facts = served.facts().map((one) => (hashes ? one : withoutHash(one)));
  const names = facts.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
  const hasCbor = gates.isOn('CBORServingAndStorage');
  const key = `${names.join()} ${String(hashes)} ${String(enums)} ${String(hasCbor)}`;
  let known = builtIns.get(key);
  if (known === undefined) {
    known = { facts, openApi: new OpenApiView(facts, undefined, enums, hasCbor) };
    builtIns.set(key, known);
  }
  return known;
}

/** Upstream shows it of custom resources all the same. */
function withoutHash({ storageVersionHash: _hash, ...facts }: ResourceFacts): ResourceFacts {
  return facts;
}

function pathsOf({ group, version }: Pick<ResourceFacts, 'group' | 'version'>): string[] {
  if (group === '') return ['/api', `/api/${version}`];
  return ['/apis', `/apis/${group}`, `/apis/${group}/${version}`];
}
