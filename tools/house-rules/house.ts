/**
 * The repository as the house rules see it: every file that would be committed, and what each
 * TypeScript file imports. It is read from the directory and not from git, so that a file is
 * judged before it is added.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface House {
  /** Everything that would be committed, by its path from the root, in alphabetical order. */
  readonly files: readonly TextFile[];
  /** Those of the files that are TypeScript, in the same order. */
  readonly sources: readonly Source[];
}

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** A file of TypeScript, parsed. */
export interface Source extends TextFile {
  /** Without links from nodes to their parents. */
  readonly tree: ts.SourceFile;
  /** Every node of the tree but its root: walking is what costs, so it is done once. */
  readonly nodes: readonly ts.Node[];
  /** Of files and packages, of types too, and what is exported from elsewhere. */
  readonly imports: readonly Import[];
}

export interface Import {
  /** As it is written: './actor.ts', 'node:fs', 'xstate'. */
  readonly specifier: string;
  /** The path from the root when it is a file of ours; undefined for a package. */
  readonly target: string | undefined;
  /** Whether nothing of it is there when the program runs: `import type`. */
  readonly isType: boolean;
}

/** What is wrong where, one line each: `path: what`. */
export type Violations = readonly string[];

const houses = new Map<string, House>();

/** Reads and parses the directory `root`, leaving out what its .gitignore names; once in a process. */
export function readHouse(root: string): House {
  const house = houses.get(root) ?? houseOf(readFiles(root));
  houses.set(root, house);
  return house;
}

/** Everything in the directory `root` that would be committed. */
export function readFiles(root: string): readonly TextFile[] {
  const isIgnored = ignoredBy(readFileSync(join(root, '.gitignore'), 'utf8'));
  const paths = pathsBelow(root, '', isIgnored).sort();
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Parses every TypeScript file among `files`, those with elements of pages in them too. */
export function houseOf(files: readonly TextFile[]): House {
  const sources = files.filter((file) => /\.tsx?$/.test(file.path)).map(sourceOf);
  return { files, sources };
}

/** True for tests and for what only tests use: contracts, fixtures, visitors. */
export function isTestSide(path: string): boolean {
  return /\.(?:test|contract|fixture)\.tsx?$/.test(path) || path.startsWith('e2e/');
}

/** `path:line` of the node, as an editor opens it. */
export function placeOf(source: Source, node: ts.Node): string {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return `${source.path}:${String(line + 1)}`;
}

/** The innermost folder of `path`, '' at the root. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === '.' ? '' : folder;
}

/** Understands the two forms that our .gitignore uses: `folder/` and `*.ending`. */
function ignoredBy(gitignore: string): (name: string) => boolean {
  const patterns = gitignore.split('\n').filter((line) => line !== '');
  const folders = new Set(['.git', ...patterns.map((pattern) => pattern.replace(/\/$/, ''))]);
  const endings = patterns.filter((pattern) => pattern.startsWith('*')).map((one) => one.slice(1));
  return (name) => folders.has(name) || endings.some((ending) => name.endsWith(ending));
}

function pathsBelow(root: string, folder: string, isIgnored: (name: string) => boolean): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (isIgnored(entry.name)) return [];
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return pathsBelow(root, path, isIgnored);
    return entry.isFile() ? [path] : [];
  });
}

function sourceOf(file: TextFile): Source {
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, false);
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(tree, visit);
  const imports = nodes.flatMap((node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return [];
    return [{ ...importOf(file.path, specifier), isType: isOfTypes(node) }];
  });
  return { ...file, tree, nodes, imports };
}

/** `import type … from`, `export type … from`, and `import('…')` where a type stands. */
function isOfTypes(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node))
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}

function importOf(path: string, specifier: string): Omit<Import, 'isType'> {
  const isOurs = specifier.startsWith('.');
  return { specifier, target: isOurs ? posix.join(dirname(path), specifier) : undefined };
}

/** Types included, and `new URL('program.ts', import.meta.url)`, which is how tests start one. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return literalText(node.moduleSpecifier);
  }
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? literalText(node.argument.literal) : undefined;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literalText(node.arguments[0]);
  }
  return ts.isNewExpression(node) ? programOf(node) : undefined;
}

function programOf(node: ts.NewExpression): string | undefined {
  const name = ts.isIdentifier(node.expression) && node.expression.text === 'URL';
  const place = name ? literalText(node.arguments?.[0]) : undefined;
  if (place === undefined || !place.endsWith('.ts')) return undefined;
  return place.startsWith('.') ? place : `./${place}`;
}

function literalText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}
