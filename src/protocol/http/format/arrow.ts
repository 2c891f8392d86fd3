/** `arrow`: an Arrow IPC stream. The Arrow library is loaded at its first use, so that a start does not pay for it. */
import { DbError } from "../../../base/mod.ts";
import type { Format } from "./api.ts";

export const arrow: Format = {
  name: "arrow",
  contentType: "application/arrow",
  single: true,
  async *encode(outputs) {
    const { ArrowStream } = await import("./arrow_stream.ts");
    for await (const output of outputs) {
      if (output.kind === "affected")
        throw new DbError(
          "invalid_arguments",
          "format=arrow is for statements that return rows; the statement was carried out",
        );
      const stream = new ArrowStream(output.fields);
      for await (const chunk of output.chunks) if (chunk.rows > 0) yield stream.batch(chunk);
      yield stream.end();
    }
  },
};
