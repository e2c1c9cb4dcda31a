/** Columns of tables as this browser keeps them, by kind; an address that names columns goes before. */
import type { KindName } from './page-location.ts';

const KEY = 'everwatch.columns';

function storageKey({ group, resource }: KindName): string {
  return `${KEY}.${group}/${resource}`;
}

/** As text; '' where none are kept. */
export function keptColumns(of: KindName): string {
  return globalThis.localStorage.getItem(storageKey(of)) ?? '';
}

/** Keeps them; '' forgets. */
export function keepColumns(of: KindName, columns: string): void {
  if (columns === '') globalThis.localStorage.removeItem(storageKey(of));
  else globalThis.localStorage.setItem(storageKey(of), columns);
}
