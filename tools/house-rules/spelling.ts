/**
 * What TypeScript source must not contain although it compiles, how files are named, and how
 * sentences are written: their subject is a thing with a name, a client, a watcher, the server.
 * Sentences are comments, and texts with a space in them: names of tests, messages, what tables
 * call their rows.
 */
import ts from 'typescript';

import { type House, isTestSide, placeOf, type Source, type Violations } from './house.ts';

/** Names that say nothing about what is inside. */
const EMPTY_NAMES = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'types', 'constants']);
const KEBAB_CASE =
  /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:differential|machine|contract|fixture|bench|test))*\.tsx?$/;
/** In a comment, to the end of its line. */
const POSTPONED = /(?:\/\/|\*).*\b(?:TO[D]O|FIX[M]E|XX[X])\b/;
/** Their name and their default export are what the tool asks for. */
const TOOL_CONFIGS = new Set([
  'vitest.config.ts',
  'tools/mutants/vitest.config.ts',
  'tools/mutants/mutant-runner.ts',
  'gateway/dashboard/terminal/css.d.ts',
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

/** As words of their own: in `system:nobody`, `who-wins` and "nobody" they are part of a name. */
const WORDS =
  /(?<![\w=`'"“:/.-])(?:(?:no|some|any|every)body|(?:some|any|every)one|whoever|who)(?![\w`'"”:/-])/i;
/** In comments, what is quoted from elsewhere. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”/g;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
/** Written by `npm run generate`, with Kubernetes' own descriptions. */
const GENERATED = 'api/generated/';

/** Sentences of ours that speak of `nobody`, `anybody`, `everyone`, `who` and their like. */
export function namelessSubjects(house: House): Violations {
  return house.sources
    .filter(({ path }) => !path.startsWith(GENERATED))
    .flatMap((source) =>
      sentencesOf(source).flatMap(({ at, text }) => {
        const word = WORDS.exec(text);
        if (word === null) return [];
        const { line } = source.tree.getLineAndCharacterOfPosition(at + word.index);
        return [
          `${source.path}:${String(line + 1)}: says ${word[0]}, and not which client or server`,
        ];
      }),
    );
}

interface Sentence {
  readonly at: number;
  readonly text: string;
}

function sentencesOf(source: Source): readonly Sentence[] {
  const literals = source.nodes.filter(isLiteral).map((node) => {
    const at = node.getStart(source.tree);
    return { at, text: source.text.slice(at, node.end) };
  });
  const comments = [...withoutLiterals(source.text, literals).matchAll(COMMENT)].map((found) => ({
    at: found.index,
    text: found[0].replace(QUOTED, blanks),
  }));
  const texts = literals.map(({ at, text }) => ({ at: at + 1, text: text.slice(1, -1) }));
  return [...comments, ...texts.filter(({ text }) => /\S \S/.test(text))];
}

/** Literals hide what looks like a comment in them, as the `//` of an address. */
function withoutLiterals(text: string, literals: readonly Sentence[]): string {
  let from = 0;
  const parts: string[] = [];
  for (const literal of literals) {
    parts.push(text.slice(from, literal.at), blanks(literal.text));
    from = literal.at + literal.text.length;
  }
  return parts.join('') + text.slice(from);
}

function blanks(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function isLiteral(node: ts.Node): boolean {
  return (
    ts.isLiteralExpression(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isTemplateHead(node)
  );
}
