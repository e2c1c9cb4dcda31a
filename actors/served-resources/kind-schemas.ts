/**
 * What is served, as an author of rules sees it: which kinds the name of a resource may mean,
 * and the schemas of kinds.
 *
 * The surprise: a resource of the group '' is looked for in all groups, as the mapper of clients does.
 *
 * In Kubernetes: DefaultRESTMapper.KindsFor, apimachinery/pkg/api/meta, and SchemaResolver,
 * apiserver/pkg/cel/openapi/resolver.
 */
import type { GroupVersionKind } from '../../api/meta/object-meta.ts';
import type { JsonObject } from '../../api/json/json.ts';
import { OpenApiDeclarations } from '../../api/cel/schema/openapi-declarations.ts';
import type { SchemaDeclaration } from '../../api/cel/schema/schema-declarations.ts';
import type { ResourceFacts } from '../../api/scheme/resource-facts.ts';
import { formOf } from '../../projections/openapi/custom-openapi-view.ts';
import { customSchema } from '../../projections/openapi/custom-schema.ts';
import { SchemaLibrary } from '../../projections/openapi/schema-library.ts';
import { SCHEMA_REFERENCE } from '../../projections/openapi/type-schema.ts';
import { customKindsOf } from './served-kinds.ts';
import type { ServedResources } from './served-resources.ts';

/** What expressions see of objects of a kind. */
export interface KindDeclaration {
  /** undefined: nothing, though there are such objects. */
  readonly declaration: SchemaDeclaration | undefined;
}

/** A resource as `matchConstraints` and `paramKind` name it. */
export interface NamedResource {
  /** '' is the group of the core. */
  readonly group: string;
  /** As in a path: `v1`. */
  readonly version: string;
  /** Its plural or its singular. */
  readonly resource: string;
}

export class KindSchemas {
  readonly #served: ServedResources;
  readonly #builtIn: readonly ResourceFacts[];
  #library: SchemaLibrary | undefined;
  #declarations: OpenApiDeclarations | undefined;

  constructor(served: ServedResources) {
    this.#served = served;
    this.#builtIn = served.facts();
  }

  /** All kinds that it may mean; none where nothing of that name is served. */
  kindsFor({ group, version, resource }: NamedResource): readonly GroupVersionKind[] {
    const name = resource.toLowerCase();
    return this.#facts()
      .filter((facts) => group === '' || facts.group === group)
      .filter((facts) => facts.version === version)
      .filter(({ resource: plural, singular }) => plural === name || singular === name)
      .map((facts) => ({ group: facts.group, version: facts.version, kind: facts.kind }));
  }

  /** undefined: no such kind is served. */
  declarationOf(kind: GroupVersionKind): KindDeclaration | undefined {
    const schema = this.schemaOf(kind);
    if (schema === undefined) return undefined;
    const library = this.#schemas();
    this.#declarations ??= new OpenApiDeclarations((reference) =>
      library.schema(reference.slice(SCHEMA_REFERENCE.length), []),
    );
    return { declaration: this.#declarations.of(schema) };
  }

  /** As documents show it, with references to built-in types. */
  schemaOf(kind: GroupVersionKind): JsonObject | undefined {
    const isIt = (one: GroupVersionKind): boolean =>
      one.group === kind.group && one.version === kind.version && one.kind === kind.kind;
    const builtIn = this.#builtIn.find(isIt);
    if (builtIn !== undefined) return this.#schemas().schema(builtIn.typeId, []);
    const { custom } = this.#served;
    for (const definition of custom?.established() ?? []) {
      if (custom === undefined || !definition.facts.some(isIt)) continue;
      const found = customKindsOf(custom, definition).find(isIt);
      if (found !== undefined) return customSchema(found, formOf(this.#schemas(), false));
    }
    return undefined;
  }

  #facts(): readonly ResourceFacts[] {
    const custom = this.#served.custom?.established() ?? [];
    return [...this.#builtIn, ...custom.flatMap((definition) => definition.facts)];
  }

  #schemas(): SchemaLibrary {
    this.#library ??= new SchemaLibrary(this.#builtIn, () => new Map());
    return this.#library;
  }
}
