/** `null`: runs the statement, tells only how many rows there were and how long it took. */
import type { Format } from "./api.ts";

export const nullFormat: Format = {
  name: "null",
  contentType: "text/plain; charset=utf-8",
  single: true,
  async *encode(outputs, options) {
    let rows = 0;
    let verb = "in set";
    for await (const output of outputs) {
      if (output.kind === "affected") {
        rows += output.rows;
        verb = "affected";
      } else for await (const chunk of output.chunks) rows += chunk.rows;
    }
    yield `${rows} rows ${verb}.\nElapsed: ${(options.elapsedMs() / 1000).toFixed(3)} sec.\n`;
  },
};
