/**
 * Thrift's compact protocol, as far as Parquet's metadata needs it: a struct is a list of its fields in ascending order of their ids, and
 * a field that is undefined is absent. Values carry their wire type, so that a struct can be written down where it is needed.
 */
export type Thrift =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "i8" | "i16" | "i32" | "i64"; readonly value: number }
  | { readonly kind: "binary"; readonly value: Uint8Array }
  | {
      readonly kind: "list";
      readonly item: Exclude<Thrift["kind"], "bool">;
      readonly value: readonly Thrift[];
    }
  | { readonly kind: "struct"; readonly value: readonly Field[] };

export type Field = readonly [id: number, value: Thrift | undefined];

const encoder = new TextEncoder();

export const i8 = (value: number): Thrift => ({ kind: "i8", value });
export const i16 = (value: number): Thrift => ({ kind: "i16", value });
export const i32 = (value: number): Thrift => ({ kind: "i32", value });
/** Safe integers only. */
export const i64 = (value: number): Thrift => ({ kind: "i64", value });
export const bool = (value: boolean): Thrift => ({ kind: "bool", value });
export const binary = (value: Uint8Array): Thrift => ({ kind: "binary", value });
export const text = (value: string): Thrift => binary(encoder.encode(value));
export const struct = (...value: readonly Field[]): Thrift => ({ kind: "struct", value });
export const list = (item: Exclude<Thrift["kind"], "bool">, value: readonly Thrift[]): Thrift => ({
  kind: "list",
  item,
  value,
});

const CODE = { i8: 3, i16: 4, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

/** The bytes of a struct. */
export function thriftBytes(value: Thrift): Uint8Array {
  const writer = new Writer();
  writer.value(value);
  return writer.bytes();
}

class Writer {
  #bytes = new Uint8Array(256);
  #length = 0;

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  value(thrift: Thrift): void {
    switch (thrift.kind) {
      case "bool":
        // Only in structs, where the value is in the field's header.
        return;
      case "i8":
        this.#reserve(1)[this.#length++] = thrift.value;
        return;
      case "i16":
      case "i32":
      case "i64":
        this.#varint(thrift.value < 0 ? -2 * thrift.value - 1 : 2 * thrift.value);
        return;
      case "binary":
        this.#varint(thrift.value.length);
        this.#reserve(thrift.value.length).set(thrift.value, this.#length);
        this.#length += thrift.value.length;
        return;
      case "list": {
        const { length } = thrift.value;
        const code = CODE[thrift.item];
        this.#reserve(1)[this.#length++] = (Math.min(length, 15) << 4) | code;
        if (length >= 15) this.#varint(length);
        for (const item of thrift.value) this.value(item);
        return;
      }
      case "struct":
        this.#struct(thrift.value);
    }
  }

  #struct(fields: readonly Field[]): void {
    let before = 0;
    for (const [id, field] of fields) {
      if (field === undefined) continue;
      const code = field.kind === "bool" ? (field.value ? 1 : 2) : CODE[field.kind];
      // Parquet's fields are close enough together for the short header.
      this.#reserve(1)[this.#length++] = ((id - before) << 4) | code;
      before = id;
      this.value(field);
    }
    this.#reserve(1)[this.#length++] = 0;
  }

  #varint(value: number): void {
    const bytes = this.#reserve(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes[this.#length++] = (rest % 128) | 0x80;
    bytes[this.#length++] = rest;
  }

  #reserve(more: number): Uint8Array {
    if (this.#length + more > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + more));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    return this.#bytes;
  }
}
