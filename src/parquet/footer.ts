/** The footer of a Parquet file: its schema, where its row groups are, and the key-values. */
import { type FileColumn, schemaElement, schemaRoot } from "./schema.ts";
import { i16, i32, i64, list, struct, type Thrift, text, thriftBytes } from "./thrift.ts";

export const MAGIC = new TextEncoder().encode("PAR1");

export interface RowGroup {
  readonly rows: number;
  /** Where it starts in the file, and how long it is. */
  readonly at: number;
  readonly bytes: number;
  /** ColumnChunk of each column. */
  readonly chunks: readonly Thrift[];
}

/** FileMetaData with its length and the magic behind it: the end of a file. */
export function footerBytes(
  columns: readonly FileColumn[],
  rowGroups: readonly RowGroup[],
  keyValues: Readonly<Record<string, string>>,
): Uint8Array {
  const rows = rowGroups.reduce((sum, group) => sum + group.rows, 0);
  const typeOrder = struct([1, struct()]);
  const metadata = thriftBytes(
    struct(
      [1, i32(2)],
      [2, list("struct", [schemaRoot(columns.length), ...columns.map(schemaElement)])],
      [3, i64(rows)],
      [4, list("struct", rowGroups.map(rowGroup))],
      [
        5,
        list(
          "struct",
          Object.entries(keyValues).map(([key, value]) => struct([1, text(key)], [2, text(value)])),
        ),
      ],
      [6, text("tidemark")],
      // Ranges are ordered as the types say; without this, readers ignore them.
      [
        7,
        list(
          "struct",
          columns.map(() => typeOrder),
        ),
      ],
    ),
  );
  const bytes = new Uint8Array(metadata.length + 8);
  bytes.set(metadata);
  new DataView(bytes.buffer).setUint32(metadata.length, metadata.length, true);
  bytes.set(MAGIC, metadata.length + 4);
  return bytes;
}

function rowGroup(group: RowGroup, ordinal: number): Thrift {
  return struct(
    [1, list("struct", group.chunks)],
    [2, i64(group.bytes)],
    [3, i64(group.rows)],
    [5, i64(group.at)],
    [6, i64(group.bytes)],
    // A 16-bit number, which readers do not need.
    [7, ordinal < 32_768 ? i16(ordinal) : undefined],
  );
}
