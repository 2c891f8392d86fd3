/** `greptimedb_v1`: one element for each statement, rows as arrays. The default. */
import { type ResultChunk, type ResultField, typeName } from "../../../types/mod.ts";
import { type Format, wholeMs } from "./api.ts";
import { jsonCells } from "./json_cells.ts";

export const greptimeV1: Format = {
  name: "greptimedb_v1",
  contentType: "application/json",
  single: false,
  async *encode(outputs, options) {
    yield '{"output":[';
    let between = "";
    for await (const output of outputs) {
      if (output.kind === "affected") yield `${between}{"affectedrows":${output.rows}}`;
      else {
        yield `${between}{"records":{"schema":{"column_schemas":${schemaJson(output.fields)}},"rows":[`;
        let total = 0;
        for await (const chunk of output.chunks) {
          if (chunk.rows === 0) continue;
          yield (total === 0 ? "" : ",") + rowsJson(chunk, output.fields);
          total += chunk.rows;
        }
        yield `],"total_rows":${total}}}`;
      }
      between = ",";
    }
    yield `],"execution_time_ms":${wholeMs(options)}}`;
  },
};

function schemaJson(fields: readonly ResultField[]): string {
  return JSON.stringify(fields.map(({ name, type }) => ({ name, data_type: typeName(type) })));
}

/** `[a,b],[c,d]`. */
export function rowsJson(chunk: ResultChunk, fields: readonly ResultField[]): string {
  const columns = fields.map((field, i) => jsonCells(chunk.columns[i]!, field.type, 0, chunk.rows));
  const [first, ...others] = columns;
  let text = "";
  for (let row = 0; row < chunk.rows; row++) {
    text += row === 0 ? "[" : ",[";
    if (first !== undefined) text += first[row];
    for (const column of others) text += `,${column[row]}`;
    text += "]";
  }
  return text;
}
