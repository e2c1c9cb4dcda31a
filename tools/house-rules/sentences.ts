/**
 * Every exported name that a file of another folder imports has a sentence: a JSDoc comment directly
 * above its declaration. The opening comment of a file is the sentence of the export after which
 * the file is named, and of the only export of a file.
 */
import ts from 'typescript';
import { folderOf, isTestSide, type House, type Source, type Violations } from './house.ts';

/** Written by `npm run generate`, from Kubernetes' own names. */
const GENERATED = 'api/generated/';

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
  const opening = /([^/]+?)(?:\.[a-z]+)?\.ts$/.exec(source.path)?.[1];
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
function hasSentence({ tree, text }: Source, statement: ts.Statement): boolean {
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
