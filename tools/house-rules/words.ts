/**
 * The subject of a sentence is a thing with a name: a client, a watcher, the server. Sentences are
 * comments, and texts with a space in them: names of tests, messages, what tables call their rows.
 */
import ts from 'typescript';
import type { House, Source, Violations } from './house.ts';

/** As words of their own: in `system:nobody`, `who-wins` and "nobody" they are part of a name. */
const WORDS = /(?<![\w=`'"“:/.-])(?:nobody|somebody|whoever|who)(?![\w`'"”:/-])/i;
/** In comments, what is quoted from elsewhere. */
const QUOTED = /`[^`]*`|"[^"]*"|“[^”]*”/g;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g;
/** Written by `npm run generate`, with Kubernetes' own descriptions. */
const GENERATED = 'api/generated/';

/** Sentences of ours whose subject is `nobody`, `somebody`, `whoever` or `who`. */
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
