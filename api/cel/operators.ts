/** The functions that operators are calls of, by their precedence. */

export const RELATIONS: ReadonlyMap<string, string> = new Map([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
]);
export const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['*', '_*_'],
  ['/', '_/_'],
  ['%', '_%_'],
]);
export const SUMS: ReadonlyMap<string, string> = new Map([
  ['+', '_+_'],
  ['-', '_-_'],
]);
