/**
 * What the executor needs of the column engine, and nothing more. `Duck` of src/duck satisfies it.
 * The engine knows no catalog: it is given finished text and the types to decode.
 */
import type { ResultChunk, ResultField } from "../types/mod.ts";

export interface EnginePort {
  /**
   * Streams the rows of one statement, decoded as `fields` say. Holds a connection until the iteration ends or is left.
   * Throws the engine's own error, or the signal's reason when that is a DbError, else DbError cancelled.
   */
  stream(
    sql: string,
    fields: readonly ResultField[],
    signal?: AbortSignal,
  ): AsyncGenerator<ResultChunk, void, void>;
}
