/**
 * /query for InfluxDB 1.x clients: the text goes to the SQL engine, the results come back in InfluxDB's shape. It is SQL, not
 * InfluxQL: three statements that agents and the shell send by themselves are adapted, everything else is passed through.
 */
import { DbError } from "../../base/mod.ts";
import type { Ctx, Headers } from "../../net/mod.ts";
import type { QueryEngine } from "../../query/mod.ts";
import type { Output } from "../../types/mod.ts";
import { queryEpoch } from "./precision.ts";
import { type SeriesForm, seriesJson } from "./series_json.ts";

/**
 * Runs `q` (query string or form) and streams the answer. A failure before the first result is an HTTP error; one after it
 * stands in its statement's place, and later statements are not run.
 */
export async function handleQuery(engine: QueryEngine, ctx: Ctx, headers: Headers): Promise<void> {
  const form = await ctx.form();
  const param = (name: string) => ctx.query.get(name) ?? form.get(name);
  const text = param("q");
  if (text === null || text.trim() === "")
    throw new DbError("invalid_arguments", 'missing required parameter "q"');
  const epoch = queryEpoch(param("epoch"));
  const session = ctx.session(ctx.database(form.get("db")));
  const policies = retentionPolicies(text);
  const outputs =
    policies ?? engine.execute(translate(text), session, ctx.signal)[Symbol.asyncIterator]();
  // The first result decides whether this is an answer or an error.
  const first = await outputs.next();
  const out = ctx.stream(200, { ...headers, "content-type": "application/json" });
  await out.write('{"results":[');
  const naming = isShowDatabases(text) ? DATABASES : undefined;
  for await (const piece of resultPieces(first, outputs, { epoch, naming })) await out.write(piece);
  await out.write("]}\n");
  await out.end();
}

async function* resultPieces(
  first: IteratorResult<Output>,
  outputs: AsyncIterator<Output>,
  form: SeriesForm,
): AsyncGenerator<string> {
  let id = 0;
  /** Is a result begun that has no closing brace yet? */
  let open = false;
  try {
    for (let next = first; next.done !== true; next = await outputs.next()) {
      yield `${id === 0 ? "" : ","}{"statement_id":${id}`;
      open = true;
      if (next.value.kind === "records") yield* seriesJson(next.value, form);
      yield "}";
      open = false;
      id++;
    }
  } catch (error) {
    if (!(error instanceof DbError)) throw error;
    const begin = open ? "" : `${id === 0 ? "" : ","}{"statement_id":${id}`;
    yield `${begin},"error":${JSON.stringify(error.message)}}`;
  } finally {
    await outputs.return?.();
  }
}

/** USE of the shell looks for the name in exactly this series. */
const DATABASES = { name: "databases", columns: ["name"] } as const;

function isShowDatabases(text: string): boolean {
  return /^\s*SHOW\s+DATABASES\s*;?\s*$/i.test(text);
}

/** Agents create their database at every start: here that is an error, there it is not. */
function translate(text: string): string {
  return text.replace(/^(\s*CREATE\s+DATABASE)\s+(?!IF\s+NOT\s+EXISTS\b)/i, "$1 IF NOT EXISTS ");
}

/** Clients ask before they write to one. Every database has the one policy that keeps everything; ttl is an option of tables. */
function retentionPolicies(text: string): AsyncIterator<Output> | undefined {
  if (!/^\s*SHOW\s+RETENTION\s+POLICIES\b/i.test(text)) return undefined;
  return (async function* (): AsyncGenerator<Output> {
    yield {
      kind: "records",
      fields: [
        { name: "name", type: { kind: "string" } },
        { name: "duration", type: { kind: "string" } },
        { name: "shardGroupDuration", type: { kind: "string" } },
        { name: "replicaN", type: { kind: "int32" } },
        { name: "default", type: { kind: "bool" } },
      ],
      chunks: (async function* () {
        yield { rows: 1, columns: [["autogen"], ["0s"], ["168h0m0s"], [1], [true]] };
      })(),
    };
  })();
}
