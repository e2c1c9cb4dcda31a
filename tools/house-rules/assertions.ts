/**
 * Assertions that the compiler cannot judge. What is an object of the API is asked of the value, by
 * asKubeObject; and a value gets another type by `as unknown as` only in the places that are listed
 * here, each of which knows by other means what the type is.
 */
import ts from 'typescript';
import { isTestSide, placeOf, type House, type Violations } from './house.ts';

const DOOR = 'api/meta/object-meta.ts';

/** By file, how often, and what knows the type. */
const JUSTIFIED: ReadonlyMap<string, readonly [count: number, why: string]> = new Map([
  ['actors/admission/kind-steps.ts', [1, 'a step is asked at places of its own kind']],
  ['actors/registry/stage.ts', [2, 'the parameter types have judged each stage']],
  ['api/kinds/kind.ts', [2, 'a conversion is called for its two types; a codec gives its type']],
  ['api/kinds/strategy-of.ts', [1, 'a strategy is called for objects of its kind']],
  ['api/merge/fields-v1.ts', [1, 'canonical JSON of a set is the set']],
  ['gateway/flags/flags.ts', [1, 'the tables of the sections are keyed by their options']],
  ['gateway/outbound/trusting-agent.ts', [1, 'Node asks for a stream beside an error']],
  ['projections/objects/stored-kinds.ts', [2, 'a path says which type lies there']],
  ['projections/store/store-tables.ts', [1, 'lmdb does not declare the keys of a key encoder']],
  ['projections/table/row-printers.ts', [1, 'a printer is called for objects of its kind']],
]);

/** `… as KubeObject`, in tests too. */
export function kubeObjectsAsked(house: House): Violations {
  return house.sources
    .filter(({ path }) => path !== DOOR)
    .flatMap((source) =>
      source.nodes
        .filter((node) => ts.isAsExpression(node) && saysKubeObject(node.type))
        .map((node) => `${placeOf(source, node)}: as KubeObject; asKubeObject asks the value`),
    );
}

/** `… as unknown as …` outside of tests. */
export function unjustifiedAssertions(house: House): Violations {
  return house.sources
    .filter(({ path }) => !isTestSide(path) && !/^(?:tools|bench)\//.test(path))
    .flatMap((source) => {
      const found = source.nodes.filter(isThroughUnknown);
      const [allowed = 0] = JUSTIFIED.get(source.path) ?? [];
      if (found.length === allowed) return [];
      const count = `${String(found.length)} times, and ${String(allowed)} are justified`;
      return [`${source.path}: as unknown as ${count}`];
    });
}

function saysKubeObject(type: ts.TypeNode): boolean {
  if (ts.isArrayTypeNode(type)) return saysKubeObject(type.elementType);
  if (ts.isTypeOperatorNode(type)) return saysKubeObject(type.type);
  if (ts.isUnionTypeNode(type)) return type.types.some(saysKubeObject);
  if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return false;
  return type.typeName.text === 'KubeObject';
}

function isThroughUnknown(node: ts.Node): boolean {
  if (!ts.isAsExpression(node) || !ts.isAsExpression(node.expression)) return false;
  return node.expression.type.kind === ts.SyntaxKind.UnknownKeyword;
}
