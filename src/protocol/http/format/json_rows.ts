/** `json`: rows as objects. */
import type { ResultChunk, ResultField } from "../../../types/mod.ts";
import { type Format, wholeMs } from "./api.ts";
import { jsonCells } from "./json_cells.ts";

export const jsonRows: Format = {
  name: "json",
  contentType: "application/json",
  single: true,
  async *encode(outputs, options) {
    yield '{"data":[';
    let affected = "";
    for await (const output of outputs) {
      if (output.kind === "affected") affected = `"affected_rows":${output.rows},`;
      else {
        let any = false;
        for await (const chunk of output.chunks) {
          if (chunk.rows === 0) continue;
          yield (any ? "," : "") + objects(chunk, output.fields);
          any = true;
        }
      }
    }
    yield `],${affected}"execution_time_ms":${wholeMs(options)}}`;
  },
};

function objects(chunk: ResultChunk, fields: readonly ResultField[]): string {
  const keys = fields.map((field, i) => `${i === 0 ? "{" : ","}${JSON.stringify(field.name)}:`);
  const columns = fields.map((field, i) => jsonCells(chunk.columns[i]!, field.type, 0, chunk.rows));
  let text = "";
  for (let row = 0; row < chunk.rows; row++) {
    if (row > 0) text += ",";
    for (let i = 0; i < columns.length; i++) text += keys[i]! + columns[i]![row];
    text += columns.length === 0 ? "{}" : "}";
  }
  return text;
}
