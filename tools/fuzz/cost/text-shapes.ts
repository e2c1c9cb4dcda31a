/** Texts of any length that make a careless reader slow: one piece again and again, and an end. */

/** A family of texts that grows with `bytes`. */
export interface TextShape {
  /** Shown beside what it cost. */
  readonly name: string;
  /** The text of about so many bytes. */
  textOf(bytes: number): string;
}

/** Letters, digits, and what parts words in the grammars of Kubernetes, alone and by turns. */
const PIECES = [
  'a', '0', '7', ' ', '.', '-', ',', '/', ':', '"', "'", '\\', '%', '=', '(', '[', '{', '\n', '\u00e4',
  'a.', 'a-', 'a,', 'a=', 'a/', 'a ', '0.', '1e', '::', '[0]', '..a', '{.a}', '%2f', "['a']", 'a:b;', '$(a)', 'a=b,',
  ' in (a),', '-a_',
]; // prettier-ignore

/** An end at which most grammars see that all before it was no good: what is tried again shows. */
const ENDS = ['', '!\n'];

export const TEXT_SHAPES: readonly TextShape[] = PIECES.flatMap((piece) =>
  ENDS.map((end) => ({
    name: `${JSON.stringify(piece)} repeated${end === '' ? '' : ', and an end that does not fit'}`,
    textOf: (bytes: number) => repeated(piece, bytes) + end,
  })),
);

/** Few of them, for where there are hundreds of places to put them. */
export const FEW_TEXT_SHAPES: readonly TextShape[] = TEXT_SHAPES.filter(({ name }) =>
  [
    '"a" repeated',
    '"7" repeated',
    '"," repeated',
    // Which is not printable, and is escaped wherever a text is shown.
    '"\\n" repeated',
    '"a." repeated, and an end that does not fit',
  ].includes(name),
);

/** How many shapes a run tries. */
export interface ShapeChoice {
  /** Where a text is all there is. */
  readonly texts: readonly TextShape[];
  /** In each field of an object. */
  readonly fields: readonly TextShape[];
}

/** One of each sort: what most grammars read on over, what they stop at, what they escape, what they nest. */
const USUAL_PIECES = ['a', '7', ' ', ',', '\\', '{', '\n', 'a.', 'a=b,'];

const USUAL_TEXT_SHAPES: readonly TextShape[] = TEXT_SHAPES.filter(({ name }) =>
  USUAL_PIECES.some((piece) => name.startsWith(`${JSON.stringify(piece)} repeated`)),
);

export const USUAL_SHAPES: ShapeChoice = { texts: USUAL_TEXT_SHAPES, fields: FEW_TEXT_SHAPES };
export const ALL_SHAPES: ShapeChoice = { texts: TEXT_SHAPES, fields: FEW_TEXT_SHAPES };
export const SHORT_SHAPES: ShapeChoice = {
  texts: FEW_TEXT_SHAPES.slice(0, 3),
  // What shows each of a text's characters shows those that are escaped.
  fields: FEW_TEXT_SHAPES.filter(({ name }) => name.startsWith('"\\n"')),
};

/** `piece` until there are so many bytes. */
export function repeated(piece: string, bytes: number): string {
  return piece.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(piece))));
}

/** Pieces that differ, joined, until there are so many bytes. */
export function enumerated(pieceOf: (at: number) => string, bytes: number, between = ''): string {
  const pieces: string[] = [];
  for (let size = 0, at = 0; size < bytes; at += 1) {
    const piece = pieceOf(at);
    pieces.push(piece);
    size += piece.length + between.length;
  }
  return pieces.join(between);
}
