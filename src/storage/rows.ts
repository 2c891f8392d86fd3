/** Union of sources as they are, with no merge: what a flush sorts. */
import { type SelectNeeds, type Source, selectSource } from "./source.ts";

/** Yields sid, the time, `needs.columns`, and seq, op of late sources. All sources must agree in lateness. */
export function rowsOfSources(sources: readonly Source[], needs: SelectNeeds): string {
  return sources.map((source) => selectSource(source, needs)).join(" UNION ALL ");
}
