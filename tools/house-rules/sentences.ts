/**
 * Every exported name that a file of another folder imports has a sentence: a JSDoc comment directly
 * above its declaration. The opening comment of a file is the sentence of the export after which
 * the file is named, and of the only export of a file.
 *
 * So has every member of such an interface. A sentence that only said the name again is not asked for:
 * of the one member of an interface, of a literal that tells a union's types apart, of a member that
 * is named after its type (`clock: Clock`), and of a setting, whose help text is its sentence.
 */
import ts from 'typescript';
import { folderOf, isTestSide, type House, type Source, type Violations } from './house.ts';

/** Written by `npm run generate`, from Kubernetes' own names. */
const GENERATED = 'api/generated/';

/** Exported names that files of other folders import, and that have no sentence. */
export function exportedSentences(house: House): Violations {
  const imported = importedFromElsewhere(house);
  return house.sources
    .filter(({ path }) => isJudged(path))
    .flatMap((source) => {
      const names = imported.get(source.path) ?? new Set<string>();
      return untold(source)
        .filter((name) => names.has(name))
        .map((name) => `${source.path}: ${name} is imported by other folders and has no sentence`);
    });
}

/** The same for the members of exported interfaces. */
export function memberSentences(house: House): Violations {
  const imported = importedFromElsewhere(house);
  return house.sources
    .filter(({ path }) => isJudged(path))
    .flatMap((source) => {
      const names = imported.get(source.path) ?? new Set<string>();
      return source.tree.statements
        .filter((statement) => ts.isInterfaceDeclaration(statement))
        .filter(({ name }) => names.has(name.text) && !isOfSettings(source, name.text))
        .flatMap((declared) => untoldMembers(source, declared))
        .map((member) => `${source.path}: ${member} has no sentence, and other folders see it`);
    });
}

function untoldMembers(source: Source, declared: ts.InterfaceDeclaration): readonly string[] {
  const { members, name } = declared;
  if (members.length === 1) return [];
  return members
    .filter((member) => !hasSentence(source, member) && !isToldByItsType(member))
    .map((member) => `${name.text}.${member.name?.getText(source.tree) ?? 'its call'}`);
}

function isToldByItsType(member: ts.TypeElement): boolean {
  if (!ts.isPropertySignature(member) || member.type === undefined) return false;
  const { name, type } = member;
  if (ts.isLiteralTypeNode(type)) return true;
  const isNamed = ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName);
  return isNamed && ts.isIdentifier(name) && isSameName(type.typeName.text, name.text);
}

/** `Clock` and `clock`, `CELValue` and `celValue`. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The table of the settings stands in the file, with a help text for each member. */
function isOfSettings({ text }: Source, name: string): boolean {
  return text.includes(`: SettingsOf<${name}> = {`);
}

function isJudged(path: string): boolean {
  return !isTestSide(path) && !path.startsWith(GENERATED);
}

/** By path, the names that a file of another folder imports from it. */
function importedFromElsewhere(house: House): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const source of house.sources) {
    if (isTestSide(source.path)) continue;
    for (const { target, names } of namedImports(source)) {
      if (folderOf(target) === folderOf(source.path)) continue;
      const known = found.get(target) ?? new Set();
      found.set(target, known);
      for (const name of names) known.add(name);
    }
  }
  return found;
}

function namedImports({ tree, imports }: Source): { target: string; names: readonly string[] }[] {
  return tree.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const from = statement.moduleSpecifier;
    const bindings = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    if (from === undefined || bindings === undefined || !ts.isStringLiteral(from)) return [];
    const target = imports.find(({ specifier }) => specifier === from.text)?.target;
    if (target === undefined || !('elements' in bindings)) return [];
    const names = bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
    return [{ target, names }];
  });
}

/** The exports of a file that neither a sentence nor the opening comment tells. */
function untold(source: Source): readonly string[] {
  const sentences = new Map<string, boolean>();
  for (const statement of source.tree.statements) {
    for (const name of exportedNames(statement)) {
      sentences.set(name, sentences.get(name) === true || hasSentence(source, statement));
    }
  }
  if (sentences.size === 1) return [];
  const opening = /([^/]+?)(?:\.[a-z]+)?\.tsx?$/.exec(source.path)?.[1];
  return [...sentences]
    .filter(([name, told]) => !told && kebabCase(name) !== opening)
    .map(([name]) => name);
}

function exportedNames(statement: ts.Statement): readonly string[] {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
  const declared = ts.isVariableStatement(statement)
    ? statement.declarationList.declarations
    : [statement as ts.DeclarationStatement];
  return declared.flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name.text] : []));
}

/** An opening comment, which an empty line parts from the first declaration, is none. */
function hasSentence({ tree, text }: Source, statement: ts.Node): boolean {
  const last = ts.getLeadingCommentRanges(text, statement.getFullStart())?.at(-1);
  if (last === undefined || !text.startsWith('/**', last.pos)) return false;
  return !text.slice(last.end, statement.getStart(tree)).includes('\n\n');
}

/** `CELValue` and `CEL_VALUE` are `cel-value`. */
function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
