/**
 * What clients ask for before they ask for objects: discovery and OpenAPI, of now or of a moment.
 * The documents of what is built in are made once for all control planes; those with custom
 * resources belong to a list of definitions, and are made anew with the next one.
 */
import { FeatureGates } from '../../actors/lifecycle/feature-gates.ts';
import { customKindsOf } from '../../actors/served-resources/served-kinds.ts';
import type {
  CustomDefinitions,
  ReadDefinition,
} from '../../actors/served-resources/custom-definitions.ts';
import type { ServedResources } from '../../actors/served-resources/served-resources.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { GroupTexts } from '../../projections/discovery/aggregated-discovery.ts';
import { DiscoveryView } from '../../projections/discovery/discovery-view.ts';
import { CustomOpenApiView } from '../../projections/openapi/custom-openapi-view.ts';
import { OpenApiView, type OpenApiDocuments } from '../../projections/openapi/openapi-view.ts';
import type { ResourceVersion } from '../../streams/resource-version.ts';

export interface Documents {
  readonly discovery: DiscoveryView;
  readonly openApi: OpenApiDocuments;
  /** `/apis/stable.example.com/v1`, and those above it. */
  readonly paths: readonly string[];
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
  readonly #known = new WeakMap<readonly ReadDefinition[], Documents>();

  /**
   * @param address `127.0.0.1:6443`, known when the port is open.
   * @param gates what of it is shown.
   */
  constructor(served: ServedResources, address: () => string, gates = new FeatureGates()) {
    this.#builtIn = builtInOf(served, gates);
    this.#custom = served.custom;
    this.#address = address;
  }

  /** @param moment applied, and with a history that has settled since; undefined: now. */
  at(moment: ResourceVersion | undefined): Documents {
    const definitions = this.#custom?.established(moment) ?? NO_DEFINITIONS;
    let documents = this.#known.get(definitions);
    if (documents === undefined) {
      documents = this.#made(definitions, moment);
      this.#known.set(definitions, documents);
    }
    return documents;
  }

  #made(definitions: readonly ReadDefinition[], moment: ResourceVersion | undefined): Documents {
    const { facts, openApi } = this.#builtIn;
    const all = [...facts, ...definitions.flatMap((one) => one.facts)];
    // The past is asked for seldom, and must not make the present be written anew.
    const texts = moment === undefined ? this.#texts : new GroupTexts();
    const discovery = new DiscoveryView(all, this.#address(), texts);
    const custom = this.#custom;
    const kinds =
      custom === undefined
        ? []
        : definitions.flatMap((definition) => customKindsOf(custom, definition, moment));
    return {
      discovery,
      openApi: kinds.length === 0 ? openApi : new CustomOpenApiView(openApi, kinds),
      paths: all.flatMap(pathsOf),
    };
  }
}

const NO_DEFINITIONS: readonly ReadDefinition[] = [];

function builtInOf(served: ServedResources, gates: FeatureGates): BuiltIn {
  const hashes = gates.isOn('StorageVersionHash');
  const enums = gates.isOn('OpenAPIEnums');
  const facts = served.facts().map((one) => (hashes ? one : withoutHash(one)));
  const names = facts.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
  const key = `${names.join()} ${String(hashes)} ${String(enums)}`;
  let known = builtIns.get(key);
  if (known === undefined) {
    known = { facts, openApi: new OpenApiView(facts, undefined, enums) };
    builtIns.set(key, known);
  }
  return known;
}

/** Upstream shows it of custom resources all the same. */
function withoutHash({ storageVersionHash: _hash, ...facts }: ResourceFacts): ResourceFacts {
  return facts;
}

function pathsOf({ group, version }: ResourceFacts): string[] {
  if (group === '') return ['/api', `/api/${version}`];
  return ['/apis', `/apis/${group}`, `/apis/${group}/${version}`];
}
