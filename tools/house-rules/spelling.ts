/**
 * What TypeScript source must not contain although it compiles, and how files are named.
 */
import ts from 'typescript';
import { isTestSide, type House, type Source, type Violations } from './house.ts';

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'constants']);
const KEBAB_CASE =
  /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:differential|machine|contract|fixture|bench|test))*\.ts$/;
/** In a comment, to the end of its line. */
const POSTPONED = /(?:\/\/|\*).*\b(?:TO[D]O|FIX[M]E|XX[X])\b/;
/** Their name and their default export are what the tool asks for. */
const TOOL_CONFIGS = new Set([
  'vitest.config.ts',
  'tools/mutants/vitest.config.ts',
  'tools/mutants/mutant-runner.ts',
]);

export function fileNames(house: House): Violations {
  return house.sources.flatMap(({ path }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const [first = ''] = name.split('.');
    if (EMPTY_NAMES.has(first)) return [`${path}: names no thing`];
    if (first === 'index') return [`${path}: every file imports the file that declares a thing`];
    return KEBAB_CASE.test(name) || TOOL_CONFIGS.has(path)
      ? []
      : [`${path}: is not kebab-case, or its suffix is unknown`];
  });
}

/** `any`, `!`, default exports, enums and namespaces. */
export function forbiddenSyntax(house: House): Violations {
  const judged = house.sources.filter(({ path }) => !TOOL_CONFIGS.has(path));
  return judged.flatMap((source) =>
    source.nodes.flatMap((node) => {
      const what = forbidden(node);
      return what === undefined ? [] : [`${placeOf(source, node)}: ${what}`];
    }),
  );
}

/** By kind, for there are half a million nodes. */
const FORBIDDEN: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AnyKeyword, 'any'],
  [ts.SyntaxKind.NonNullExpression, '! (not null)'],
  [ts.SyntaxKind.EnumDeclaration, 'enum'],
  [ts.SyntaxKind.ModuleDeclaration, 'namespace'],
  [ts.SyntaxKind.ExportAssignment, 'default export'],
  [ts.SyntaxKind.DefaultKeyword, 'default export'],
]);

function forbidden(node: ts.Node): string | undefined {
  const what = FORBIDDEN.get(node.kind);
  if (what !== undefined) return what;
  if (!ts.isPropertyDeclaration(node) && !ts.isVariableDeclaration(node)) return undefined;
  return node.exclamationToken === undefined ? undefined : '! (assigned somewhere)';
}

/** A source file says what it is for before its first declaration; a test's name says it. */
export function openingComments(house: House): Violations {
  return house.sources
    .filter((source) => !isTestSide(source.path) && !opensWithComment(source))
    .map(({ path }) => `${path}: does not open by saying what it is for`);
}

function opensWithComment({ tree, text }: Source): boolean {
  const declared = tree.statements.find((statement) => !ts.isImportDeclaration(statement));
  const places = [0, declared?.getFullStart() ?? 0];
  return places.some((place) => ts.getLeadingCommentRanges(text, place) !== undefined);
}

/** Work left for later is an issue, not a comment. */
export function postponedWork(house: House): Violations {
  return house.sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        POSTPONED.test(line) ? [`${path}:${String(at + 1)}: postpones work`] : [],
      ),
  );
}

function placeOf(source: Source, node: ts.Node): string {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return `${source.path}:${String(line + 1)}`;
}
