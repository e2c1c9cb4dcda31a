/** The columns that the server prints of a kind, those of wide output among them. */
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askJson, problemText } from './http.ts';

/** One column. */
export interface PrintedColumn {
  readonly name: string;
  /** Above 0 it is one of wide output. */
  readonly priority: number;
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Asked for when it is first shown, and for another path. @param path the collection. */
export function usePrintedColumns(path: string): {
  readonly columns: ReadonlySignal<readonly PrintedColumn[]>;
  readonly problem: ReadonlySignal<string>;
} {
  const columns = useSignal<readonly PrintedColumn[]>([]);
  const problem = useSignal('');
  useEffect(() => {
    const ending = new AbortController();
    const asked = { accept: TABLE, signal: ending.signal };
    askJson<{ columnDefinitions?: readonly PrintedColumn[] }>(`${path}?limit=1`, asked).then(
      ({ columnDefinitions = [] }) => (columns.value = columnDefinitions),
      (error: unknown) => {
        if (!ending.signal.aborted) problem.value = problemText(error);
      },
    );
    return () => {
      ending.abort();
    };
  }, [path]);
  return { columns, problem };
}

/** Names of those that are printed without being asked for. */
export function usualColumns(columns: readonly PrintedColumn[]): readonly string[] {
  return columns.filter(({ priority }) => priority === 0).map(({ name }) => name);
}
