/**
 * What the sources of one tree look like, as figures that can be laid beside those of another tree: sizes, folders
 * that need one another, ways around the types, and words. Tests, fixtures and contracts are left out.
 */
import ts from 'typescript';

import { folderCycles } from '../house-rules/cycles.ts';
import { folderOf, isTestSide, type House, type Source } from '../house-rules/house.ts';
import { exportedSentences } from '../house-rules/sentences.ts';
import { namelessSubjects } from '../house-rules/spelling.ts';
import { figure, type Figure, middle, sorted, sum } from './figure.ts';
import { flagFigures } from './flag-figures.ts';

const LAYERS = /^(?:api|streams|projections|actors|gateway)\//;
const READERS = /^(?:objectAt|stringAt|numberAt|int32At|listAt|textsAt|itemsAt)$/;
/** Words for parts of a house, as parts of names: `WriteRoom`, `Gallery`, `pastRoom`. */
const HOUSE_WORDS = /(?<![a-z])(?:room|gallery|household|ledger|visitor)s?(?![a-z])/i;
const SMALL_LINES = 100;

/** The figures of the five layers, in the order of a table. */
export function houseFigures(house: House): readonly Figure[] {
  const ours = house.sources.filter(({ path }) => LAYERS.test(path) && !isTestSide(path));
  return [
    ...sizeFigures(ours),
    ...folderFigures(house, ours),
    ...flagFigures(ours),
    ...nameFigures(house, ours),
  ];
}

function sizeFigures(ours: readonly Source[]): readonly Figure[] {
  const lines = sorted(ours.map(linesOf));
  const written = sorted(ours.filter((one) => !isGenerated(one)).map(linesOf));
  const functions = sorted(ours.flatMap(functionLines));
  return [
    figure('files', lines.length),
    figure('lines', sum(lines)),
    figure('lines of a file, median', middle(lines)),
    figure('lines of a file that is not generated, median', middle(written)),
    figure('lines of a file that is not generated, most', written.at(-1) ?? 0),
    figure(
      'files below 100 lines',
      share(
        lines.filter((one) => one < SMALL_LINES),
        lines,
      ),
    ),
    figure('lines of a function, median', middle(functions)),
    figure('lines of a function, most', functions.at(-1) ?? 0),
  ];
}

function folderFigures(house: House, ours: readonly Source[]): readonly Figure[] {
  const importers = new Map<string, number>();
  for (const { imports } of ours) {
    for (const target of new Set(imports.map(({ target }) => target))) {
      if (target !== undefined) importers.set(target, (importers.get(target) ?? 0) + 1);
    }
  }
  const folders = new Map<string, number>();
  for (const { path } of ours) folders.set(folderOf(path), (folders.get(folderOf(path)) ?? 0) + 1);
  const knots = folderCycles(house);
  return [
    figure(
      'files with one importer',
      share(
        ours.filter(({ path }) => importers.get(path) === 1),
        ours,
      ),
    ),
    figure('files directly in one folder, most', Math.max(...folders.values())),
    figure('knots of folders at the second depth', knots.length),
    figure('folders in them', sum(knots.map((knot) => knot.split(' and ').length))),
  ];
}

function nameFigures(house: House, ours: readonly Source[]): readonly Figure[] {
  const nodes = ours.flatMap(({ nodes }) => nodes);
  const named = (is: (node: ts.Node) => boolean, name: string): number =>
    nodes.filter((node) => is(node) && nameOf(node) === name).length;
  const calls = (name: RegExp): number => nodes.filter((node) => name.test(calledBy(node))).length;
  const asserted = (name: string): number =>
    nodes.filter((node) => ts.isAsExpression(node) && typeName(node.type) === name).length;
  const identifiers = new Set(
    nodes.flatMap((node) => (ts.isIdentifier(node) ? [node.text] : [])).map(spaced),
  );
  return [
    figure('reads by string key', calls(READERS)),
    figure('`as KubeObject`', asserted('KubeObject')),
    figure('`as Fate`', asserted('Fate')),
    figure('parameters named `done`', named(ts.isParameter, 'done')),
    figure('calls of `andThen`', calls(/^andThen$/)),
    figure('calls of `guarded`', calls(/^guarded$/)),
    figure('types named `Place`', named(isType, 'Place')),
    figure('types named `Turn`', named(isType, 'Turn')),
    figure('functions named `keyOf`', named(isFunction, 'keyOf')),
    figure(
      'names with a part of a house in them',
      [...identifiers].filter((one) => HOUSE_WORDS.test(one)).length,
    ),
    figure('sentences with a nameless subject', namelessSubjects(house).length),
    figure('exported names without a sentence', exportedSentences(house).length),
    figure('files that import rxjs', ours.filter(importsRxjs).length),
    figure('words in the glossary', wordsOfGlossary(house)),
    figure('lines of ARCHITECTURE.md', textOf(house, 'ARCHITECTURE.md').split('\n').length - 1),
    figure('statecharts', ours.filter(({ path }) => path.endsWith('.machine.ts')).length),
  ];
}

function wordsOfGlossary(house: House): number {
  return textOf(house, 'docs/glossary.md').match(/^\*\*/gm)?.length ?? 0;
}

function textOf(house: House, path: string): string {
  return house.files.find((file) => file.path === path)?.text ?? '';
}

function importsRxjs({ imports }: Source): boolean {
  return imports.some(({ specifier }) => /^rxjs(?:\/|$)/.test(specifier));
}

function isType(node: ts.Node): boolean {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  );
}

function isFunction(node: ts.Node): boolean {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return true;
  return (
    ts.isVariableDeclaration(node) &&
    node.initializer !== undefined &&
    (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer))
  );
}

function nameOf(node: ts.Node): string {
  const { name } = node as { readonly name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? name.text : '';
}

function calledBy(node: ts.Node): string {
  if (!ts.isCallExpression(node)) return '';
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : '';
}

function typeName(type: ts.TypeNode): string {
  return ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) ? type.typeName.text : '';
}

/** `pastRoom` as `past Room`, so that its words can be told apart. */
function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').replaceAll('_', ' ');
}

function isGenerated({ path }: Source): boolean {
  return path.includes('/generated/');
}

function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

function functionLines({ tree, nodes }: Source): readonly number[] {
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  return nodes.flatMap((node) => {
    const hasBody = ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;
    return hasBody ? [lineAt(node.end) - lineAt(node.getStart(tree)) + 1] : [];
  });
}

function share(some: readonly unknown[], all: readonly unknown[]): string {
  const percent = Math.round((100 * some.length) / Math.max(1, all.length));
  return `${some.length.toLocaleString('en')} (${String(percent)} %)`;
}
