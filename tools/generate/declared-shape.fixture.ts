/**
 * Holds values against the committed declarations of the kinds as TypeScript reads them: the text
 * of the declarations is parsed, so the checker knows nothing of the facts they were made of.
 */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { isJsonObject, type JsonValue } from '../../api/json/json.ts';
import { DECLARATIONS } from './kind-declarations.ts';

interface Module {
  readonly aliases: ReadonlyMap<string, ts.TypeNode>;
  /** The file that a name or a namespace is imported from. */
  readonly imports: ReadonlyMap<string, URL>;
}

type Value = JsonValue | undefined;

const modules = new Map<string, Module>();

/** Where a value differs from the type of that model name, and how; undefined: it conforms. */
export function misfitOf(model: string, value: Value): string | undefined {
  const index = moduleAt(new URL('kinds.ts', DECLARATIONS));
  const models = index.aliases.get('ModelTypes');
  const member = models === undefined ? undefined : membersOf(models).get(model);
  if (member?.type === undefined) throw new Error(`no type is declared for ${model}`);
  return misfit(value, member.type, index, '');
}

function moduleAt(place: URL): Module {
  const known = modules.get(place.href);
  if (known !== undefined) return known;
  const text = readFileSync(place, 'utf8');
  const tree = ts.createSourceFile(place.href, text, ts.ScriptTarget.Latest);
  const aliases = new Map<string, ts.TypeNode>();
  const imports = new Map<string, URL>();
  for (const statement of tree.statements) {
    if (ts.isTypeAliasDeclaration(statement)) aliases.set(statement.name.text, statement.type);
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      continue;
    const from = new URL(statement.moduleSpecifier.text, place);
    const named = statement.importClause?.namedBindings;
    if (named === undefined) continue;
    const names = ts.isNamespaceImport(named) ? [named] : named.elements;
    for (const { name } of names) imports.set(name.text, from);
  }
  const made = { aliases, imports };
  modules.set(place.href, made);
  return made;
}

function misfit(value: Value, type: ts.TypeNode, home: Module, path: string): string | undefined {
  if (ts.isParenthesizedTypeNode(type)) return misfit(value, type.type, home, path);
  if (ts.isUnionTypeNode(type)) return misfitOfUnion(value, type, home, path);
  if (ts.isTypeLiteralNode(type)) return misfitOfObject(value, type, home, path);
  if (ts.isTypeReferenceNode(type)) return misfitOfName(value, type.typeName, home, path);
  if (ts.isArrayTypeNode(type)) {
    if (!Array.isArray(value)) return differs(value, type, path);
    return first(value, (item, at) =>
      misfit(item, type.elementType, home, `${path}[${String(at)}]`),
    );
  }
  return isOfKeyword(value, type) ? undefined : differs(value, type, path);
}

function isOfKeyword(value: Value, type: ts.TypeNode): boolean {
  if (ts.isLiteralTypeNode(type)) return value === null;
  switch (type.kind) {
    case ts.SyntaxKind.StringKeyword:
      return typeof value === 'string';
    case ts.SyntaxKind.NumberKeyword:
      return typeof value === 'number';
    case ts.SyntaxKind.BigIntKeyword:
      return typeof value === 'bigint';
    case ts.SyntaxKind.BooleanKeyword:
      return typeof value === 'boolean';
    case ts.SyntaxKind.NeverKeyword:
      return false;
    default:
      throw new Error(`no check for a ${ts.SyntaxKind[type.kind]}`);
  }
}

/** Tells of the member that comes nearest: the one that is left off last. */
function misfitOfUnion(
  value: Value,
  { types }: ts.UnionTypeNode,
  home: Module,
  path: string,
): string | undefined {
  const found = types.map((one) => misfit(value, one, home, path));
  if (found.includes(undefined)) return undefined;
  return found.sort((a, b) => (b ?? '').length - (a ?? '').length)[0];
}

function misfitOfObject(
  value: Value,
  type: ts.TypeLiteralNode,
  home: Module,
  path: string,
): string | undefined {
  if (!isJsonObject(value)) return differs(value, type, path);
  const [only] = type.members;
  if (only !== undefined && ts.isIndexSignatureDeclaration(only)) {
    return first(Object.entries(value), ([key, item]) =>
      misfit(item, only.type, home, `${path}.${key}`),
    );
  }
  const members = membersOf(type);
  const unknown = Object.keys(value).find((key) => !members.has(key) && value[key] !== undefined);
  if (unknown !== undefined) return `${path}.${unknown} is not declared`;
  return first([...members], ([name, { type: declared, questionToken }]) => {
    const item = value[name];
    if (item === undefined) {
      return questionToken === undefined ? `${path}.${name} is not there` : undefined;
    }
    return declared && misfit(item, declared, home, `${path}.${name}`);
  });
}

function misfitOfName(
  value: Value,
  name: ts.EntityName,
  home: Module,
  path: string,
): string | undefined {
  const [from, own] = ts.isQualifiedName(name) ? [name.left, name.right.text] : [name, name.text];
  const key = ts.isIdentifier(from) ? from.text : '';
  const place = home.imports.get(key);
  const there = place === undefined ? home : moduleAt(place);
  if (own === 'JsonValue') return undefined;
  const type = there.aliases.get(own);
  if (type === undefined) throw new Error(`no declaration of ${own}`);
  return misfit(value, type, there, path);
}

function membersOf(type: ts.TypeNode): ReadonlyMap<string, ts.PropertySignature> {
  const members = ts.isTypeLiteralNode(type) ? type.members.filter(ts.isPropertySignature) : [];
  return new Map(members.map((member) => [nameText(member.name), member]));
}

function nameText(name: ts.PropertyName): string {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : '';
}

function differs(value: Value, type: ts.TypeNode, path: string): string {
  const shown = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  return `${path} is ${shown}, declared as ${ts.SyntaxKind[type.kind]}`;
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = find(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
